"""One swap heatmap with its controls: what is shown, and what can be computed."""

from collections.abc import Sequence

import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go

from nnbr_core.analysis import grid_runs
from nnbr_core.analysis.grid_runs import BY_SWAP, scored
from nnbr_core.analysis.study import Study
from nnbr_core.analysis.swap_tests import NO_SWAP, Cell, against_no_swap
from nnbr_core.figures import runs as figures
from nnbr_core.runs.config import Config
from nnbr_core.widgets._figure import Canvas, Detail, fold_control, fold_options
from nnbr_core.widgets._shared import keep_choices, row, watch
from nnbr_core.widgets._work import Worker, about

Frames = dict[str, dict[str, pd.DataFrame]]  # runs by dataset and masking
NONE = ()  # no cell is chosen; None would be shown as an empty menu
LEAST_WIDTH = "24em"  # of a panel; narrower windows put the second below the first


def heatmap(study: Study, frame: pd.DataFrame, metric: str, relative: bool = False) -> go.Figure:
    """Swap runs as a figure; a preview judges no cell."""
    compared = {} if study.is_preview else against_no_swap(frame, metric)
    return figures.swap_heatmap(scored(frame, BY_SWAP, metric), metric, relative, compared)


def cell_options(frame: pd.DataFrame) -> list[tuple[str, Cell | tuple[()]]]:
    """Every cell by name, for those who do not click."""
    cells = frame[BY_SWAP[1:]].drop_duplicates().itertuples(index=False, name=None)
    named = [(f"ratio {r}, hop {h}" if r else NO_SWAP, (float(r), int(h))) for r, h in cells]
    return [("none", NONE), *named]


class SwapPanel:
    """A dataset, a strategy, a fold and a cell to look at.

    The metric and the scale belong to the explorer, which may show two panels.
    """

    def __init__(
        self,
        name: str,
        studies: dict[str, Study],
        frames: Frames,
        look: tuple[widgets.Dropdown, widgets.Checkbox],
        worker: Worker,
    ):
        self.studies, self.frames, self.worker = studies, frames, worker
        self.metric, self.relative = look
        first = next(iter(studies))
        self.dataset = widgets.Dropdown(options=list(studies), description="Dataset")
        self.masking = widgets.Dropdown(options=list(frames[first]), description="Strategy")
        self.fold = fold_control(self.every_fold["fold"].unique())
        self.cell = widgets.Dropdown(options=cell_options(self.every_fold), description="Cell")
        self.all, self.one = (widgets.Button(layout={"width": "auto"}) for _ in range(2))
        self.detail = Detail("Click a cell, or choose one above, to see its run.")
        self.canvas = Canvas(self.figure, self.clicked)
        watch([self.dataset, self.masking], self.turn)
        watch([self.fold], self.redraw)
        watch([self.cell], self.show_cell)
        self.all.on_click(lambda _: worker.start(self.study, grid_runs.missing(self.frame)))
        self.one.on_click(lambda _: worker.start(self.study, self.missing_cell()))
        chosen = [self.dataset, self.masking, self.fold, self.cell]
        keep_choices(name, {control.description: control for control in chosen})
        work = row(self.all, self.one)
        layout = {"flex": f"1 1 {LEAST_WIDTH}", "min_width": "0", "overflow": "hidden"}
        parts = [row(*chosen), self.canvas.box, work, self.detail.box]
        self.box = widgets.VBox(parts, layout=layout)
        self.redraw()
        self.show_cell()

    @property
    def study(self) -> Study:
        return self.studies[self.dataset.value]

    @property
    def shown(self) -> tuple[str, str]:
        return self.dataset.value, self.masking.value

    @property
    def every_fold(self) -> pd.DataFrame:
        dataset, masking = self.shown
        return self.frames[dataset][masking]

    @property
    def frame(self) -> pd.DataFrame:
        """The runs behind what is shown."""
        frame, fold = self.every_fold, self.fold.value
        return frame if fold is None else frame[frame["fold"] == fold]

    def figure(self) -> go.Figure:
        return heatmap(self.study, self.frame, self.metric.value, self.relative.value)

    def turn(self) -> None:
        """To another dataset or strategy: it has folds and cells of its own, none chosen."""
        self.fold.options = fold_options(self.every_fold["fold"].unique())
        self.cell.options = cell_options(self.every_fold)
        self.cell.value = NONE
        self.redraw()

    def redraw(self) -> None:
        todo = grid_runs.missing(self.frame)
        self.all.description = f"Compute all {len(todo)} missing, {about(self.study, todo)}"
        if not todo:
            self.all.description = "Nothing is missing"
        self.all.disabled = self.worker.is_busy or not todo
        self.canvas.redraw()
        self._offer_cell()

    def _offer_cell(self) -> None:
        """The button of the chosen cell, if that is missing."""
        todo = self.missing_cell()
        self.one.description = f"Compute this cell, {about(self.study, todo)}"
        self.one.disabled = self.worker.is_busy
        self.one.layout.display = "" if todo else "none"

    def _runs(self) -> pd.DataFrame:
        """The runs of the chosen cell."""
        frame = self.frame
        ratio, hop = self.cell.value or (None, None)
        return frame[(frame["swap_ratio"] == ratio) & (frame["swap_hop"] == hop)]

    def missing_cell(self) -> Sequence[Config]:
        return grid_runs.missing(self._runs())

    def show_cell(self) -> None:
        if self.cell.value == NONE:
            self.detail.clear()
        else:
            self.detail.show([one for one in self._runs()["record"] if one is not None])
        self._offer_cell()

    def clicked(self, trace: go.Heatmap, points) -> None:
        if points.xs:
            self.cell.value = (float(points.ys[0]), int(points.xs[0]))

    def update(self, frames: Frames) -> None:
        """Show what has been computed since."""
        self.frames = frames
        self.redraw()
        if self.cell.value != NONE and len(self.detail.records) < len(self._runs()):
            self.show_cell()
