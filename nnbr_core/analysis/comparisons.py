"""One comparison: how much better one thing is than another, for the same users or folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from nnbr_core.analysis.paper import printed_effect
from nnbr_core.analysis.rows import CHOICE, Row, ids_of, per_user
from nnbr_core.runs.records import Record
from nnbr_core.significance import (
    CONFIDENCE,
    MARGIN,
    NOISE,
    SMALLEST,
    PairedTest,
    holm,
    paired_test,
)

NAN = float("nan")
HIGHER, LOWER, LEVEL, UNSETTLED, NO_RUN = "higher", "lower", "level", "cannot be told", "not run"

Pair = tuple[Row, Row]


@dataclass(frozen=True)
class Comparison:
    """The first thing minus the second. Without folds: something is not recorded."""

    label: str
    metric: str = CHOICE  # or another unit: epochs, items
    difference: float = NAN
    low: float = NAN  # 95 % interval
    high: float = NAN
    p: float = NAN  # paired t-test
    p_wilcoxon: float = NAN  # the same question without assuming a distribution
    p_holm: float = NAN  # corrected for its family, all that was compared along with it
    family: int = 0  # how many were
    reference: float = NAN  # the mean of the second, which the difference is relative to
    printed: float = NAN  # the paper's difference, at the size of our reference
    spread: float = NAN  # standard deviation of the users' differences
    n: int = 0  # users, or folds where a run gives a single number
    folds: int = 0
    ids: tuple[str, ...] = ()

    @property
    def is_missing(self) -> bool:
        return self.folds == 0

    @property
    def is_up(self) -> bool:
        return self.p_holm < NOISE and self.difference > 0

    @property
    def is_down(self) -> bool:
        return self.p_holm < NOISE and self.difference < 0

    @property
    def is_level(self) -> bool:
        """Is the whole interval within the margin?"""
        return max(abs(self.low), abs(self.high)) <= MARGIN * self.reference

    @property
    def relative(self) -> float:
        return self.difference / self.reference

    @property
    def effect(self) -> float:
        """What it is judged against: the printed effect, or the smallest one of interest."""
        return self.printed if self.printed > 0 else SMALLEST * self.reference

    @property
    def result(self) -> str:
        """In a word; "level" means: too small to matter, whatever the test says of zero."""
        if self.is_missing:
            return NO_RUN
        if self.is_up or self.is_down:
            return HIGHER if self.is_up else LOWER
        return LEVEL if self.is_level else UNSETTLED

    def reversed(self) -> "Comparison":
        """The second thing minus the first, as a claim may say it."""
        return replace(
            self,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
            printed=-self.printed,
        )


def _tested(label: str, found: PairedTest, **more) -> Comparison:
    return Comparison(
        label,
        difference=found.difference,
        low=found.low,
        high=found.high,
        p=found.p,
        p_wilcoxon=found.p_wilcoxon,
        p_holm=found.p,
        family=1,
        spread=found.spread,
        n=found.n_users,
        **more,
    )


def compare_rows(a: Row, b: Row, metric: str = CHOICE) -> Comparison:
    """How much better `a` is than `b`, for the users of the folds that both are recorded for."""
    label = f"{a.name} over {b.name}"
    folds = min(a.folds, b.folds)
    if folds == 0:
        return Comparison(label, metric)
    a, b = a.first(folds), b.first(folds)
    values, below = a.values(metric).to_numpy(), b.values(metric).to_numpy()
    reference, dataset = float(np.nanmean(below)), a.records[0].dataset
    return _tested(
        label,
        paired_test(values, below),
        metric=metric,
        reference=reference,
        printed=printed_effect(a.method, b.method, dataset, metric, reference),
        folds=folds,
        ids=ids_of(a.records, b.records),
    )


def _pooled(folds: list[list[Record]]) -> pd.Series:
    """One value per user: the mean over a fold's records, then over folds."""
    means = [pd.concat([per_user([r], CHOICE) for r in one], axis=1).mean(axis=1) for one in folds]
    return pd.concat(means).groupby(level=0).mean()


def compare_groups(label: str, a: list[list[Record]], b: list[list[Record]]) -> Comparison:
    """The mean of some runs over that of others: per fold two lists, folds lacking one left out."""
    both = [(x, y) for x, y in zip(a, b, strict=True) if x and y]
    if not both:
        return Comparison(label)
    left, right = (_pooled([pair[side] for pair in both]) for side in (0, 1))
    return _tested(
        label,
        paired_test(left.to_numpy(), right.to_numpy()),
        reference=float(right.mean()),
        folds=len(both),
        ids=ids_of(*(group for pair in both for group in pair)),
    )


def compare_folds(
    label: str, a: Sequence[float], b: Sequence[float], unit: str, ids: Sequence[str] = ()
) -> Comparison:
    """One number per fold instead of one per user: a paired t-test over at least two folds."""
    differences = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    if len(differences) < 2 or np.isnan(differences).any():
        return Comparison(label, unit)
    mean, n = float(differences.mean()), len(differences)
    if np.ptp(differences) == 0:
        low, high, p = mean, mean, float(mean == 0)
    else:
        low, high = stats.t.interval(CONFIDENCE, n - 1, mean, stats.sem(differences))
        p = float(stats.ttest_1samp(differences, 0).pvalue)
    return Comparison(
        label,
        unit,
        mean,
        float(low),
        float(high),
        p,
        p_holm=p,
        family=1,
        reference=float(np.mean(b)),
        spread=float(np.std(differences, ddof=1)),
        n=n,
        folds=n,
        ids=tuple(ids),
    )


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same as one family: p-values corrected for having made all of them."""
    present = [one for one in comparisons if not one.is_missing]
    p_of = iter(holm([one.p for one in present]))
    return [
        one if one.is_missing else replace(one, p_holm=float(next(p_of)), family=len(present))
        for one in comparisons
    ]


def compare_all(
    tables: Mapping[str, Sequence[Pair]], metric: str = CHOICE
) -> dict[str, list[Comparison]]:
    """All comparisons of a page, table by table, as one family.

    A pair that stands in two tables is compared once, and has the same p-value in both.
    """
    found = {}
    for a, b in (pair for pairs in tables.values() for pair in pairs):
        found.setdefault((a.name, b.name), (a, b))
    fixed = corrected([compare_rows(a, b, metric) for a, b in found.values()])
    by_name = dict(zip(found, fixed, strict=True))
    return {name: [by_name[a.name, b.name] for a, b in pairs] for name, pairs in tables.items()}
