"""What widgets about runs share: a figure that can be clicked, the run behind it, controls."""

from collections.abc import Callable, Iterable
from html import escape
from threading import Lock

import anywidget
import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go

from nnbr_core.analysis.grid_runs import curve
from nnbr_core.figures.runs import learning_curves
from nnbr_core.figures.tables import HEADLINE
from nnbr_core.runs.records import Record
from nnbr_core.widgets._shared import note, rendered

METRICS = (*HEADLINE, "ndcg@10", "ndcg@20", "hit_rate@10", "hit_rate@20")
MEAN = "mean"
DETAIL_HEIGHT = 300


def kinds(figure: go.Figure) -> list[str]:
    """What kinds of traces a figure has."""
    return [trace.type for trace in figure.data]


def replace(shown: go.FigureWidget, drawn: go.Figure) -> None:
    """Make a figure on the page look like another one of the same kinds of traces."""
    with shown.batch_update():
        for old, new in zip(shown.data, drawn.data, strict=True):
            old.update(new.to_plotly_json() | {"uid": old.uid}, overwrite=True)
        shown.layout.update(drawn.layout.to_plotly_json(), overwrite=True)
        shown.layout.annotations = drawn.layout.annotations


def source_page(record: Record) -> str:
    """The code that somebody wrote for a run, folded away; nothing for other runs."""
    pages = [
        f"<details><summary>{one['kind']} {escape(one['name'])}: source</summary>"
        f'<pre class="nnbr-source">{escape(one["source"])}</pre></details>'
        for one in record.code
    ]
    return "".join(pages)


def run_table(records: list[Record]) -> str:
    """Some runs as an HTML table: settings, id, metrics; nothing recorded gives a sentence."""
    if not records:
        return note("This run is not recorded yet.")
    facts = {
        one.id: {"run": one.description, "seconds": f"{one.seconds:.0f}"}
        | {metric: f"{one.test[metric]:.4f}" for metric in HEADLINE}
        for one in records
    }
    table = pd.DataFrame(facts).to_html(classes="nnbr-run", border=0)
    sources = "".join(dict.fromkeys(map(source_page, records)))
    return f'<div class="nnbr-scroll">{table}</div>{sources}'


def curve_of(record: Record) -> go.Figure:
    """The learning curve of one run."""
    masking = record.config["settings"]["masking"]
    frame = curve(record).assign(masking=masking, id=record.id)
    return learning_curves(frame).update_layout(height=DETAIL_HEIGHT)


class Fit(anywidget.AnyWidget):
    """Makes the figure beside it as wide as its box, whenever and however late it is drawn.

    Plotly measures once, often before its place in the page has a width. Telling the window
    that it was resized would reach figures that are still being drawn, and leave them empty:
    so this one figure is asked to measure again, once it has been drawn.
    """

    _esm = """
    const SLACK = 3, PAUSE = 200, TRIES = 300;  // pixels, milliseconds
    function render({ el }) {
      let timer = 0, tries = 0;
      const look = () => {
        const box = el.closest(".nnbr-figure");
        const figure = box && box.querySelector(".js-plotly-plot");
        const svg = figure && figure.querySelector(".main-svg");
        const isDrawn = svg && figure.calcdata && figure._responsiveChartHandler;
        if (isDrawn && Math.abs(svg.clientWidth - box.clientWidth) <= SLACK) return;
        if (isDrawn) figure._responsiveChartHandler();
        if (++tries < TRIES) timer = setTimeout(look, PAUSE);
      };
      const again = () => { clearTimeout(timer); tries = 0; timer = setTimeout(look, PAUSE); };
      const observer = new ResizeObserver(again);
      observer.observe(el);
      again();
      return () => { observer.disconnect(); clearTimeout(timer); };
    }
    export default { render };
    """


class Canvas:
    """A place for a figure that changes, and may be clicked.

    A figure of the same kinds of traces is changed where it stands: it keeps its size, and what
    is read below it does not jump. Another kind is drawn anew. Runs finish in another thread
    than clicks: one change at a time.
    """

    def __init__(self, draw: Callable[[], go.Figure | None], clicked: Callable | None = None):
        self.draw, self.clicked = draw, clicked
        self.box = widgets.VBox(layout={"width": "100%"})
        self.box.add_class("nnbr-figure")
        self.lock, self.shown = Lock(), None

    def redraw(self) -> None:
        """Draw, or say in the figure's place what went wrong."""
        with self.lock:
            before, made = self.box.children, []
            problem = rendered(lambda: self._make(made))
            self.box.children = (widgets.HTML(problem),) if problem else tuple(made)
            for old in before:
                if not any(old is one for one in self.box.children):
                    old.close()

    def _make(self, made: list[widgets.Widget]) -> str:
        drawn = self.draw()
        if drawn is None:
            self.shown = None
        elif self.shown is not None and kinds(self.shown) == kinds(drawn):
            replace(self.shown, drawn)
            made += self.box.children[:2]
        else:
            self.shown = self._new(drawn)
            made += [self.shown, Fit(layout={"width": "100%"})]
        return ""

    def _new(self, drawn: go.Figure) -> go.FigureWidget:
        shown = go.FigureWidget(drawn)
        shown._config = shown._config | {"responsive": True}
        if self.clicked:
            for trace in shown.data:
                trace.on_click(lambda trace, points, state: self._click(trace, points))
        return shown

    def _click(self, trace: object, points: object) -> None:
        if problem := rendered(lambda: self.clicked(trace, points) or ""):
            self.box.children = (*self.box.children, widgets.HTML(problem))


class Detail:
    """Shows runs that were clicked: what they are, and how the first of them was trained."""

    def __init__(self, hint: str):
        self.hint, self.text, self.records = hint, widgets.HTML(note(hint)), []
        self.canvas = Canvas(lambda: curve_of(self.records[0]) if self.records else None)
        self.box = widgets.VBox([self.text, self.canvas.box])

    def show(self, records: list[Record]) -> None:
        self.records = records
        self.text.value = rendered(lambda: run_table(records))
        self.canvas.redraw()

    def clear(self) -> None:
        """As before the first click."""
        self.show([])
        self.text.value = note(self.hint)


def metric_control() -> widgets.Dropdown:
    return widgets.Dropdown(options=METRICS, description="Metric")


def fold_options(folds: Iterable[int]) -> list[tuple[str, int | None]]:
    """The mean first, if there are several folds to take it over."""
    each = [(f"fold {fold}", fold) for fold in sorted(folds)]
    return each if len(each) == 1 else [(MEAN, None), *each]


def fold_control(folds: Iterable[int]) -> widgets.Dropdown:
    return widgets.Dropdown(options=fold_options(folds), description="Folds")


def switches(names: list[str]) -> dict[str, widgets.Checkbox]:
    return {
        name: widgets.Checkbox(True, description=name, indent=False, layout={"width": "auto"})
        for name in names
    }


def switched_on(frame: pd.DataFrame, switches: dict[str, widgets.Checkbox]) -> pd.DataFrame:
    return frame[frame["masking"].isin([name for name, one in switches.items() if one.value])]
