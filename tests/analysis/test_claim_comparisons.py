"""What is compared to decide a claim; every difference goes the way of the claim."""

import numpy as np
import pytest
from written import curve, write

from nnbr_core.analysis.claim_comparisons import (
    DESCRIBED,
    Best,
    BestRatio,
    Cells,
    MethodRows,
    fall_after_peak,
    peak,
    select_over_random_at_equal_ratio,
    statistics,
)
from nnbr_core.analysis.claims import BEST_BASKET, CLAIMS, _is_far, _is_high
from nnbr_core.analysis.methods import BASKET_LEVEL, ITEM_LEVEL, LABELS, every_row
from nnbr_core.analysis.outcomes import all_higher, any_lower, level, not_higher
from nnbr_core.analysis.paper import METRICS
from nnbr_core.analysis.study import Study

EXPLORE = {"tifuknn": 0.2, "dream": 0.3, "beacon": 0.4, "clea": 0.5, "dnntsp": 0.6}
IDS = "D1 1b 1c 1d 1e 2a 2b 2c 2d 2e 3a 3b 3c 3d 4a 4b 4c 4d 4e 4f 5a 5b X1 X2".split()


def test_every_claim_is_there_and_says_what_is_compared():
    assert list(dict.fromkeys(claim.id for claim in CLAIMS)) == IDS
    assert all(claim.text and claim.compared and claim.rule.__doc__ for claim in CLAIMS)


@pytest.mark.parametrize(
    ("dataset", "without"),
    [
        ("tafeng", "2c 3b 3d 4c 4f"),
        ("dunnhumby", "2b 3a 3d 4b"),
        ("dunnhumby_windows", "2b 3a 3d 4b"),
        ("instacart", "1e 2b 3a 3c 4b"),
        ("completejourney", "D1 1e 2a 2b 2c 3a 3b 3c 3d 4b 4c 4f"),
    ],
)
def test_a_claim_is_judged_only_where_the_paper_makes_it(dataset, without):
    claims = [claim.id for claim in CLAIMS if claim.is_about(dataset)]
    assert claims == [name for name in IDS if name not in without.split()]


def about(dataset: str) -> dict:
    return {claim.id: claim for claim in CLAIMS if claim.is_about(dataset)}


def test_some_claims_say_another_thing_on_another_dataset():
    tafeng, dunnhumby, instacart = map(about, ("tafeng", "dunnhumby", "instacart"))
    assert tafeng["1b"].rule is all_higher and instacart["1b"].rule is any_lower
    assert tafeng["2a"].rule is all_higher and dunnhumby["2a"].rule is level
    assert tafeng["2e"].rule is not_higher and instacart["2e"].rule is all_higher


@pytest.fixture
def study(elsewhere) -> Study:
    return Study("toy", "quick", folds=2, train_missing=False)


@pytest.fixture
def rows(elsewhere) -> MethodRows:
    """One fold of everything; on explore labels each baseline finds what is written above, on
    all labels a tenth less, popularity a tenth; every strategy as its name says below."""
    study = Study("toy", "quick", folds=1, train_missing=False)
    write(study, "popularity", found=0.1)
    for model, mean in EXPLORE.items():
        for labels in LABELS:
            write(study, model, found=mean - 0.1 * (labels == "all"), labels=labels)
    write(study, found=0.7, masking="basket_all")
    write(study, found=0.65, masking="basket_explore")
    write(study, found=0.5, masking="item_random", mask_ratio=0.5)
    write(study, found=0.55, masking="item_select", mask_ratio=0.5)
    write(study, found=0.8, masking="joint", mask_ratio=0.5)
    for name, mean in {"item_random": 0.52, "item_select": 0.5}.items():
        write(study, found=mean, masking=name, mask_ratio=0.5, swap_ratio=0.1, swap_hop=1)
    for labels in LABELS:
        write(study, "last_popularity", found=0.3, labels=labels)
    write(study, "item_knn", found=0.4)
    write(study, "user_knn", found=0.85)
    return MethodRows(study)


def differences(comparisons) -> list[float]:
    return [round(one.difference, 4) for one in comparisons]


@pytest.mark.parametrize(
    ("dataset", "claim", "expected"),
    [
        ("tafeng", "1b", [0.0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4, 0.5]),
        ("tafeng", "1c", [0.2]),  # dnntsp, explore over beacon, explore
        ("tafeng", "1d", [0.1] * 5),
        ("tafeng", "1e", [-0.1]),
        ("tafeng", "2a", [0.1]),
        ("tafeng", "2b", [0.15]),  # the better of each: basket_all, item_select
        ("dunnhumby", "2c", [-0.15, -0.05]),
        ("tafeng", "2e", [-0.05]),
        ("instacart", "2e", [0.05]),
        ("dunnhumby", "3b", [0.02, -0.05]),
        ("tafeng", "3a", [-0.02, 0.05]),
        ("tafeng", "5b", [0.1]),
        ("tafeng", "X1", [0.5, 0.5, 0.4, -0.05]),
    ],
)
def test_differences_go_the_way_of_the_claim(rows, dataset, claim, expected):
    assert differences(about(dataset)[claim].compare(rows)) == expected


def test_strategies_meet_the_best_baseline_on_every_metric(rows):
    joint, select = (about("tafeng")[id].compare(rows) for id in ("5a", "2d"))
    assert [one.metric for one in joint] == [one.metric for one in select] == list(METRICS)
    assert joint[0].label == "joint over dnntsp, explore"
    assert differences([joint[0], select[0]]) == [0.2, 0.05]


def test_a_missing_method_leaves_a_missing_comparison(study):
    write(study, "popularity", found=0.1)
    write(study, found=0.3, masking="basket_all")
    found = about("tafeng")["2a"].compare(MethodRows(study))
    assert differences(found[:1]) == [0.2]
    assert [one.label.split()[0] for one in found if one.is_missing] == list(EXPLORE)
    item = about("tafeng")["2b"].compare(MethodRows(study))
    assert [one.label for one in item if one.is_missing] == [
        "basket_all over the best item-level strategy",
        "basket_explore has no run",
        "item_random has no run",
        "item_select has no run",
    ]


def test_validation_users_choose_and_test_users_never_do(study):
    write(study, found=0.2, validation=0.3, masking="basket_all")
    write(study, found=0.9, validation=0.1, masking="basket_explore")
    assert MethodRows(study).side(BEST_BASKET).name == "basket_all"


def test_what_is_run_on_one_fold_takes_part_only_where_nothing_has_more(study):
    swap = {"masking": "item_select", "mask_ratio": 0.5, "swap_ratio": 0.1, "swap_hop": 1}
    for fold in (0, 1):
        write(study, fold=fold, validation=0.3, masking="basket_all")
    write(study, validation=0.2, masking="item_select", mask_ratio=0.5)
    write(study, validation=0.9, **swap)
    side = Best("of two", ("basket_all", "item_select_swap"))
    assert MethodRows(study).side(side).name == "basket_all"
    assert MethodRows(study.over(1)).side(side).name == "item_select_swap"


def test_a_training_that_never_learned_is_no_evidence(study):
    write(study, "popularity", validation=0.1)
    write(study, "dnntsp", validation=0.04, labels="all")
    write(study, "dream", validation=0.06, labels="all")
    rows = MethodRows(study)
    assert [rows.row(f"{name}, all").folds for name in ("dnntsp", "dream")] == [0, 1]
    assert study.row(every_row()["dnntsp, all"]).folds == 1  # tables still show it


@pytest.mark.needs("tafeng")
def test_published_tafeng_has_the_printed_statistics(elsewhere):
    found = statistics(MethodRows(Study("tafeng", "paper", 3, train_missing=False)))
    assert [one.label for one in found] == list(DESCRIBED)
    assert differences(found) == [0, 0, 0, 0, 0]


MEANS = {(0.1, 1): 0.3, (0.1, 5): 0.4, (0.5, 1): 0.5, (0.5, 5): 0.1}


def test_swap_cells_are_split_at_high_ratio_and_hop(study):
    for masking in ITEM_LEVEL:
        for ratio, validation in ((0.1, 0.2), (0.5, 0.3)):
            write(study, found=0.2, validation=validation, masking=masking, mask_ratio=ratio)
        for (ratio, hop), mean in MEANS.items():
            swap = {"masking": masking, "swap_ratio": ratio, "swap_hop": hop}
            write(study, found=mean, mask_ratio=0.5, **swap)
            write(study, found=0.9, mask_ratio=0.1, **swap)  # not the best ratio
    rows = MethodRows(study)
    corner = Cells("corner", _is_high, is_better=False)(rows)
    assert differences(corner) == [round((0.3 + 0.4 + 0.5) / 3 - 0.1, 4)] * 2
    hop = Cells("hop", _is_far, is_better=True)(rows)
    assert differences(hop) == [round((0.4 + 0.1) / 2 - (0.3 + 0.5) / 2, 4)] * 2
    assert [(one.folds, len(one.ids)) for one in hop] == [(1, 4)] * 2


def test_maskings_are_compared_at_equal_ratio_only(study):
    write(study, found=0.4, masking="item_select", mask_ratio=0.1)
    write(study, found=0.1, masking="item_random", mask_ratio=0.1)
    write(study, found=0.9, masking="item_select", mask_ratio=0.5)
    found = select_over_random_at_equal_ratio(MethodRows(study))
    assert found[0].difference == pytest.approx(0.3)
    assert [one.label for one in found[1:]] == ["item_random at 0.5 has no run"]


def test_the_best_ratio_inside_a_range_meets_the_best_outside(study):
    write(study, found=0.4, masking="item_select", mask_ratio=0.1)
    write(study, found=0.1, masking="item_select", mask_ratio=0.5)
    by_label = {one.label: one for one in BestRatio((0.1,))(MethodRows(study))}
    assert by_label["item_select: 0.1 over 0.5"].difference == pytest.approx(0.3)
    assert by_label["item_random: no run over no run"].is_missing
    assert by_label["item_random at 0.5 has no run"].is_missing


def test_peaks_and_falls_are_read_off_the_curve(study):
    record = write(study, learned=curve(0.1, 0.4, 0.3, 0.1))
    assert peak(record) == 2
    assert fall_after_peak(record) == pytest.approx(1 - 0.2 / 0.4)
    assert np.isnan(fall_after_peak(write(study, learned=curve(0.1, 0.4))))


def test_curves_are_compared_fold_by_fold(study):
    for fold in range(2):
        for name, end in zip(BASKET_LEVEL, (0.2, 0.1), strict=True):
            write(study, fold=fold, learned=curve(0.4, end), masking=name)
        for name, late in zip(ITEM_LEVEL, (1, 3), strict=True):
            rising = [0.1] * (late + fold)
            write(study, fold=fold, learned=curve(*rising, 0.4, 0.4), masking=name, mask_ratio=0.5)
    rows, claims = MethodRows(study), about("dunnhumby")
    later, falls = claims["4d"].compare(rows)
    # item-level peaks: fold 0 at 2 and 4, fold 1 at 3 and 5; basket-level always at 1
    assert later.difference == (3 - 1 + 4 - 1) / 2 and later.metric == "epochs"
    assert falls.difference == pytest.approx((0.5 + 0.75) / 2 - 0)
    (more,) = claims["4e"].compare(rows)
    assert more.difference == pytest.approx(0.75 - 0.5)
    (select,) = claims["4f"].compare(rows)
    assert (select.difference, select.folds, len(select.ids)) == (2, 2, 4)
