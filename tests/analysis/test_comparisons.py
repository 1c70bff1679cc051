import numpy as np
import pytest
from made import made_row
from scipy import stats
from written import N_USERS, hits, write

from nnbr_core.analysis.comparisons import (
    Comparison,
    compare_all,
    compare_folds,
    compare_groups,
    compare_rows,
    corrected,
)
from nnbr_core.analysis.methods import every_row
from nnbr_core.analysis.study import Study

BETTER, WORSE = [0.5, 0.6] * 20, [0.3, 0.3, 0.4, 0.4] * 10  # 40 users
METHODS = every_row()


@pytest.fixture
def study(elsewhere) -> Study:
    return Study("toy", "quick", folds=3, train_missing=False)


def test_rows_are_compared_on_the_folds_both_have(study):
    for fold in (0, 1):
        a = write(study, fold=fold, found=hits(0.3))
    b = write(study, "popularity", found=hits(0.2))
    found = compare_rows(study.row(METHODS["basket_all"]), study.row(METHODS["popularity"]))
    assert found.difference == pytest.approx(0.1)
    assert found.low < 0.1 < found.high and found.reference == pytest.approx(0.2)
    assert (found.folds, found.n, found.relative) == (1, N_USERS, pytest.approx(0.5))
    assert found.spread == pytest.approx((hits(0.3) / 10 - hits(0.2) / 10).std(ddof=1))
    assert b.id in found.ids and a.id not in found.ids and len(found.ids) == 2


def test_what_is_not_recorded_is_a_missing_comparison():
    found = compare_rows(made_row("basket_all"), made_row("popularity", BETTER))
    assert found.is_missing and not (found.is_up or found.is_down or found.is_level)
    assert (found.label, found.result) == ("basket_all over popularity", "not run")


def test_a_result_is_higher_lower_level_or_open():
    level = [0.5, 0.6] * 19 + [0.5, 0.5]
    rows = [made_row("a", one) for one in (BETTER, WORSE, level, [0.9, 0.2] * 20)]
    pairs = [(0, 1), (1, 0), (0, 2), (0, 3)]
    found = [compare_rows(rows[a], rows[b]).result for a, b in pairs]
    assert found == ["higher", "lower", "level", "cannot be told"]


def test_a_comparison_carries_the_papers_difference():
    """Its own on its own data; at the size of our reference elsewhere."""
    expected = {"tafeng": 0.0801 - 0.0736, "dunnhumby": (0.0572 / 0.0548 - 1) * 0.35}
    for dataset, printed in expected.items():
        select = made_row("item_select", BETTER, dataset=dataset)
        random = made_row("item_random", WORSE, dataset=dataset)  # whose mean is 0.35
        assert compare_rows(select, random).printed == pytest.approx(printed)
    assert np.isnan(compare_rows(made_row("item_knn", BETTER), random).printed)


def test_said_the_other_way_round_a_comparison_changes_its_signs():
    one = Comparison("a over b", difference=0.1, low=-0.1, high=0.3, printed=0.2, folds=1)
    other = one.reversed()
    assert (other.difference, other.low, other.high, other.printed) == (-0.1, -0.3, 0.1, -0.2)


def test_runs_of_a_fold_are_averaged_before_users_are_compared(study):
    a = [
        write(study, found=hits(mean), masking="item_select", mask_ratio=ratio)
        for mean, ratio in ((0.2, 0.1), (0.4, 0.5))
    ]
    b = [write(study, found=hits(0.1))]
    found = compare_groups("mean", [a, []], [b, b])  # fold 1 lacks one side
    assert found.difference == pytest.approx((0.2 + 0.4) / 2 - 0.1)
    assert (found.folds, found.n, len(found.ids)) == (1, N_USERS, 3)
    assert compare_groups("none", [[], []], [b, b]).is_missing


def test_one_number_per_fold_is_tested_over_folds():
    found = compare_folds("epochs", [5, 7, 9], [2, 3, 4], "epochs", ["x"])
    differences = np.array([3, 4, 5])
    half = stats.t.ppf(0.975, 2) * differences.std(ddof=1) / np.sqrt(3)
    assert found.difference == 4 and found.high == pytest.approx(4 + half)
    assert found.p == pytest.approx(0.0202, abs=1e-4) and found.is_up
    assert (found.metric, found.n, found.ids) == ("epochs", 3, ("x",))
    assert compare_folds("one fold", [5], [2], "epochs").is_missing
    assert compare_folds("unknown", [5, np.nan], [2, 2], "epochs").is_missing
    assert compare_folds("equal", [2, 2], [2, 2], "epochs").p == 1


def test_p_values_are_corrected_over_what_is_recorded():
    made = [Comparison("a", p=0.01, folds=1), Comparison("b"), Comparison("c", p=0.04, folds=1)]
    found = corrected(made)
    assert [(one.p_holm, one.family) for one in found if not one.is_missing] == [
        (0.02, 2),
        (0.04, 2),
    ]
    assert found[1].is_missing and [one.p for one in found if one.folds] == [0.01, 0.04]


def test_all_comparisons_of_a_page_are_one_family_and_a_pair_counts_once():
    weak, other = made_row("a", [0.5, 0.4] * 20), made_row("b", [0.4, 0.4, 0.4, 0.5] * 10)
    strong = made_row("c", [0.9] * 40)
    alone = compare_rows(weak, other)
    found = compare_all({"one": [(weak, other), (strong, weak)], "two": [(weak, other)]})
    assert found["one"][0] is found["two"][0]
    assert found["one"][0].family == 2
    assert found["one"][0].p_holm == pytest.approx(alone.p)  # the larger of two counts once
    assert found["one"][1].p_holm == pytest.approx(2 * compare_rows(strong, weak).p)
