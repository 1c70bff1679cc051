"""The comparisons of settings and of learning curves behind the claims (RQ3, RQ4).

Every difference is written so that a positive one goes the way of the claim.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from nnbr_core.experiments.evidence import Check, Evidence, check_folds, check_groups
from nnbr_core.experiments.methods import (
    BASKET_LEVEL,
    ITEM_LEVEL,
)
from nnbr_core.experiments.questions import best_ratio, ratio_runs, swap_runs
from nnbr_core.experiments.records import Record
from nnbr_core.experiments.study import CHOICE, Row

HIGH_RATIO, HIGH_HOP = 0.5, 5  # from here on a swap is "high"


def _of(runs: pd.DataFrame, masking: str) -> pd.DataFrame:
    """The recorded runs of one masking."""
    return runs[(runs["masking"] == masking) & runs["record"].notna()]


def _absent(runs: pd.DataFrame, masking: str) -> list[Check]:
    """One missing check for each mask ratio without a record."""
    there = _of(runs, masking)["mask_ratio"].unique()
    absent = [ratio for ratio in runs["mask_ratio"].unique() if ratio not in there]
    return [Check(f"{masking} at {ratio} has no run") for ratio in absent]


def _split_cells(evidence: Evidence, label: str, is_high: Callable, sign: int) -> list[Check]:
    checks = []
    for name in ITEM_LEVEL:
        cells = _of(swap_runs(evidence.study, name), name)
        cells = cells[cells["swap_ratio"] > 0]
        groups = [evidence.by_fold(cells[m]) for m in (is_high(cells), ~is_high(cells))]
        checks.append(check_groups(f"{name}: {label}", *groups[::sign]))
    return checks


def elsewhere_over_corner(evidence: Evidence) -> list[Check]:
    def is_corner(cells: pd.DataFrame) -> pd.Series:
        return (cells["swap_ratio"] >= HIGH_RATIO) & (cells["swap_hop"] >= HIGH_HOP)

    return _split_cells(evidence, "other cells over high ratio with high hop", is_corner, -1)


def high_hop_over_low(evidence: Evidence) -> list[Check]:
    def is_far(cells: pd.DataFrame) -> pd.Series:
        return cells["swap_hop"] >= HIGH_HOP

    return _split_cells(evidence, "high hop over low hop", is_far, 1)


def select_over_random_at_equal_ratio(evidence: Evidence) -> list[Check]:
    """Per user the mean over the ratios that a fold has for both."""
    runs = ratio_runs(evidence.study)
    select, random = (_of(runs, name) for name in ("item_select", "item_random"))
    keys = ["mask_ratio", "fold"]
    groups = [
        evidence.by_fold(a.merge(b[keys], on=keys)) for a, b in ((select, random), (random, select))
    ]
    return [
        check_groups("item_select over item_random, mean over mask ratios", *groups),
        *_absent(runs, "item_select"),
        *_absent(runs, "item_random"),
    ]


def best_ratio_within(inside: Sequence[float]) -> Callable:
    """The best ratio inside a range over the best outside, both by validation."""

    def checks(evidence: Evidence) -> list[Check]:
        runs = ratio_runs(evidence.study)
        found = []
        for name in ITEM_LEVEL:
            own = _of(runs, name)
            is_inside = own["mask_ratio"].isin(inside)
            sides = [_best_of(evidence, own[m], name) for m in (is_inside, ~is_inside)]
            labels = " over ".join(ratio for ratio, _ in sides)
            found.append(check_groups(f"{name}: {labels}", *(runs for _, runs in sides)))
            found += _absent(runs, name)
        return found

    return checks


def _best_of(evidence: Evidence, runs: pd.DataFrame, name: str) -> tuple[str, list[list[Record]]]:
    """The ratio that validation users prefer, and its records by fold."""
    if runs.empty:
        return "no run", evidence.by_fold(runs)
    ratio = best_ratio(runs, name)
    return str(ratio), evidence.by_fold(runs[runs["mask_ratio"] == ratio])


def peak(record: Record) -> int:
    """The epoch with the best validation recall@10, from 1."""
    return 1 + int(np.argmax([epoch[CHOICE] for epoch in record.curve]))


def loss_after_peak(record: Record) -> float:
    """How far below the peak the epochs after it are on average, as a share; NaN without any."""
    scores = [epoch[CHOICE] for epoch in record.curve]
    after = scores[peak(record) :]
    return 1 - float(np.mean(after)) / max(scores) if after and max(scores) > 0 else np.nan


def _per_fold(rows: Sequence[Row], folds: int, measure: Callable[[Record], float]) -> list[float]:
    """Mean over methods of a number that each record gives, one per fold."""
    return [float(np.mean([measure(row.records[f]) for row in rows])) for f in range(folds)]


def _compare_runs(label: str, a: list[Row], b: list[Row], measure: Callable, unit: str) -> Check:
    folds = min(row.folds for row in (*a, *b))
    ids = [record.id for row in (*a, *b) for record in row.records[:folds]]
    numbers = (_per_fold(rows, folds, measure) for rows in (a, b))
    return check_folds(label, *numbers, unit, ids)


def peaks_by_level(evidence: Evidence) -> list[Check]:
    item, basket = ([evidence.row(n) for n in names] for names in (ITEM_LEVEL, BASKET_LEVEL))
    later = _compare_runs("peak of item-level over basket-level", item, basket, peak, "epochs")
    label = "fall after the peak, basket-level over item-level"
    return [later, _compare_runs(label, basket, item, loss_after_peak, "share of the peak")]


def explore_falls_more(evidence: Evidence) -> list[Check]:
    a, b = [evidence.row("basket_explore")], [evidence.row("basket_all")]
    label = "fall after the peak, basket_explore over basket_all"
    return [_compare_runs(label, a, b, loss_after_peak, "share of the peak")]


def select_peaks_later(evidence: Evidence) -> list[Check]:
    a, b = [evidence.row("item_select")], [evidence.row("item_random")]
    return [_compare_runs("peak of item_select over item_random", a, b, peak, "epochs")]
