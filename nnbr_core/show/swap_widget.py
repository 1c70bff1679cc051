"""The swap heatmap as a widget: look at any cell, compute those that are missing.

Callbacks may run in another thread than cells do: they read finished frames, and replace them
whole. In batch the plain figures are shown.
"""

from threading import Event, Thread

import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go
from IPython.display import display

from nnbr_core.experiments import questions
from nnbr_core.experiments.config import Config
from nnbr_core.experiments.lineup import elsewhere
from nnbr_core.experiments.questions import BY_SWAP, scored
from nnbr_core.experiments.runs import run
from nnbr_core.experiments.study import Study, is_interactive
from nnbr_core.show import record_plots
from nnbr_core.show.canvas import Canvas, Detail, fold_control, metric_control
from nnbr_core.show.shell import note, rendered, row, watch
from nnbr_core.show.tables import HEADLINE

Frames = dict[str, dict[str, pd.DataFrame]]  # runs by dataset and masking


class SwapExplorer:
    """Swap heatmap: dataset, strategy, metric, fold or mean, absolute or relative to no swap.

    A click shows the cell's runs. A button computes what is missing, one recorded run after
    the other, in a thread of its own; it can be stopped between runs.
    """

    def __init__(self, studies: dict[str, Study], frames: Frames):
        self.studies, self.frames = studies, frames
        first = next(iter(studies))
        self.dataset = widgets.Dropdown(options=list(studies), description="Dataset")
        self.masking = widgets.Dropdown(options=list(frames[first]), description="Strategy")
        self.metric, self.fold = metric_control(), fold_control(studies[first].folds)
        self.relative = widgets.Checkbox(False, description="relative to no swap", indent=False)
        self.button = widgets.Button(layout={"width": "auto"})
        self.stop = widgets.Button(description="Stop after this run", disabled=True)
        self.progress = widgets.IntProgress(
            0, 0, 1, layout={"width": "10em", "visibility": "hidden"}
        )
        self.status = widgets.HTML()
        self.detail = Detail("Click a cell to see its run.")
        self.canvas = Canvas(self.figure, self.clicked)
        self.stopping, self.thread = Event(), None
        controls = [self.dataset, self.masking, self.metric, self.fold, self.relative]
        watch(controls, self.redraw)
        self.button.on_click(lambda _: self.compute())
        self.stop.on_click(lambda _: self.stopping.set())
        self.redraw()
        work = row(self.button, self.stop, self.progress, self.status)
        self.box = widgets.VBox([row(*controls), self.canvas.box, work, self.detail.box])

    @property
    def frame(self) -> pd.DataFrame:
        """The runs behind what is shown."""
        frame = self.frames[self.dataset.value][self.masking.value]
        return frame if self.fold.value is None else frame[frame["fold"] == self.fold.value]

    def figure(self) -> go.Figure:
        table = scored(self.frame, BY_SWAP, self.metric.value)
        return record_plots.swap_heatmap(table, self.metric.value, self.relative.value)

    def redraw(self) -> None:
        n_missing = len(questions.missing(self.frame))
        is_busy = self.thread is not None and self.thread.is_alive()
        self.button.description = f"Compute {n_missing} missing runs"
        self.button.disabled = is_busy or n_missing == 0
        self.canvas.redraw()

    def clicked(self, trace: go.Heatmap, points) -> None:
        if points.xs:
            frame = self.frame
            is_cell = (frame["swap_hop"].astype(str) == str(points.xs[0])) & (
                frame["swap_ratio"].astype(str) == str(points.ys[0])
            )
            self.detail.show([one for one in frame.loc[is_cell, "record"] if one is not None])

    def compute(self) -> None:
        """Start computing; returns at once."""
        self.stopping.clear()
        shown, todo = (self.dataset.value, self.masking.value), questions.missing(self.frame)
        self.thread = Thread(target=lambda: self._work(*shown, todo), daemon=True)
        self.button.disabled, self.stop.disabled = True, False
        self.thread.start()

    def _work(self, dataset: str, masking: str, todo: list[Config]) -> None:
        self.progress.value, self.progress.max = 0, len(todo)
        self.progress.layout.visibility = "visible"
        problem = rendered(lambda: self._runs(dataset, masking, todo))
        done = f"{self.progress.value} of {len(todo)} runs are computed and recorded."
        self.status.value = problem or note(done)
        self.stop.disabled, self.thread = True, None
        self.redraw()

    def _runs(self, dataset: str, masking: str, todo: list[Config]) -> str:
        for number, config in enumerate(todo, start=1):
            if self.stopping.is_set():
                break
            self.status.value = note(f"Run {number} of {len(todo)}: {config}")
            run(config)
            before = self.frames[dataset]
            fresh = questions.refreshed(self.studies[dataset], before[masking])
            self.frames = self.frames | {dataset: before | {masking: fresh}}
            self.progress.value = number
            self.redraw()
        return ""


def swap_explorer(study: Study, frames: dict[str, pd.DataFrame]) -> None:
    """Runs by masking, as `questions.swap_runs` gives them; other datasets come with the widget."""
    if not is_interactive():
        for frame in frames.values():
            table = scored(frame, BY_SWAP, HEADLINE[0])
            display(record_plots.swap_heatmap(table, HEADLINE[0]))
        return
    others = elsewhere(study)
    more = {name: {m: questions.swap_runs(one, m) for m in frames} for name, one in others.items()}
    display(SwapExplorer({study.name: study} | others, {study.name: frames} | more).box)
