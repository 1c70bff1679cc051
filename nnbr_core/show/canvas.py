"""What widgets about runs share: a figure that can be clicked, the run behind it, controls."""

from collections.abc import Callable

import anywidget
import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go

from nnbr_core.experiments import questions
from nnbr_core.experiments.records import Record
from nnbr_core.show import record_plots
from nnbr_core.show.shell import note, rendered
from nnbr_core.show.tables import HEADLINE

METRICS = (*HEADLINE, "ndcg@10", "ndcg@20", "hit_rate@10", "hit_rate@20")
MEAN = "mean"
DETAIL_HEIGHT = 300


def run_table(records: list[Record]) -> str:
    """Some runs as an HTML table: settings, id, metrics; nothing recorded gives a sentence."""
    if not records:
        return note("This run is not recorded yet.")
    facts = {
        one.id: {"run": one.description, "seconds": f"{one.seconds:.0f}"}
        | {metric: f"{one.test[metric]:.4f}" for metric in HEADLINE}
        for one in records
    }
    return pd.DataFrame(facts).to_html(classes="nnbr-run", border=0)


def curve_of(record: Record) -> go.Figure:
    """The learning curve of one run."""
    masking = record.config["settings"]["masking"]
    frame = questions.curve(record).assign(masking=masking, id=record.id)
    return record_plots.learning_curves(frame).update_layout(height=DETAIL_HEIGHT)


class Fit(anywidget.AnyWidget):
    """Makes the figure beside it as wide as the notebook: plotly measures only when told to."""

    _esm = """
    function render({ el }) {
      const fit = () => window.dispatchEvent(new Event("resize"));
      const observer = new ResizeObserver(fit);
      observer.observe(el);
      const later = setTimeout(fit, 300);  // the figure may still be drawing itself
      return () => { observer.disconnect(); clearTimeout(later); };
    }
    export default { render };
    """


class Canvas:
    """A place for a figure that is drawn anew on every change, and may be clicked."""

    def __init__(self, draw: Callable[[], go.Figure | None], clicked: Callable | None = None):
        self.draw, self.clicked = draw, clicked
        self.box = widgets.VBox(layout={"width": "100%"})

    def redraw(self) -> None:
        """Draw, or say in the figure's place what went wrong."""
        before, made = self.box.children, []
        problem = rendered(lambda: self._make(made))
        self.box.children = (widgets.HTML(problem),) if problem else tuple(made)
        for old in before:
            old.close()

    def _make(self, made: list[widgets.Widget]) -> str:
        if (drawn := self.draw()) is not None:
            shown = go.FigureWidget(drawn)
            shown._config = shown._config | {"responsive": True}
            if self.clicked:
                for trace in shown.data:
                    trace.on_click(lambda trace, points, state: self._click(trace, points))
            made += [shown, Fit(layout={"width": "100%"})]
        return ""

    def _click(self, trace: object, points: object) -> None:
        if problem := rendered(lambda: self.clicked(trace, points) or ""):
            self.box.children = (*self.box.children, widgets.HTML(problem))


class Detail:
    """Shows runs that were clicked: what they are, and how the first of them was trained."""

    def __init__(self, hint: str):
        self.text, self.records = widgets.HTML(note(hint)), []
        self.canvas = Canvas(lambda: curve_of(self.records[0]) if self.records else None)
        self.box = widgets.VBox([self.text, self.canvas.box])

    def show(self, records: list[Record]) -> None:
        self.records = records
        self.text.value = rendered(lambda: run_table(records))
        self.canvas.redraw()


def metric_control() -> widgets.Dropdown:
    return widgets.Dropdown(options=METRICS, description="Metric")


def fold_control(folds: int) -> widgets.Dropdown:
    each = [(f"fold {fold}", fold) for fold in range(folds)]
    return widgets.Dropdown(options=[(MEAN, None), *each], description="Folds")


def switches(names: list[str]) -> dict[str, widgets.Checkbox]:
    return {
        name: widgets.Checkbox(True, description=name, indent=False, layout={"width": "auto"})
        for name in names
    }


def switched_on(frame: pd.DataFrame, switches: dict[str, widgets.Checkbox]) -> pd.DataFrame:
    return frame[frame["masking"].isin([name for name, one in switches.items() if one.value])]
