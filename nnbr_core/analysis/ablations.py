"""Variants of BTBR that the paper does not run, and what they say about its explanation.

The paper reads the gap between item-level and basket-level masking on TaFeng as a sign that
the order of baskets is strict there. Two other readings can be tested: item-level training
never sees last baskets, and last baskets hold other items than histories do.
"""

from collections.abc import Sequence
from dataclasses import replace

from nnbr_core.analysis.methods import ITEM_LEVEL, Method, strategies
from nnbr_core.analysis.rows import Row, n_leading
from nnbr_core.analysis.study import Study
from nnbr_core.runs.config import Config
from nnbr_core.runs.records import Record

VARIANTS = {
    "with last baskets": {"item_level_sees_last_basket": True},
    "counted from the end": {"positions": "end"},
    "both": {"item_level_sees_last_basket": True, "positions": "end"},
    "corrected": {"correct_shift": True},
    "shuffled": {"shuffle_baskets": True},
}
SEEDS = (0, 1, 2)
VARIED = {  # the strategies that each variant makes sense for
    "with last baskets": ITEM_LEVEL,
    "counted from the end": ITEM_LEVEL,
    "both": ITEM_LEVEL,
    "corrected": (*ITEM_LEVEL, "basket_all", "joint"),
    "shuffled": (*ITEM_LEVEL, "basket_all", "joint"),
}


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
        one = Method(label, "btbr", (), same, printed)
        rows.append(study.over(folds).row(one) if folds else Row(one))
    return rows[0], rows[1]


def _find(study: Study, settings: dict) -> list[Record | None]:
    return study.find([study.config("btbr", fold, **settings) for fold in range(study.folds)])


def configs(study: Study) -> list[Config]:
    """The runs behind the ablations: every variant at the first setting, three seeds of fold 0."""
    found = []
    for variant, changed in VARIANTS.items():
        for name in VARIED[variant]:
            setting = strategies()[name].grid[0]
            both = Method(name, "btbr", (setting, setting | changed))
            found += study.configs(both)
    for method in strategies().values():
        for seed in SEEDS:
            found.append(replace(study, seed=seed).config("btbr", 0, **method.grid[0]))
    return found


def recorded_variants(study: Study, variant: str) -> list[tuple[Row, Row]]:
    """All strategies that are recorded both ways, variant first."""
    pairs = [matched(study, name, variant) for name in VARIED[variant]]
    return [pair for pair in pairs if pair[0].folds]


def seeds(study: Study, seed_numbers: Sequence[int] = SEEDS) -> dict[str, list[Record]]:
    """Fold 0 with other seeds: for each strategy the setting with the most seeds recorded."""
    found = {}
    for name, method in strategies().items():
        by_setting = []
        for settings in method.grid:
            at = [replace(study, seed=seed).config("btbr", 0, **settings) for seed in seed_numbers]
            by_setting.append([record for record in study.find(at) if record])
        found[name] = max(by_setting, key=len)
    return {name: records for name, records in found.items() if len(records) > 1}
