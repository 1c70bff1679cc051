"""Three variants of BTBR that the paper does not run, and what they say about its explanation.

The paper reads the gap between item-level and basket-level masking on TaFeng as a sign that
the order of baskets is strict there. Two other readings can be tested: item-level training
never sees last baskets, and last baskets hold other items than histories do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nnbr_core.experiments.evidence import Check, check_rows, corrected
from nnbr_core.experiments.methods import ITEM_LEVEL, Method, strategies
from nnbr_core.experiments.questions import best_by_validation
from nnbr_core.experiments.records import Record
from nnbr_core.experiments.study import Row, Study, n_leading
from nnbr_core.experiments.verdicts import FAILS, HOLDS, MISSING, UNCLEAR

VARIANTS = {
    "with last baskets": {"item_level_sees_last_basket": True},
    "corrected": {"correct_shift": True},
    "shuffled": {"shuffle_baskets": True},
}
SHUFFLED_OR_NOT = ("item_random", "item_select", "basket_all", "joint")


def matched(study: Study, name: str, variant: str) -> tuple[Row, Row]:
    """A strategy's variant and the strategy itself, among the same settings on the same folds.

    Those settings take part that are recorded both ways, on as many folds as any of them.
    """
    method = strategies()[name]
    unique = dict.fromkeys(tuple(one.items()) for one in (*method.grid, *method.more))
    pairs = [(dict(one) | VARIANTS[variant], dict(one)) for one in unique]
    recorded = [min(n_leading(_find(study, one)) for one in pair) for pair in pairs]
    folds = max(recorded)
    rows = []
    for side, label in enumerate((f"{name}, {variant}", name)):
        same = tuple(p[side] for p, n in zip(pairs, recorded, strict=True) if n == folds)
        printed = method.paper if label == name else ""  # the paper has no variants
        rows.append(_row(study, Method(label, "btbr", (), same, printed), folds))
    return rows[0], rows[1]


def _find(study: Study, settings: dict) -> list[Record | None]:
    return study.find([study.config("btbr", fold, **settings) for fold in range(study.folds)])


def _row(study: Study, method: Method, folds: int) -> Row:
    return replace(study, folds=folds).row(method) if folds else Row(method, (), 0, 0)


def recorded_variants(study: Study, variant: str) -> list[tuple[Row, Row]]:
    """All strategies that are recorded both ways, variant first."""
    names = ITEM_LEVEL if variant == "with last baskets" else SHUFFLED_OR_NOT
    pairs = [matched(study, name, variant) for name in names]
    return [pair for pair in pairs if pair[0].folds]


@dataclass(frozen=True)
class StrictOrder:
    """Does item-level masking lose because order is strict? The comparisons, p-values corrected."""

    verdict: str
    gap: Check  # basket_all over the best item-level strategy
    left: Check  # basket_all over the same, scores corrected for the shift to last baskets
    order: Check  # basket_all over itself trained and scored without the order of baskets

    @property
    def closed(self) -> float:
        """The share of the gap that the correction closes."""
        return 1 - self.left.difference / self.gap.difference


def _verdict(gap: Check, left: Check, order: Check) -> str:
    """Order explains the gap only if it matters to basket_all, and the correction leaves the gap.

    Refuted if the correction closes the gap (the whole interval of what is left within 5 %, or
    below zero), or if losing the order makes no difference (the whole interval within 5 %). That
    what is left is not significant is not enough: few users leave anything insignificant.
    """
    if gap.is_missing or left.is_missing:
        return MISSING
    if not gap.is_up:
        return UNCLEAR
    if left.is_level or left.is_down or order.is_level:
        return FAILS
    if not left.is_up:
        return UNCLEAR
    if order.is_missing:
        return MISSING
    return HOLDS if order.is_up else UNCLEAR


def strict_order(study: Study) -> StrictOrder:
    """The paper's explanation put to the test on one dataset.

    The item-level strategy is the best by validation of those corrected on the most folds.
    """
    pairs = [matched(study, name, "corrected") for name in ITEM_LEVEL]
    most = max(plain.folds for _, plain in pairs)
    plain_rows = {plain.method.name: plain for _, plain in pairs if plain.folds == most}
    best = best_by_validation(plain_rows) or pairs[-1][1]
    fixed = next(variant for variant, plain in pairs if plain is best)
    basket_all = study.row(strategies()["basket_all"])
    shuffled, ordered = matched(study, "basket_all", "shuffled")
    checks = corrected(
        [
            check_rows(basket_all, best),
            check_rows(basket_all, fixed),
            check_rows(ordered, shuffled),
        ]
    )
    return StrictOrder(_verdict(*checks), *checks)


def seeds(study: Study, seed_numbers: Sequence[int] = (0, 1, 2)) -> dict[str, list[Record]]:
    """Fold 0 with other seeds: for each strategy the setting with the most seeds recorded."""
    found = {}
    for name, method in strategies().items():
        by_setting = []
        for settings in method.grid:
            at = [replace(study, seed=seed).config("btbr", 0, **settings) for seed in seed_numbers]
            by_setting.append([record for record in study.find(at) if record])
        found[name] = max(by_setting, key=len)
    return {name: records for name, records in found.items() if len(records) > 1}
