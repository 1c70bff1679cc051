"""Thin interactive shells around pure functions; in batch they step aside for the plain result."""

import os

import ipywidgets as widgets
from IPython.display import HTML, display

from nnbr_core.data.baskets import Baskets
from nnbr_core.show.chips import user_baskets


def is_interactive() -> bool:
    """Is somebody there to click? Jupyter's server names the session; papermill does not."""
    return "JPY_SESSION_NAME" in os.environ or "VSCODE_PID" in os.environ


def user_explorer(baskets: Baskets, user: int = 0) -> None:
    """Pick a user and see their baskets; without an audience, show the one given."""
    if not is_interactive():
        display(HTML(user_baskets(baskets, user)))
        return
    picker = widgets.BoundedIntText(
        value=user, min=0, max=baskets.n_users - 1, description="User", layout={"width": "12em"}
    )
    slider = widgets.IntSlider(
        value=user, min=0, max=baskets.n_users - 1, readout=False, layout={"width": "60%"}
    )
    widgets.link((picker, "value"), (slider, "value"))
    shown = widgets.HTML(user_baskets(baskets, user))
    picker.observe(
        lambda change: setattr(shown, "value", user_baskets(baskets, change["new"])), "value"
    )
    display(widgets.VBox([widgets.HBox([picker, slider]), shown]))
