"""What claims rest on: methods of one study, compared for the same users or the same folds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import stats

from nnbr_core.experiments.methods import Method, all_methods, baselines
from nnbr_core.experiments.questions import best_by_validation
from nnbr_core.experiments.records import Record
from nnbr_core.experiments.study import CHOICE, Row, Study, paired, per_user
from nnbr_core.significance import CONFIDENCE, NOISE, Comparison, compare, holm

MARGIN = 0.05  # of the reference: a smaller difference makes no difference
LEARNED = 0.5  # of popularity's validation recall@10: what any training should reach
NAN = float("nan")


@dataclass(frozen=True)
class Check:
    """One comparison; a positive difference goes the way of the claim. No folds: not recorded."""

    label: str
    difference: float = NAN
    low: float = NAN  # 95 % interval
    high: float = NAN
    p: float = NAN  # corrected once `corrected` has seen it
    reference: float = NAN  # the mean that the difference is relative to
    unit: str = CHOICE
    n: int = 0  # users, or folds where a run gives a single number
    folds: int = 0
    ids: tuple[str, ...] = ()

    @property
    def is_missing(self) -> bool:
        return self.folds == 0

    @property
    def is_up(self) -> bool:
        return self.p < NOISE and self.difference > 0

    @property
    def is_down(self) -> bool:
        return self.p < NOISE and self.difference < 0

    @property
    def is_level(self) -> bool:
        """Is the whole interval within the margin?"""
        return max(abs(self.low), abs(self.high)) <= MARGIN * self.reference

    @property
    def relative(self) -> float:
        return self.difference / self.reference


def corrected(checks: Sequence[Check]) -> list[Check]:
    """The same checks with p-values corrected for having made all of them."""
    present = [check for check in checks if not check.is_missing]
    p_of = iter(holm([check.p for check in present]))
    return [check if check.is_missing else replace(check, p=float(next(p_of))) for check in checks]


def ids_of(*groups: Sequence[Record]) -> tuple[str, ...]:
    """Ids of all of these records, each once, in order."""
    return tuple(dict.fromkeys(record.id for group in groups for record in group))


def _check(label: str, found: Comparison, **more) -> Check:
    return Check(label, found.difference, found.low, found.high, found.p, n=found.n_users, **more)


def check_rows(a: Row, b: Row, metric: str = CHOICE, label: str = "") -> Check:
    """How much better `a` is than `b`, for the users of the folds that both are recorded for."""
    label = label or f"{a.method.name} over {b.method.name}"
    folds = min(a.folds, b.folds)
    if folds == 0:
        return Check(label, unit=metric)
    values = paired(a, b, metric)
    return _check(
        label,
        compare(*values),
        reference=float(np.nanmean(values[1])),
        unit=metric,
        folds=folds,
        ids=ids_of(a.records[:folds], b.records[:folds]),
    )


def _pooled(folds: list[list[Record]]) -> pd.Series:
    """One value per user: the mean over a fold's records, then over folds."""
    means = [pd.concat([per_user([r], CHOICE) for r in one], axis=1).mean(axis=1) for one in folds]
    return pd.concat(means).groupby(level=0).mean()


def check_groups(label: str, a: list[list[Record]], b: list[list[Record]]) -> Check:
    """The mean of some runs over that of others: per fold two lists, folds lacking one left out."""
    both = [(x, y) for x, y in zip(a, b, strict=True) if x and y]
    if not both:
        return Check(label)
    left, right = (_pooled([pair[side] for pair in both]) for side in (0, 1))
    return _check(
        label,
        compare(left.to_numpy(), right.to_numpy()),
        reference=float(right.mean()),
        folds=len(both),
        ids=ids_of(*(group for pair in both for group in pair)),
    )


def check_folds(label: str, a: Sequence[float], b: Sequence[float], unit: str, ids=()) -> Check:
    """One number per fold instead of one per user: a paired t-test over at least two folds."""
    differences = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    if len(differences) < 2 or np.isnan(differences).any():
        return Check(label, unit=unit)
    mean, n = float(differences.mean()), len(differences)
    if np.ptp(differences) == 0:
        low, high, p = mean, mean, float(mean == 0)
    else:
        low, high = stats.t.interval(CONFIDENCE, n - 1, mean, stats.sem(differences))
        p = float(stats.ttest_1samp(differences, 0).pvalue)
    return Check(label, mean, float(low), float(high), p, float(np.mean(b)), unit, n, n, tuple(ids))


def has_learned(row: Row, popularity: Row) -> bool:
    """Did a training get anywhere? One far below popularity in fold 0 was stopped too early."""
    if not (row.folds and popularity.folds):
        return True
    value, floor = (one.records[0].validation[CHOICE] for one in (row, popularity))
    return value >= LEARNED * floor


class Evidence:
    """The rows of a study, each looked up once. A training that never learned is no evidence."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.methods = all_methods(study.profile)
        self._rows: dict[str, Row] = {}

    def row(self, name: str) -> Row:
        if name not in self._rows:
            row = self.study.row(self.methods[name])
            if name != "popularity" and not has_learned(row, self.row("popularity")):
                row = Row(row.method, (), 0, row.n_missing)
            self._rows[name] = row
        return self._rows[name]

    def best(self, what: str, names: Sequence[str], most_folds: bool = False) -> Row:
        """The best of these by validation users, over the folds that all of them share.

        `what` names the row where none is recorded. What is not recorded does not take part;
        with `most_folds`, nor does what is recorded for fewer folds than others. Test users
        never choose.
        """
        rows = {name: self.row(name) for name in names}
        if most_folds:
            most = max(row.folds for row in rows.values())
            rows = {name: row for name, row in rows.items() if row.folds == most}
        nothing = Row(Method(f"the best {what}", "btbr"), (), 0, 0)
        return best_by_validation(rows) or nothing

    @cached_property
    def best_baseline(self) -> Row:
        """Of the paper's six, on either labels."""
        return self.best("baseline", list(baselines()))

    @cached_property
    def absent_baselines(self) -> list[Check]:
        """One missing check for each of the six without a record: the best is not known yet."""
        folds = {method.model: 0 for method in baselines().values()}
        for name, method in baselines().items():
            folds[method.model] += self.row(name).folds
        return [Check(f"{model} has no run") for model, n in folds.items() if n == 0]

    def by_fold(self, runs: pd.DataFrame) -> list[list[Record]]:
        """The records of some of these runs, one list per fold."""
        folds = range(self.study.folds)
        return [runs.loc[runs["fold"] == fold, "record"].tolist() for fold in folds]
