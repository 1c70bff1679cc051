"""What is compared to decide a claim: each class is one kind of comparison, written as data.

Every difference is written so that a positive one goes the way of the claim.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from nnbr_core.analysis import grid_runs, methods, paper
from nnbr_core.analysis.comparisons import (
    Comparison,
    compare_folds,
    compare_groups,
    compare_rows,
)
from nnbr_core.analysis.methods import ITEM_LEVEL, Method
from nnbr_core.analysis.rows import CHOICE, Row, best_by_validation, has_learned
from nnbr_core.analysis.study import Study
from nnbr_core.runs.records import Record

DESCRIBED = ("items", "users", "avg_basket_size", "avg_baskets_per_user", "repeat_ratio")


@dataclass(frozen=True)
class Best:
    """The one of several methods that validation users prefer."""

    what: str
    names: tuple[str, ...]


Side = str | Best  # of a comparison


class MethodRows:
    """All rows of a study, each looked up once. A training that never learned is no evidence."""

    def __init__(self, study: Study) -> None:
        self.study = study

    @cached_property
    def swaps(self) -> dict[str, Method]:
        """Looked up only if a claim is about them: their mask ratio depends on other runs."""
        return grid_runs.swap_methods(self.study)

    def method(self, name: str) -> Method:
        return methods.every_row().get(name) or self.swaps[name]

    def row(self, name: str) -> Row:
        row = self.study.row(self.method(name))
        if name != "popularity" and not has_learned(row, self.row("popularity")):
            return Row(row.method, n_missing=row.n_missing)
        return row

    def side(self, side: Side) -> Row:
        """One side of a comparison. What the paper prints for "the best" is its own best's.

        What is run on the first fold only (swaps) takes part where nothing else has more folds.
        """
        if isinstance(side, str):
            return self.row(side)
        rows = [self.row(name) for name in side.names]
        most = max(row.folds for row in rows)
        rows = [row for row in rows if not row.method.folds or row.folds == most]
        best = best_by_validation(rows, f"the best {side.what}")
        theirs = paper.best_printed([self.method(name) for name in side.names], self.study.name)
        if theirs is None:
            return best
        named = replace(best.method, paper=theirs.paper, labels=theirs.labels)
        return replace(best, method=named)

    def absent(self, side: Side) -> list[Comparison]:
        """One missing comparison for each model of a side without any record."""
        if isinstance(side, str):
            return []
        folds: dict[str, int] = {}
        for name in side.names:
            model = self.method(name).model
            key = name if model == "btbr" else model
            folds[key] = folds.get(key, 0) + self.row(name).folds
        return [Comparison(f"{name} has no run") for name, n in folds.items() if n == 0]


@dataclass(frozen=True)
class Over:
    """The first of each pair over the second, in every one of the metrics."""

    pairs: tuple[tuple[Side, Side], ...]
    metrics: tuple[str, ...] = (CHOICE,)

    def __call__(self, rows: MethodRows) -> list[Comparison]:
        found = [
            compare_rows(rows.side(a), rows.side(b), metric)
            for a, b in self.pairs
            for metric in self.metrics
        ]
        sides = dict.fromkeys(side for pair in self.pairs for side in pair)
        return found + [one for side in sides for one in rows.absent(side)]


def statistics(rows: MethodRows) -> list[Comparison]:
    """Each number of the dataset table, minus the paper's, at the paper's digits."""
    facts, printed = rows.study.facts, paper.dataset_row(rows.study.name)
    found = []
    for name in DESCRIBED:
        digits = paper.DECIMALS[name]
        off = round(round(facts.statistics[name], digits) - printed[name], digits)
        size = {"reference": printed[name], "n": facts.n_users, "folds": facts.n_folds}
        found.append(Comparison(name, name, off, off, off, 1.0, p_holm=1.0, **size))
    return found


@dataclass(frozen=True)
class Swapped:
    """Each item-level strategy with its best swap over none, or the other way round."""

    is_better: bool

    def __call__(self, rows: MethodRows) -> list[Comparison]:
        pairs = grid_runs.swap_pairs(rows.study)
        return [compare_rows(*(pair if self.is_better else pair[::-1])) for pair in pairs]


@dataclass(frozen=True)
class Cells:
    """Swaps inside a part of the grid over those outside, or the other way round."""

    label: str
    is_inside: Callable[[pd.DataFrame], pd.Series]
    is_better: bool

    def __call__(self, rows: MethodRows) -> list[Comparison]:
        found = []
        for name in ITEM_LEVEL:
            runs = _recorded(grid_runs.swap_runs(rows.study, name), name)
            cells = runs[runs["swap_ratio"] > 0]
            inside = self.is_inside(cells)
            sides = [_by_fold(rows.study, cells[part]) for part in (inside, ~inside)]
            sides = sides if self.is_better else sides[::-1]
            found.append(compare_groups(f"{name}: {self.label}", *sides))
        return found


def select_over_random_at_equal_ratio(rows: MethodRows) -> list[Comparison]:
    """Per user the mean over the ratios that a fold has for both."""
    runs = grid_runs.ratio_runs(rows.study)
    select, random = (_recorded(runs, name) for name in ("item_select", "item_random"))
    keys = ["mask_ratio", "fold"]
    sides = [
        _by_fold(rows.study, a.merge(b[keys], on=keys))
        for a, b in ((select, random), (random, select))
    ]
    absent = [one for name in ITEM_LEVEL for one in _absent(runs, name)]
    label = "item_select over item_random, mean over mask ratios"
    return [compare_groups(label, *sides), *absent]


@dataclass(frozen=True)
class BestRatio:
    """The best mask ratio among these over the best other one, both by validation."""

    inside: tuple[float, ...]

    def __call__(self, rows: MethodRows) -> list[Comparison]:
        runs, found = grid_runs.ratio_runs(rows.study), []
        for name in ITEM_LEVEL:
            own = _recorded(runs, name)
            is_inside = own["mask_ratio"].isin(self.inside)
            sides = [self._best(rows.study, own[m], name) for m in (is_inside, ~is_inside)]
            labels = " over ".join(ratio for ratio, _ in sides)
            found.append(compare_groups(f"{name}: {labels}", *(records for _, records in sides)))
            found += _absent(runs, name)
        return found

    @staticmethod
    def _best(study: Study, runs: pd.DataFrame, name: str) -> tuple[str, list[list[Record]]]:
        """The ratio that validation users prefer, and its records by fold."""
        if runs.empty:
            return "no run", _by_fold(study, runs)
        ratio = grid_runs.best_ratio(runs, name)
        return str(ratio), _by_fold(study, runs[runs["mask_ratio"] == ratio])


def _recorded(runs: pd.DataFrame, masking: str) -> pd.DataFrame:
    """The recorded runs of one masking."""
    return runs[(runs["masking"] == masking) & runs["record"].notna()]


def _absent(runs: pd.DataFrame, masking: str) -> list[Comparison]:
    """One missing comparison for each mask ratio without a record."""
    there = _recorded(runs, masking)["mask_ratio"].unique()
    absent = [ratio for ratio in runs["mask_ratio"].unique() if ratio not in there]
    return [Comparison(f"{masking} at {ratio} has no run") for ratio in absent]


def _by_fold(study: Study, runs: pd.DataFrame) -> list[list[Record]]:
    """The records of some of these runs, one list per fold."""
    folds = range(study.folds)
    return [runs.loc[runs["fold"] == fold, "record"].tolist() for fold in folds]


def peak(record: Record) -> float:
    """The epoch with the best validation recall@10, from 1."""
    return 1.0 + int(np.argmax([epoch[CHOICE] for epoch in record.curve]))


def fall_after_peak(record: Record) -> float:
    """How far below the peak the epochs after it are on average, as a share; NaN without any."""
    scores = [epoch[CHOICE] for epoch in record.curve]
    after = scores[int(peak(record)) :]
    return 1 - float(np.mean(after)) / max(scores) if after and max(scores) > 0 else np.nan


@dataclass(frozen=True)
class Training:
    """A number that every training gives, mean over some methods against that over others."""

    label: str
    above: tuple[str, ...]
    below: tuple[str, ...]
    measure: Callable[[Record], float]
    unit: str

    def __call__(self, rows: MethodRows) -> list[Comparison]:
        a, b = ([rows.row(name) for name in names] for names in (self.above, self.below))
        folds = min(row.folds for row in (*a, *b))
        ids = [record.id for row in (*a, *b) for record in row.records[:folds]]
        numbers = (self._per_fold(side, folds) for side in (a, b))
        return [compare_folds(self.label, *numbers, self.unit, ids)]

    def _per_fold(self, rows: Sequence[Row], folds: int) -> list[float]:
        return [float(np.mean([self.measure(r.records[f]) for r in rows])) for f in range(folds)]


@dataclass(frozen=True)
class Both:
    """Several kinds of comparison for one claim."""

    parts: tuple[Callable[[MethodRows], list[Comparison]], ...]

    def __call__(self, rows: MethodRows) -> list[Comparison]:
        return [one for part in self.parts for one in part(rows)]
