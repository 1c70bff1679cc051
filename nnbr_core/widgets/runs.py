"""Widgets about runs: mask ratios and learning curves. Thin shells over frames and figures.

Callbacks may run in another thread than cells do: they read finished frames only. In batch the
plain figures are shown.
"""

import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go
from IPython.display import display

from nnbr_core.analysis import grid_runs
from nnbr_core.analysis.grid_runs import BY_RATIO, scored
from nnbr_core.analysis.study import is_interactive
from nnbr_core.figures import runs as figures
from nnbr_core.figures.tables import HEADLINE
from nnbr_core.runs.records import Record
from nnbr_core.widgets._figure import (
    Canvas,
    Detail,
    fold_control,
    metric_control,
    switched_on,
    switches,
)
from nnbr_core.widgets._shared import keep_choices, row, show_widget, watch


def _records(frame: pd.DataFrame, ids: list[str]) -> list[Record]:
    return [one for one in frame["record"] if one is not None and one.id in ids]


class RatioExplorer:
    """Mask ratios: strategies on or off, metric, fold or mean, intervals; a click shows the run."""

    def __init__(self, frame: pd.DataFrame):
        self.frame = frame
        self.switches = switches(list(frame["masking"].unique()))
        self.metric = metric_control()
        self.fold = fold_control(frame["fold"].unique())
        self.intervals = widgets.Checkbox(True, description="95 % intervals", indent=False)
        self.detail = Detail("Click a point to see how that run was trained.")
        self.canvas = Canvas(self.figure, self.clicked)
        controls = [*self.switches.values(), self.metric, self.fold, self.intervals]
        keep_choices("mask ratios", {control.description: control for control in controls})
        watch(controls, self.canvas.redraw)
        self.canvas.redraw()
        self.box = widgets.VBox([row(*controls), self.canvas.box, self.detail.box])

    def figure(self) -> go.Figure:
        shown = switched_on(self.frame, self.switches)
        table = scored(shown, BY_RATIO, self.metric.value, self.fold.value, intervals=True)
        if table["value"].isna().all():
            return figures.nothing("No run is recorded for this choice.")
        return figures.ratio_curves(table, self.metric.value, self.intervals.value)

    def clicked(self, trace: go.Scatter, points) -> None:
        if points.point_inds:
            ids = trace.customdata[points.point_inds[0]]
            self.detail.show(_records(self.frame, ids.split(", ")))


class CurveExplorer:
    """Learning curves: strategies overlaid, peaks marked, over epochs or seconds."""

    def __init__(self, frame: pd.DataFrame):
        self.frame = grid_runs.learning_curves(frame)
        self.switches = switches(list(frame["masking"].unique()))
        units = [("epochs", "epoch"), ("seconds", "seconds")]
        self.by = widgets.Dropdown(options=units, description="Axis")
        self.canvas = Canvas(self.figure)
        controls = [*self.switches.values(), self.by]
        keep_choices("learning curves", {control.description: control for control in controls})
        watch(controls, self.canvas.redraw)
        self.canvas.redraw()
        self.box = widgets.VBox([row(*controls), self.canvas.box])

    def figure(self) -> go.Figure:
        shown = self.frame if self.frame.empty else switched_on(self.frame, self.switches)
        return figures.learning_curves(shown, self.by.value)


def mask_ratio_explorer(frame: pd.DataFrame) -> None:
    if is_interactive():
        show_widget(RatioExplorer(frame).box)
    else:
        table = scored(frame, BY_RATIO, HEADLINE[0], intervals=True)
        display(figures.ratio_curves(table, HEADLINE[0]))


def learning_curve_explorer(frame: pd.DataFrame) -> None:
    if is_interactive():
        show_widget(CurveExplorer(frame).box)
    else:
        display(figures.learning_curves(grid_runs.learning_curves(frame)))
