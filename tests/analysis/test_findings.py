from dataclasses import replace

import pytest
from written import curve, hits, write

from nnbr_core.analysis.claim_comparisons import MethodRows
from nnbr_core.analysis.findings import judge, judge_across
from nnbr_core.analysis.methods import LABELS
from nnbr_core.analysis.outcomes import NOT_RUN, REPLICATES, REVERSED, SMALLER, UNDECIDED
from nnbr_core.analysis.study import Study
from nnbr_core.significance import holm, users_to_decide

MODELS = ("tifuknn", "dream", "beacon", "clea", "dnntsp")


def study_of(dataset: str = "toy", folds: int = 1) -> Study:
    return Study(dataset, "quick", folds, train_missing=False)


def write_baselines(study: Study, means: dict[str, float], fold: int = 0) -> None:
    """Each baseline with this mean recall on explore labels, and half of it on all labels."""
    write(study, "popularity", fold, found=means["popularity"])
    for model in MODELS:
        for labels in LABELS:
            found = means[model] if labels == "explore" else means[model] / 2
            write(study, model, fold, found=found, labels=labels)


@pytest.fixture
def findings(elsewhere) -> dict:
    study = study_of(folds=2)
    rising = {name: 0.1 * n for n, name in enumerate(("popularity", *MODELS), start=1)}
    for fold in (0, 1):
        write_baselines(study, rising, fold)
        write(study, fold=fold, found=0.6, masking="basket_all", learned=curve(0.4, 0.3))
        write(study, fold=fold, found=0.6, masking="basket_explore", learned=curve(0.4, 0.3))
        write(study, fold=fold, found=hits(0.5, seed=1), masking="item_random", mask_ratio=0.5)
        write(study, fold=fold, found=hits(0.5, seed=2), masking="item_select", mask_ratio=0.5)
        write(study, fold=fold, found=0.9, masking="joint", mask_ratio=0.5)
        write(study, "user_knn", fold, found=1.0)
    return {finding.claim.id: finding for finding in judge(study)}


def test_each_outcome_is_reached_where_it_is_known(findings):
    outcomes = {name: finding.outcome for name, finding in findings.items()}
    assert outcomes["1b"] == SMALLER  # tifuknn on all labels is level with popularity
    assert outcomes["1c"] == REVERSED  # dnntsp is far above beacon
    assert outcomes["1d"] == REPLICATES
    assert outcomes["2d"] == UNDECIDED  # the same mean of other users
    assert outcomes["2e"] == REPLICATES  # equal for everybody
    assert outcomes["4e"] == SMALLER  # equal curves
    assert outcomes["5a"] == REPLICATES
    assert outcomes["5b"] == REVERSED
    assert outcomes["X1"] == REVERSED  # three references are missing, but user_knn is above
    assert "1e" not in outcomes and "D1" not in outcomes  # not claimed for this dataset


def test_a_finding_shows_the_comparison_that_decides(findings):
    found = findings["X1"]
    assert found.shown.label == "joint over user_knn"
    assert found.shown.difference == pytest.approx(-0.1)
    assert (found.shown.folds, found.shown.n) == (2, 400)
    assert found.missing == (
        "joint over last_popularity, all",
        "joint over last_popularity, explore",
        "joint over item_knn",
        "item_random_swap has no run",
        "item_select_swap has no run",
    )
    assert len(found.ids) == 4 and found.claim.notebook == "rq1_baselines"
    middle = findings["1d"].shown.relative  # all five gain the same share
    assert middle == pytest.approx(1.0)


def test_p_values_are_corrected_over_the_question(findings):
    own = [finding for finding in findings.values() if finding.claim.question == "RQ1"]
    rows = MethodRows(study_of(folds=2))
    raw = [one.p for finding in own for one in finding.claim.compare(rows)]
    final = [one for finding in own for one in finding.comparisons]
    assert [one.p_holm for one in final] == pytest.approx(holm(raw))
    assert {one.family for one in final} == {10 + 1 + 5}


def test_one_question_is_judged_as_among_all(findings):
    alone = {one.claim.id: one for one in judge(study_of(folds=2), "RQ5")}
    assert list(alone) == ["5a", "5b"]
    for name, found in alone.items():
        one, other = found.shown, findings[name].shown
        assert (found.outcome, one.label) == (findings[name].outcome, other.label)
        assert (one.difference, one.p_holm) == (other.difference, other.p_holm)


def test_an_undecided_claim_says_how_many_users_would_decide_it(findings):
    found = findings["2d"]
    assert found.outcome == UNDECIDED
    assert found.would_decide == users_to_decide(found.shown.spread, 0.03 * 0.5)  # not printed
    assert findings["5a"].would_decide == 0
    open_level = replace(findings["2e"], outcome=UNDECIDED, comparisons=(found.shown,))
    assert open_level.would_decide == users_to_decide(found.shown.spread, 0.05 * 0.5)


def test_what_is_not_recorded_is_not_run(elsewhere):
    assert {finding.outcome for finding in judge(study_of())} == {NOT_RUN}


def across(elsewhere, *tables: dict[str, float]):
    studies = [study_of("toy"), study_of("completejourney")][: len(tables)]
    for study, means in zip(studies, tables, strict=True):
        write_baselines(study, means)
    return judge_across(studies)


FIRST = {"popularity": 0.1, "tifuknn": 0.9, "dream": 0.2, "beacon": 0.2, "clea": 0.2, "dnntsp": 0.2}
SECOND = FIRST | {"tifuknn": 0.2, "dream": 0.9}


def test_two_winners_mean_that_none_is_best_everywhere(elsewhere):
    assert across(elsewhere, FIRST, SECOND).outcome == REPLICATES


def test_one_winner_everywhere_refutes_the_claim(elsewhere):
    assert across(elsewhere, FIRST, FIRST).outcome == REVERSED


def test_one_dataset_is_not_enough(elsewhere):
    found = across(elsewhere, FIRST)
    assert found.outcome == NOT_RUN and "a second dataset has no run" in found.missing


def test_a_close_race_cannot_be_told(elsewhere):
    close = FIRST | {"dream": 0.9}
    assert across(elsewhere, close, close).outcome == UNDECIDED
