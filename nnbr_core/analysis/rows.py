"""A row of a table: a method's records, one per fold, and the numbers they give."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from nnbr_core.analysis.methods import Method
from nnbr_core.runs.records import Record
from nnbr_core.significance import LEARNED, interval

CHOICE = "recall@10"  # of validation users: what settings are chosen by


@dataclass(frozen=True)
class Row:
    """A method's results: one record per fold, chosen on that fold's validation users."""

    method: Method
    records: tuple[Record, ...] = ()  # folds 0, 1, ... as far as they are recorded
    n_settings: int = 0  # how many were compared, the same ones in every fold
    n_missing: int = 0  # runs of the method's grid that are not recorded

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def folds(self) -> int:
        return len(self.records)

    @property
    def ids(self) -> tuple[str, ...]:
        return ids_of(self.records)

    def first(self, folds: int) -> "Row":
        """The same row over its first folds."""
        return replace(self, records=self.records[:folds])

    def values(self, metric: str) -> pd.Series:
        """One value per test user."""
        return per_user(self.records, metric)

    def mean(self, metric: str) -> float:
        return fold_mean(self.records, metric)

    def interval(self, metric: str) -> tuple[float, float]:
        return fold_interval(self.records, metric)

    @property
    def validation(self) -> float:
        """What validation users say: the mean over folds."""
        return float(np.mean([record.validation[CHOICE] for record in self.records]))


def n_leading(records: Sequence[Record | None]) -> int:
    """How many of the first folds are recorded."""
    return next((i for i, record in enumerate(records) if record is None), len(records))


def ids_of(*groups: Iterable[Record]) -> tuple[str, ...]:
    """Ids of all of these records, each once, in order."""
    return tuple(dict.fromkeys(record.id for group in groups for record in group))


def _once(records: Sequence[Record], what: str, compute: Callable[[], Any]) -> Any:
    """Compute something about these records once: every table of a page asks again."""
    known = records[0].__dict__.setdefault("_computed", {})
    key = (what, *(record.id for record in records))
    if key not in known:
        known[key] = compute()
    return known[key]


def per_user(records: Sequence[Record], metric: str) -> pd.Series:
    """One value per user, averaged over the folds that tested them (index: row in the dataset)."""

    def averaged() -> pd.Series:
        values = pd.concat([record.per_user()[metric] for record in records])
        return values.groupby(level=0).mean()

    return _once(records, metric, averaged)


def fold_mean(records: Sequence[Record], metric: str) -> float:
    """The mean over folds of test users' means, which is what the paper prints.

    TaFeng's splits share test users: averaging those first, as tests do, gives another mean.
    """
    return float(np.mean([record.per_user()[metric].mean() for record in records]))


def fold_interval(records: Sequence[Record], metric: str) -> tuple[float, float]:
    """A 95 % interval around `fold_mean`, as wide as users make it who count once each."""

    def shifted() -> tuple[float, float]:
        values = per_user(records, metric).to_numpy()
        shift = fold_mean(records, metric) - float(np.nanmean(values))
        low, high = interval(values)
        return low + shift, high + shift

    return _once(records, f"interval of {metric}", shifted)


def over_same_users(rows: dict[str, Row]) -> list[dict[str, Row]]:
    """Groups of rows that can be ranked together: all of a group are about the same users.

    First what is recorded on the most folds. What has fewer comes in a group of its own, beside
    all the others cut to these folds. Rows without a record are left out.
    """
    there = {name: row for name, row in rows.items() if row.folds}
    return [
        {name: row.first(folds) for name, row in there.items() if row.folds >= folds}
        for folds in sorted({row.folds for row in there.values()}, reverse=True)
    ]


def ranked(rows: dict[str, Row], metric: str) -> list[str]:
    """Names from best to worst. The rows are about the same users (see `over_same_users`)."""
    means = {name: row.mean(metric) for name, row in rows.items()}
    return sorted(means, key=means.get, reverse=True)


def best_by_validation(rows: Iterable[Row], name: str) -> Row:
    """The row with the best validation score over the folds that all recorded rows have.

    Test users never choose. If nothing is recorded: a row called `name` without records.
    """
    there = [row for row in rows if row.folds]
    folds = min((row.folds for row in there), default=0)
    nothing = Row(Method(name, "popularity"))
    return max(there, key=lambda row: row.first(folds).validation, default=nothing)


def has_learned(row: Row, popularity: Row) -> bool:
    """Did a training get anywhere? One far below popularity in fold 0 was stopped too early."""
    if not (row.folds and popularity.folds):
        return True
    value, floor = (one.records[0].validation[CHOICE] for one in (row, popularity))
    return value >= LEARNED * floor
