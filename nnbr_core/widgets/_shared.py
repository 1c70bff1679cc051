"""What all widgets share: where results and errors appear, and how controls are laid out."""

import traceback
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

import anywidget
import ipywidgets as widgets
from IPython.display import HTML, display
from traitlets import TraitError

from nnbr_core.analysis.study import Study
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.prepare import load
from nnbr_core.data.sources import present
from nnbr_core.errors import InputError


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


_chosen: dict[tuple[str, str], Any] = {}  # what was chosen last, by widget and control


def keep_choices(widget: str, controls: Mapping[str, widgets.Widget]) -> None:
    """Give controls the values they had when the same cell ran before, and remember new ones.

    A kernel belongs to one notebook. What is no longer offered is forgotten; who names a widget
    after its parameters forgets all when one of them is changed.
    """
    for name, control in controls.items():
        key = (widget, name)
        if key in _chosen and control.value != _chosen[key]:
            try:
                control.value = _chosen[key]
            except TraitError:
                del _chosen[key]
        control.observe(lambda change, key=key: _chosen.update({key: change.new}), "value")


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


class Keys(anywidget.AnyWidget):
    """Leaves the keyboard to the controls beside it, and shows which of them has it.

    Without it Enter on a button is JupyterLab's: it goes to edit the cell.
    """

    _esm = """
    function render({ el }) {
      const own = () => {
        const box = el.closest(".nnbr-widget");
        if (box) box.setAttribute("data-lm-suppress-shortcuts", "true");
      };
      own();
      const later = setTimeout(own, 100);  // the page may put it in its place after this
      return () => clearTimeout(later);
    }
    export default { render };
    """
    _css = """
    .nnbr-widget :is(button, input, select, [tabindex="0"]):focus-visible {
      outline: 2px solid var(--jp-brand-color1, #1976d2) !important;
      outline-offset: 1px;
    }
    .nnbr-figure { width: 100%; overflow: hidden; }
    .nnbr-scroll { overflow-x: auto; max-width: 100%; }
    """


def show_widget(*parts: widgets.Widget) -> None:
    box = widgets.VBox([*parts, Keys()])
    box.add_class("nnbr-widget")
    display(box)


def by_dataset(study: Study, build: Callable[[Baskets], widgets.Widget]) -> None:
    """Show what `build` makes of the study's baskets, under a menu of all datasets that are here.

    Another dataset is loaded when it is chosen.
    """
    names = list(dict.fromkeys([study.dataset, *present()]))
    menu = widgets.Dropdown(options=names, description="Dataset", layout={"width": "18em"})
    area = widgets.VBox()

    def switch() -> None:
        area.children = [widgets.HTML(note(f"Loading {menu.value} ..."))]
        built = []

        def produce() -> str:
            is_own = menu.value == study.dataset
            built.append(build(study.baskets if is_own else load(menu.value)))
            return ""

        problem = rendered(produce)
        area.children = built or [widgets.HTML(problem)]

    keep_choices(f"dataset beside {study.dataset}", {"Dataset": menu})
    watch([menu], switch)
    switch()
    show_widget(row(menu), area)


def user_picker(user: int, n_users: int) -> widgets.BoundedIntText:
    """Users by their row in the dataset, from 0; their baskets say row and id."""
    return widgets.BoundedIntText(
        user, min=0, max=n_users - 1, description="Row", layout={"width": "9em"}
    )
