"""Progress of many runs: a bar for somebody who watches, lines for a log."""

import os
import sys
import time

from tqdm.auto import tqdm

from nnbr_core.runs.cost import duration

WORTH_A_LINE = 5.0  # seconds between two lines of a log, so that quick runs do not fill it


def is_interactive() -> bool:
    """Is somebody there to click? Jupyter's server names the session; papermill does not."""
    return "JPY_SESSION_NAME" in os.environ or "VSCODE_PID" in os.environ


def is_watched() -> bool:
    """Can a line be drawn over? In a notebook that somebody looks at, or in a terminal."""
    return is_interactive() or sys.stderr.isatty()


class Progress:
    """Counts finished runs: `with Progress(20) as bar: ... bar.done()`."""

    def __init__(self, n_runs: int, is_shown: bool = True) -> None:
        self.n_runs, self.n_done, self.n_failed = n_runs, 0, 0
        self.is_logged = is_shown and not is_watched()
        is_drawn = is_shown and is_watched()
        leave = not is_interactive()
        bar = {"desc": "runs", "unit": "run", "leave": leave, "disable": not is_drawn}
        self.bar = tqdm(total=n_runs, **bar)
        self.started = self.last_line = time.monotonic()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.close()

    def done(self, has_failed: bool = False) -> None:
        """One more run is finished."""
        self.n_done, self.n_failed = self.n_done + 1, self.n_failed + has_failed
        self.bar.set_postfix_str(f"{self.n_failed} failed", refresh=False)
        self.bar.update()
        now = time.monotonic()
        if self.is_logged and now - self.last_line >= WORTH_A_LINE:
            self.last_line = now
            print(self.line(now - self.started), flush=True)

    def line(self, seconds: float) -> str:
        """What a log says after so many seconds."""
        failed = f", {self.n_failed} failed" if self.n_failed else ""
        left = seconds / self.n_done * (self.n_runs - self.n_done)
        rest = f"about {duration(left)} left" if self.n_done < self.n_runs else "all done"
        return f"{self.n_done} of {self.n_runs} runs{failed}, {rest}"
