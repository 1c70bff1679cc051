"""Runs that are computed while a widget stays usable: one after the other, with a way to stop."""

from collections import Counter
from collections.abc import Callable, Sequence
from threading import Event, Thread

import ipywidgets as widgets
import numpy as np

from nnbr_core.analysis.study import Study
from nnbr_core.runs import records
from nnbr_core.runs.config import Config
from nnbr_core.runs.run import folder_for
from nnbr_core.widgets._shared import note, rendered, row

MINUTE = 60  # seconds


def estimate(configs: Sequence[Config]) -> float:
    """Seconds that these runs take together, as recorded ones of their kind did; NaN: unknown."""
    kinds = Counter((folder_for(config), config.model) for config in configs)
    total = 0.0
    for (folder, model), n_runs in kinds.items():
        found = map(records.find, folder.glob("*.json"))
        same = [one.seconds for one in found if one and one.config["model"] == model]
        total += n_runs * float(np.mean(same)) if same else float("nan")
    return total


def about(study: Study, configs: Sequence[Config]) -> str:
    """How long these runs take, for a button: "about 40 s"."""
    seconds = estimate(configs)
    if np.isnan(seconds):
        return "time not known yet"
    if seconds < 2 * MINUTE:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / MINUTE)} min"


class Worker:
    """Computes runs in a thread of its own, one list of them at a time.

    `changed` is called after every run, and when the last one is done.
    """

    def __init__(self, changed: Callable[[], None]):
        self.changed = changed
        self.stop = widgets.Button(description="Stop after this run", disabled=True)
        self.progress = widgets.IntProgress(
            0, 0, 1, layout={"width": "10em", "visibility": "hidden"}
        )
        self.status = widgets.HTML()
        self.stopping, self.thread = Event(), None
        self.stop.on_click(lambda _: self.stopping.set())
        self.box = row(self.stop, self.progress, self.status)

    @property
    def is_busy(self) -> bool:
        return self.thread is not None

    def start(self, study: Study, configs: Sequence[Config]) -> None:
        """Returns at once; what is asked for while others compute is left alone."""
        if self.is_busy or not configs:
            return
        self.stopping.clear()
        self.thread = Thread(target=lambda: self._work(study, configs), daemon=True)
        self.stop.disabled = False
        self.thread.start()
        self.changed()

    def _work(self, study: Study, configs: Sequence[Config]) -> None:
        self.progress.value, self.progress.max = 0, len(configs)
        self.progress.layout.visibility = "visible"
        problem = rendered(lambda: self._runs(study, configs))
        done = f"{self.progress.value} of {len(configs)} runs are computed and recorded."
        self.status.value = problem or note(done)
        self.stop.disabled, self.thread = True, None
        self.changed()

    def _runs(self, study: Study, configs: Sequence[Config]) -> str:
        for number, config in enumerate(configs, start=1):
            if self.stopping.is_set():
                break
            self.status.value = note(f"Run {number} of {len(configs)}: {config}")
            study.compute([config])
            self.progress.value = number
            self.changed()
        return ""
