import pytest
from written import hits, write

from nnbr_core.experiments.ablations import matched, recorded_variants, seeds, strict_order
from nnbr_core.experiments.study import Study
from nnbr_core.experiments.verdicts import FAILS, HOLDS, MISSING, UNCLEAR

SEES, FIXED = {"item_level_sees_last_basket": True}, {"correct_shift": True}
SHUFFLED = {"shuffle_baskets": True}


@pytest.fixture
def study(elsewhere) -> Study:
    return Study("toy", "quick", folds=2, train_missing=False)


def select(study, found, fold=0, ratio=0.1, validation=None, **more):
    setting = {"masking": "item_select", "mask_ratio": ratio} | more
    return write(study, fold=fold, found=found, validation=validation, **setting)


def test_a_variant_is_compared_at_settings_recorded_both_ways(study):
    plain = select(study, 0.2)
    select(study, 0.9, ratio=0.5)  # only without
    select(study, 0.2, fold=1)  # only without
    variant = select(study, 0.4, **SEES)
    rows = matched(study, "item_select", "with last baskets")
    assert [row.method.name for row in rows] == ["item_select, with last baskets", "item_select"]
    assert [[record.id for record in row.records] for row in rows] == [[variant.id], [plain.id]]


def test_each_side_is_chosen_by_its_own_validation_users(study):
    low, high = (select(study, 0.2, ratio=r, validation=v) for r, v in ((0.1, 0.1), (0.5, 0.3)))
    first, second = (
        select(study, 0.2, ratio=r, validation=v, **SEES) for r, v in ((0.1, 0.4), (0.5, 0.2))
    )
    variant, plain = matched(study, "item_select", "with last baskets")
    assert variant.records[0].id == first.id and plain.records[0].id == high.id
    assert {low.id, second.id}.isdisjoint({variant.records[0].id, plain.records[0].id})


def test_only_recorded_variants_are_listed(study):
    assert recorded_variants(study, "shuffled") == []
    write(study, masking="basket_all")
    write(study, masking="basket_all", **SHUFFLED)
    (pair,) = recorded_variants(study, "shuffled")
    assert [row.method.name for row in pair] == ["basket_all, shuffled", "basket_all"]


@pytest.mark.parametrize(
    ("item", "fixed", "shuffled", "verdict"),
    [
        (0.2, 0.5, 0.3, FAILS),  # the correction closes the gap
        (0.2, 0.3, 0.5, FAILS),  # losing the order changes nothing
        (0.2, 0.3, 0.3, HOLDS),  # a gap is left, and order matters
        (0.5, 0.5, 0.3, UNCLEAR),  # no gap
        (0.2, 0.3, None, MISSING),  # order was never tried
        (0.2, None, 0.3, MISSING),  # the correction was never tried
    ],
)
def test_strict_order_is_put_to_the_test(study, item, fixed, shuffled, verdict):
    write(study, found=0.5, masking="basket_all")
    select(study, item)
    if fixed is not None:
        select(study, fixed, **FIXED)
    if shuffled is not None:
        write(study, found=shuffled, masking="basket_all", **SHUFFLED)
    found = strict_order(study)
    assert found.verdict == verdict
    if verdict is HOLDS:
        assert found.gap.difference == pytest.approx(0.3)
        assert found.left.difference == pytest.approx(0.2)
        assert found.closed == pytest.approx(1 / 3)


def test_the_strategy_corrected_on_the_most_folds_is_put_to_the_test(study):
    for fold in (0, 1):
        write(study, fold=fold, found=0.5, masking="basket_all")
        for more in ({}, FIXED):
            select(study, 0.2, fold=fold, **more)
    for more in ({}, FIXED):  # better, but on one fold only
        write(study, found=0.4, masking="item_random", mask_ratio=0.1, **more)
    assert strict_order(study).gap.label == "basket_all over item_select"
    assert strict_order(study).gap.folds == 2


def test_an_insignificant_rest_does_not_refute_by_itself(study):
    write(study, found=hits(0.5, seed=1), masking="basket_all")
    write(study, found=hits(0.3, seed=3), masking="basket_all", **SHUFFLED)
    select(study, hits(0.2, seed=2))
    select(study, hits(0.48, seed=2), **FIXED)
    found = strict_order(study)
    assert found.left.p > 0.05 and not found.left.is_level
    assert found.verdict == UNCLEAR


def test_seeds_of_the_most_repeated_setting(study):
    write(study, masking="basket_all")
    assert seeds(study) == {}  # one seed says nothing
    for seed in (0, 1, 2):
        other = Study("toy", "quick", folds=2, seed=seed, train_missing=False)
        select(other, 0.1 + 0.1 * seed, ratio=0.5)
    select(study, 0.9, ratio=0.1)
    found = seeds(study)
    assert list(found) == ["item_select"]
    assert [round(one.test["recall@10"], 1) for one in found["item_select"]] == [0.1, 0.2, 0.3]
