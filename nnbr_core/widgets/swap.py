"""The swap heatmap as a widget: look at any cell, compute those that are missing.

Callbacks may run in another thread than cells do: they read finished frames, and replace them
whole. In batch the plain figures are shown.
"""

import ipywidgets as widgets
import pandas as pd
from IPython.display import display

from nnbr_core.analysis import grid_runs
from nnbr_core.analysis.study import Study, is_interactive
from nnbr_core.figures.tables import HEADLINE
from nnbr_core.widgets._figure import metric_control
from nnbr_core.widgets._shared import keep_choices, row, show_widget, watch
from nnbr_core.widgets._swap_panel import Frames, SwapPanel, heatmap
from nnbr_core.widgets._work import Worker

SIDE_BY_SIDE = {"display": "flex", "flex_flow": "row wrap", "width": "100%"}


class SwapExplorer:
    """One swap heatmap, or two side by side: other datasets, other strategies, the same metric.

    Buttons compute what is missing, one recorded run after the other; cells fill as runs
    finish. What was chosen is kept when the cell runs again.
    """

    def __init__(self, studies: dict[str, Study], frames: Frames):
        self.studies, self.frames = studies, frames
        self.name = f"swaps of {next(iter(studies))}"
        self.metric = metric_control()
        self.relative = widgets.Checkbox(False, description="relative to no swap", indent=False)
        self.beside = widgets.Checkbox(False, description="two side by side", indent=False)
        self.worker = Worker(self.refresh)
        self.look = (self.metric, self.relative)
        keep_choices(self.name, {one.description: one for one in (*self.look, self.beside)})
        self.panels = [self._panel("left")]
        self.area = widgets.Box(layout=SIDE_BY_SIDE)
        watch(self.look, self.redraw)
        watch([self.beside], self.arrange)
        self.arrange()
        self.box = widgets.VBox([row(*self.look, self.beside), self.area, self.worker.box])

    def _panel(self, side: str) -> SwapPanel:
        name = f"{self.name}, {side}"
        return SwapPanel(name, self.studies, self.frames, self.look, self.worker)

    def arrange(self) -> None:
        """Show one panel or both; a right one that shows the same turns to another strategy."""
        if self.beside.value and len(self.panels) == 1:
            self.panels.append(self._panel("right"))
            left, right = self.panels
            if left.shown == right.shown:
                others = (name for name in right.masking.options if name != left.masking.value)
                right.masking.value = next(others, left.masking.value)
        self.area.children = [one.box for one in self.panels[: 1 + self.beside.value]]

    def redraw(self) -> None:
        for panel in self.panels:
            panel.redraw()

    def refresh(self) -> None:
        """Look again at what is recorded, wherever something was missing."""
        self.frames = {
            dataset: {
                masking: grid_runs.refreshed(study, frame) if grid_runs.missing(frame) else frame
                for masking, frame in self.frames[dataset].items()
            }
            for dataset, study in self.studies.items()
        }
        for panel in self.panels:
            panel.update(self.frames)


def swap_explorer(study: Study, frames: dict[str, pd.DataFrame]) -> None:
    """Runs by masking, as `grid_runs.swap_runs` gives them; other datasets come with the widget."""
    if not is_interactive():
        for frame in frames.values():
            display(heatmap(study, frame, HEADLINE[0]))
        return
    studies = study.everywhere()
    found = {
        name: frames if one is study else {m: grid_runs.swap_runs(one, m) for m in frames}
        for name, one in studies.items()
    }
    show_widget(SwapExplorer(studies, found).box)
