"""Which rows stand against which: best baseline, mask ratios, swapping, other datasets."""

from dataclasses import replace

from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import SOURCES
from nnbr_core.errors import InputError
from nnbr_core.experiments import methods
from nnbr_core.experiments.methods import Method
from nnbr_core.experiments.questions import best_by_validation
from nnbr_core.experiments.runs import folder_for
from nnbr_core.experiments.study import Row, Study


def best_baseline(rows: dict[str, Row]) -> Row:
    """The baseline that validation users prefer; beside it stands the paper's best one.

    A row without records if no baseline is recorded.
    """
    best = best_by_validation(rows)
    if best is None:
        return Row(Method("best baseline", "popularity"), (), 0, 0)
    named = replace(best.method, name=f"best baseline ({best.method.name})", paper="best_baseline")
    return replace(best, method=named)


def ratio_pairs(study: Study) -> list[tuple[Row, Row]]:
    """item_select and item_random at every mask ratio."""
    ratios = methods.FEW["mask_ratio"] if study.profile == "quick" else methods.MASK_RATIOS
    return [
        tuple(
            study.row(Method(f"{name} {ratio}", "btbr", ({"masking": name, "mask_ratio": ratio},)))
            for name in ("item_select", "item_random")
        )
        for ratio in ratios
    ]


def swap_pairs(study: Study) -> list[tuple[Row, Row]]:
    """Each item-level strategy with swapping and without, on the folds that swaps have.

    On these folds alone, so that both sides choose among the same mask ratios: one that is
    recorded for fold 0 only would otherwise take part with swapping, and not without.
    """
    pairs = []
    for name in methods.ITEM_LEVEL:
        swapped = study.row(methods.swapped(study.profile)[f"{name}_swap"])
        same_folds = replace(study, folds=swapped.folds or study.folds)
        pairs.append((swapped, same_folds.row(methods.strategies()[name])))
    return pairs


def _has_records(study: Study) -> bool:
    """Has it, and is there the data, or facts about it, to read them by?"""
    if not folder_for(study.config("popularity", 0)).is_dir():
        return False
    try:
        return bool(study.facts.fingerprint)
    except InputError:
        return False


def elsewhere(study: Study) -> dict[str, Study]:
    """The same study of other datasets that have records; nothing is trained there."""
    others = {
        name: replace(study, dataset=name, train_missing=False, recipe=Recipe())
        for name in SOURCES
        if name != study.name
    }
    return {name: other for name, other in others.items() if _has_records(other)}


def on_every_dataset(study: Study, wanted: dict[str, Method]) -> dict[str, dict[str, Row]]:
    """Rows of this study's dataset, and of all others that have records."""
    found = {
        name: one.rows(wanted) for name, one in {study.name: study, **elsewhere(study)}.items()
    }
    return {name: rows for name, rows in found.items() if any(row.folds for row in rows.values())}
