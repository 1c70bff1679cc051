"""What all widgets share: where results and errors appear, and how controls are laid out."""

import traceback
from collections.abc import Callable, Iterable
from html import escape

import ipywidgets as widgets
from IPython.display import HTML, display

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.prepare import load
from nnbr_core.data.sources import present
from nnbr_core.errors import InputError
from nnbr_core.experiments.study import Study


def note(text: str) -> str:
    """A sentence in place of a result."""
    return f'<p class="nnbr-note" role="status">{escape(text)}</p>'


def rendered(produce: Callable[[], str]) -> str:
    """The HTML that `produce` makes; if it cannot, a sentence, or the traceback, says why.

    An exception in a widget's callback would otherwise end in a log that nobody reads.
    """
    try:
        return produce()
    except InputError as error:
        return note(str(error))
    except Exception:
        return f'<pre class="nnbr-error" role="alert">{escape(traceback.format_exc())}</pre>'


def watch(controls: Iterable[widgets.Widget], react: Callable[[], None]) -> None:
    """Call `react` whenever the value of a control changes."""
    for control in controls:
        control.observe(lambda change: react(), "value")


def row(*controls: widgets.Widget) -> widgets.Box:
    """Controls side by side, in several lines where the window is narrow."""
    for control in controls:
        control.style.description_width = "initial"
        control.layout.max_width = "100%"
        control.layout.margin = "2px 14px 2px 2px"
    return widgets.Box(controls, layout={"flex_flow": "row wrap", "align_items": "center"})


def show_page(page: str) -> None:
    """In batch: the plain result."""
    display(HTML(page))


def show_widget(*parts: widgets.Widget) -> None:
    display(widgets.VBox(parts))


def by_dataset(study: Study, build: Callable[[Baskets], widgets.Widget]) -> None:
    """Show what `build` makes of the study's baskets, under a menu of all datasets that are here.

    Another dataset is loaded when it is chosen.
    """
    names = list(dict.fromkeys([study.dataset, *present()]))
    menu = widgets.Dropdown(options=names, description="Dataset", layout={"width": "18em"})
    area = widgets.VBox([build(study.baskets)])

    def switch() -> None:
        area.children = [widgets.HTML(note(f"Loading {menu.value} ..."))]
        built = []

        def produce() -> str:
            is_own = menu.value == study.dataset
            built.append(build(study.baskets if is_own else load(menu.value)))
            return ""

        problem = rendered(produce)
        area.children = built or [widgets.HTML(problem)]

    watch([menu], switch)
    show_widget(row(menu), area)


def user_picker(user: int, n_users: int) -> widgets.BoundedIntText:
    """Users by number, from 0; the id they have in the source is shown with their baskets."""
    return widgets.BoundedIntText(
        user, min=0, max=n_users - 1, description="User no.", layout={"width": "11em"}
    )
