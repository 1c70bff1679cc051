"""Before a run: how many users would it take to see an effect of this size?"""

import os
from dataclasses import dataclass

import numpy as np

from nnbr_core.analysis.comparisons import compare_rows
from nnbr_core.analysis.methods import every_row
from nnbr_core.analysis.study import Study
from nnbr_core.errors import InputError, choose
from nnbr_core.significance import users_to_decide


@dataclass(frozen=True)
class Power:
    """What it takes to tell two methods apart."""

    label: str
    effect: float  # in the metric's own units
    spread: float  # standard deviation of the users' differences, from recorded runs
    users: int  # test users with something novel to find
    folds: int  # of this dataset, if a fold went on testing as many users
    available: int  # users that all folds of this dataset have
    minutes: float  # of computing on this machine for these folds

    def __str__(self) -> str:
        enough = "enough" if self.users <= self.available else "not enough"
        return (
            f"{self.label}: users' differences spread by {self.spread:.3f}; {self.users:,} users "
            f"would tell an effect of {self.effect:.4f} from none: {self.folds} folds, about "
            f"{self.minutes:.0f} min here. There are {self.available:,}: {enough}."
        )


def power(study: Study, a: str, b: str, percent: float, metric: str = "recall@10") -> Power:
    """For two recorded methods and an effect in percent of the second one's score."""
    if not 0 < percent <= 100:
        raise InputError(f"effect = {percent}: above 0, at most 100 percent of the reference")
    known = every_row()
    rows = [study.row(known[choose("method", name, known)]) for name in (a, b)]
    found = compare_rows(*rows, metric)
    if found.is_missing or not found.spread > 0:
        raise InputError(f"{a} and {b} are not both recorded on {study.name}, or do not differ")
    effect = percent / 100 * found.reference
    users = users_to_decide(found.spread, effect)
    per_fold = [int(record.per_user()[metric].notna().sum()) for record in rows[1].records]
    folds = int(np.ceil(users / np.mean(per_fold)))
    seconds = sum(np.mean([record.seconds for record in row.records]) for row in rows)
    minutes = folds * seconds / 60 / (os.cpu_count() or 1)
    is_complete = found.folds == study.facts.n_folds
    available = found.n if is_complete else round(np.mean(per_fold) * study.facts.n_folds)
    return Power(found.label, effect, found.spread, users, folds, available, minutes)
