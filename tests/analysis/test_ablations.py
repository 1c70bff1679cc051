import pytest
from written import write

from nnbr_core.analysis.ablations import matched, recorded_variants, seeds
from nnbr_core.analysis.study import Study

SEES = {"item_level_sees_last_basket": True}
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
