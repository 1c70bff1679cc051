import pytest
from written import hits, write

from nnbr_core.experiments import claim_checks
from nnbr_core.experiments.evidence import Evidence
from nnbr_core.experiments.methods import LABELS
from nnbr_core.experiments.study import Study

EXPLORE = {"tifuknn": 0.2, "dream": 0.3, "beacon": 0.4, "clea": 0.5, "dnntsp": 0.6}


@pytest.fixture
def evidence(elsewhere) -> Evidence:
    """One fold of everything; on explore labels each baseline finds what is written above, on
    all labels a tenth less, popularity a tenth; every strategy as its name says below."""
    study = Study("toy", "quick", folds=1, train_missing=False)
    write(study, "popularity", found=0.1)
    for model, mean in EXPLORE.items():
        for labels in LABELS:
            found = mean if labels == "explore" else mean - 0.1
            write(study, model, found=found, labels=labels)
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
    return Evidence(study)


def differences(checks) -> list[float]:
    return [round(check.difference, 4) for check in checks]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("over_popularity", [0.0, 0.1, 0.2, 0.3, 0.4, 0.1, 0.2, 0.3, 0.4, 0.5]),
        ("recent_over_older", [0.2]),  # dnntsp, explore over beacon, explore
        ("explore_over_all", [0.1] * 5),
        ("dnntsp_all_over_explore", [-0.1]),
        ("basket_over_item", [0.15]),  # the better of each: basket_all, item_select
        ("item_over_basket_and_baseline", [-0.15, -0.05]),
        ("explore_over_basket_all", [-0.05]),
        ("all_over_basket_explore", [0.05]),
        ("swap_over_none", [0.02, -0.05]),
        ("none_over_swap", [-0.02, 0.05]),
        ("joint_over_best_single", [0.1]),
        ("btbr_over_references", [0.5, 0.5, 0.4, -0.05]),
    ],
)
def test_differences_go_the_way_of_the_claim(evidence, function, expected):
    assert differences(getattr(claim_checks, function)(evidence)) == expected


def test_strategies_meet_the_best_baseline_on_every_metric(evidence):
    metrics = claim_checks.METRICS
    found = claim_checks.over_best_baseline("joint", metrics)(evidence)
    assert [check.unit for check in found] == list(metrics)
    assert found[0].label == "joint over dnntsp, explore"
    assert found[0].difference == pytest.approx(0.8 - 0.6)
    select = claim_checks.select_over_random(evidence)
    assert [check.unit for check in select] == list(metrics)
    assert select[0].difference == pytest.approx(0.05)


def test_a_missing_method_leaves_a_missing_check(elsewhere):
    study = Study("toy", "quick", folds=1, train_missing=False)
    write(study, "popularity", found=hits(0.1))
    write(study, found=0.3, masking="basket_all")
    found = claim_checks.over_best_baseline("basket_all")(Evidence(study))
    assert differences(found[:1]) == [0.2]
    assert [check.is_missing for check in found] == [False, True, True, True, True, True]
    item = claim_checks.basket_over_item(Evidence(study))
    assert [check.label for check in item if check.is_missing] == [
        "basket_all over the best item-level strategy",
        "basket_explore has no run",
        "item_random has no run",
        "item_select has no run",
    ]


@pytest.mark.needs("tafeng")
def test_published_tafeng_has_the_printed_statistics(elsewhere):
    found = claim_checks.statistics(Evidence(Study("tafeng", "paper", 3, train_missing=False)))
    assert [check.label for check in found] == list(claim_checks.DESCRIBED)
    assert differences(found) == [0, 0, 0, 0, 0]
