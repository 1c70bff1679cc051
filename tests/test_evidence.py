import numpy as np
import pytest
from written import N_USERS, hits, write

from nnbr_core.experiments.evidence import (
    Check,
    Evidence,
    check_folds,
    check_groups,
    check_rows,
    corrected,
)
from nnbr_core.experiments.study import Study


@pytest.fixture
def study(elsewhere) -> Study:
    return Study("toy", "quick", folds=3, train_missing=False)


def test_rows_are_compared_on_the_folds_both_have(study):
    for fold in (0, 1):
        a = write(study, fold=fold, found=hits(0.3) + 0)
    b = write(study, "popularity", found=hits(0.2))
    evidence = Evidence(study)
    found = check_rows(evidence.row("basket_all"), evidence.row("popularity"))
    assert found.difference == pytest.approx(0.1)
    assert found.low < 0.1 < found.high and found.reference == pytest.approx(0.2)
    assert (found.folds, found.n, found.relative) == (1, N_USERS, pytest.approx(0.5))
    assert b.id in found.ids and a.id not in found.ids and len(found.ids) == 2


def test_what_is_not_recorded_is_a_missing_check(study):
    write(study, "popularity")
    evidence = Evidence(study)
    found = check_rows(evidence.row("basket_all"), evidence.row("popularity"))
    assert found.is_missing and not (found.is_up or found.is_down or found.is_level)
    assert found.label == "basket_all over popularity"


def test_runs_of_a_fold_are_averaged_before_users_are_compared(study):
    a = [write(study, found=hits(mean), masking="item_select", mask_ratio=0.1) for mean in [0.2]]
    a += [write(study, found=hits(0.4), masking="item_select", mask_ratio=0.5)]
    b = [write(study, found=hits(0.1))]
    found = check_groups("mean", [a, []], [b, b])  # fold 1 lacks one side
    assert found.difference == pytest.approx((0.2 + 0.4) / 2 - 0.1)
    assert (found.folds, found.n, len(found.ids)) == (1, N_USERS, 3)
    assert check_groups("none", [[], []], [b, b]).is_missing


def test_one_number_per_fold_is_tested_over_folds():
    found = check_folds("epochs", [5, 7, 9], [2, 3, 4], "epochs", ["x"])
    differences = np.array([3, 4, 5])
    half = 4.302652729911275 * differences.std(ddof=1) / np.sqrt(3)  # t of 2 degrees, 97.5 %
    assert found.difference == 4 and found.high == pytest.approx(4 + half)
    assert found.p == pytest.approx(0.0202, abs=1e-4) and found.is_up
    assert (found.unit, found.n, found.ids) == ("epochs", 3, ("x",))
    assert check_folds("one fold", [5], [2], "epochs").is_missing
    assert check_folds("unknown", [5, np.nan], [2, 2], "epochs").is_missing
    assert check_folds("equal", [2, 2], [2, 2], "epochs").p == 1


def test_p_values_are_corrected_over_what_is_recorded():
    checks = [Check("a", p=0.01, folds=1), Check("b"), Check("c", p=0.04, folds=1)]
    found = corrected(checks)
    assert [check.p for check in found if not check.is_missing] == [0.02, 0.04]
    assert found[1] == checks[1] or found[1].is_missing


def test_validation_users_choose_and_test_users_never_do(study):
    write(study, found=0.2, validation=0.3, masking="basket_all")
    write(study, found=0.9, validation=0.1, masking="basket_explore")
    evidence = Evidence(study)
    best = evidence.best("strategy", ["basket_all", "basket_explore", "item_select"])
    assert best.method.name == "basket_all"
    nothing = evidence.best("item-level strategy", ["item_random", "item_select"])
    assert (nothing.folds, nothing.method.name) == (0, "the best item-level strategy")


def test_the_best_can_be_limited_to_the_most_recorded(study):
    write(study, validation=0.9, masking="basket_explore")
    for fold in (0, 1):
        write(study, fold=fold, validation=0.3, masking="basket_all")
    names = ["basket_all", "basket_explore"]
    assert Evidence(study).best("one", names).method.name == "basket_explore"
    assert Evidence(study).best("one", names, most_folds=True).method.name == "basket_all"


def test_baselines_without_a_run_are_named(study):
    write(study, "popularity", validation=0.1)
    write(study, "dream", validation=0.2, labels="explore")
    evidence = Evidence(study)
    assert evidence.best_baseline.method.name == "dream, explore"
    absent = [check.label.split()[0] for check in evidence.absent_baselines]
    assert absent == ["tifuknn", "beacon", "clea", "dnntsp"]


def test_a_training_that_never_learned_is_no_evidence(study):
    write(study, "popularity", validation=0.1)
    write(study, "dnntsp", validation=0.04, labels="all")
    write(study, "dream", validation=0.06, labels="all")
    evidence = Evidence(study)
    assert [evidence.row(f"{name}, all").folds for name in ("dnntsp", "dream")] == [0, 1]
    assert study.row(evidence.methods["dnntsp, all"]).folds == 1  # tables still show it
