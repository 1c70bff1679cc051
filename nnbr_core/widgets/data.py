"""Browse a dataset's users, all of them or those with a certain kind of history."""

import ipywidgets as widgets
import numpy as np
import pandas as pd

from nnbr_core.analysis.study import Study, is_interactive
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import last_basket_table
from nnbr_core.figures.baskets import user_baskets
from nnbr_core.widgets._shared import (
    by_dataset,
    keep_choices,
    note,
    rendered,
    row,
    show_page,
    user_picker,
    watch,
)

Range = tuple[float, float]  # from, to, both included
NOBODY = "No user has such a history and such a last basket: widen one of the two filters."


def matching_users(table: pd.DataFrame, history: Range, repeat: Range) -> np.ndarray:
    """Users, ascending, by number of baskets before the last and repeat ratio of the last.

    `table` is `describe.last_basket_table`; both ends of a range belong to it.
    """
    fits = table["n_history"].between(*history) & table["repeat_ratio"].between(*repeat)
    return np.flatnonzero(fits)


def neighbour(users: np.ndarray, user: int, step: int) -> int:
    """The next of these users after (step 1) or before (step -1) this one; around the end.

    >>> neighbour(np.array([2, 5, 9]), 5, 1), neighbour(np.array([2, 5, 9]), 1, -1)
    (9, 9)
    """
    before, after = users[users < user], users[users > user]
    if step > 0:
        return int(after[0] if len(after) else users[0])
    return int(before[-1] if len(before) else users[-1])


def user_page(baskets: Baskets, user: int, matching: np.ndarray) -> str:
    """How many users match the filters, and one user's baskets."""
    if len(matching) == 0:
        return note(NOBODY)
    mark = "" if user in matching else f"; row {user} does not"
    found = f"{len(matching):,} of {baskets.n_users:,} users match{mark}."
    return note(found) + user_baskets(baskets, user)


def user_browser(baskets: Baskets, user: int = 0) -> widgets.VBox:
    """Pick a user, or step through those a filter leaves."""
    table = last_basket_table(baskets)
    n_most = int(table["n_history"].max())
    picker = user_picker(user, baskets.n_users)
    back = widgets.Button(description="Previous match", layout={"width": "auto"})
    onward = widgets.Button(description="Next match", layout={"width": "auto"})
    lengths = widgets.IntRangeSlider(
        value=(0, n_most),
        min=0,
        max=n_most,
        description="History baskets",
        continuous_update=False,
    )
    repeats = widgets.FloatRangeSlider(
        value=(0, 1),
        min=0,
        max=1,
        step=0.05,
        description="Repeat ratio",
        continuous_update=False,
    )
    page = widgets.HTML()

    def matching() -> np.ndarray:
        return matching_users(table, lengths.value, repeats.value)

    def draw() -> None:
        page.value = rendered(lambda: user_page(baskets, picker.value, matching()))

    def step(by: int) -> None:
        if len(users := matching()):
            picker.value = neighbour(users, picker.value, by)

    def refilter() -> None:
        if picker.value not in matching():
            step(1)
        draw()

    kept = [lengths, repeats, picker]
    keep_choices(
        f"users of {baskets.fingerprint}, {user}",
        {control.description: control for control in kept},
    )
    watch([picker], draw)
    watch([lengths, repeats], refilter)
    back.on_click(lambda button: step(-1))
    onward.on_click(lambda button: step(1))
    draw()
    return widgets.VBox([row(picker, back, onward, lengths, repeats), page])


def dataset_explorer(study: Study, user: int = 0) -> None:
    """Browse the users of any dataset that is here; in batch, show the user given."""
    if not is_interactive():
        return show_page(user_page(study.baskets, user, np.arange(study.baskets.n_users)))
    by_dataset(study, lambda baskets: user_browser(baskets, min(user, baskets.n_users - 1)))
