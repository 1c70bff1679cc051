"""How long runs will take here, judged by how long recorded ones took.

Recorded on another machine or under another load, a run may well take twice as long: the
estimate is there to tell seconds from hours before anything starts.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from nnbr_core import paths
from nnbr_core.data.folds import N_FOLDS
from nnbr_core.runs import records
from nnbr_core.runs.config import Config
from nnbr_core.runs.records import Record

UNKNOWN = 60.0  # seconds of a run whose model has no record at all,
UNKNOWN_QUICK = 5.0  # and of a preview's
NOT_BY_ITSELF = 600.0  # seconds: what takes longer has to be asked for
MINUTE, HOUR = 60, 3600


def cores() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def duration(seconds: float) -> str:
    """In words as exact as an estimate can be: `40 s`, `22 min`, `3.5 h`.

    >>> duration(0.2), duration(1340), duration(12_600)
    ('1 s', '22 min', '3.5 h')
    """
    if seconds < 1.5 * MINUTE:
        return f"{max(1, round(seconds))} s"
    if seconds < 1.5 * HOUR:
        return f"{round(seconds / MINUTE)} min"
    return f"{seconds / HOUR:.1f} h"


@dataclass(frozen=True)
class Cost:
    """What it takes to compute some runs."""

    n_runs: int
    seconds: float  # until the last one is done
    n_cores: int

    @property
    def is_small(self) -> bool:
        """May it be spent without being asked for?"""
        return self.seconds <= NOT_BY_ITSELF

    def __str__(self) -> str:
        if self.n_runs == 0:
            return "No runs missing"
        runs = "1 run" if self.n_runs == 1 else f"{self.n_runs} runs"
        on = "1 core" if self.n_cores == 1 else f"{self.n_cores} cores"
        return f"{runs} missing, about {duration(self.seconds)} on {on}"


def _recorded() -> dict[str, list[Record]]:
    """Every record by model, of any dataset and profile; each file is read once."""
    found: dict[str, list[Record]] = {}
    for path in sorted(paths.runs().rglob("*.json")):
        if record := records.find(path):
            found.setdefault(record.config["model"], []).append(record)
    return found


def _closest(config: Config, fingerprint: str, found: list[Record]) -> list[Record]:
    """Those on the same data, if there are any, that share the most settings with a run."""
    found = [record for record in found if record.data == fingerprint] or found
    wanted = asdict(config.settings).items()
    shared = [sum(one.config["settings"].get(k) == v for k, v in wanted) for one in found]
    return [one for one, n in zip(found, shared, strict=True) if n == max(shared)]


def _n_epochs(config: Config, found: list[Record]) -> float:
    """As many as such trainings had before they stopped; all of them if nothing stops one."""
    settings = asdict(config.settings)
    usual = median(len(record.curve) for record in found)
    most = settings.get("epochs", usual)
    is_stopped = settings.get("patience", most) < most
    return max(1.0, min(usual, most) if is_stopped else most)


def _n_users(record: Record) -> int:
    """Of the data behind a record, of which a fifth is tested."""
    return N_FOLDS * (record.users_scored + record.users_left_out)


def _seconds(config: Config, fingerprint: str, n_users: int, recorded: list[Record]) -> float:
    if not recorded:
        return UNKNOWN_QUICK if config.profile == "quick" else UNKNOWN
    found = _closest(config, fingerprint, recorded)
    per_epoch = []
    for one in found:
        scale = 1.0 if one.data == fingerprint else n_users / _n_users(one)
        per_epoch.append(scale * one.seconds / max(1, len(one.curve)))
    return median(per_epoch) * _n_epochs(config, found)


def run_seconds(configs: Iterable[Config], fingerprint: str, n_users: int) -> list[float]:
    """Seconds of each run: as recorded for its model on this data, or scaled from other data."""
    known = _recorded()
    return [_seconds(one, fingerprint, n_users, known.get(one.model, [])) for one in configs]


def together(seconds: Sequence[float], n_cores: int | None = None) -> Cost:
    """What runs of so many seconds cost: one core each, side by side."""
    n_cores = max(1, min(n_cores or cores(), len(seconds)))
    longest = max(seconds, default=0.0)
    return Cost(len(seconds), max(longest, sum(seconds) / n_cores), n_cores)


def estimate(
    configs: Sequence[Config], fingerprint: str, n_users: int, n_cores: int | None = None
) -> Cost:
    """What these runs cost on data of this fingerprint and size; all cores if none are given."""
    return together(run_seconds(configs, fingerprint, n_users), n_cores)
