import pytest
from written import curve, hits, write

from nnbr_core.experiments.claims import everywhere, judge, judge_across
from nnbr_core.experiments.evidence import Evidence
from nnbr_core.experiments.methods import LABELS
from nnbr_core.experiments.study import Study
from nnbr_core.experiments.verdicts import FAILS, HOLDS, MISSING, UNCLEAR
from nnbr_core.significance import holm

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


def test_each_verdict_is_reached_where_it_is_known(findings):
    verdicts = {name: finding.verdict for name, finding in findings.items()}
    assert verdicts["1b"] == UNCLEAR  # tifuknn on all labels is level with popularity
    assert verdicts["1c"] == FAILS  # dnntsp is far above beacon
    assert verdicts["1d"] == HOLDS
    assert verdicts["2d"] == UNCLEAR  # the same mean of other users
    assert verdicts["2e"] == HOLDS  # equal for everybody
    assert verdicts["5a"] == HOLDS
    assert verdicts["5b"] == FAILS
    assert verdicts["X1"] == FAILS  # three references are missing, but user_knn is above
    assert verdicts["4e"] == UNCLEAR  # equal curves
    assert "1e" not in verdicts and "D1" not in verdicts  # not claimed for this dataset


def test_a_finding_shows_the_comparison_that_decides(findings):
    found = findings["X1"]
    assert found.shown.label == "joint over user_knn"
    assert found.shown.difference == pytest.approx(-0.1)
    assert (found.shown.folds, found.shown.n) == (2, 400)
    assert found.missing == (
        "joint over last_popularity, all",
        "joint over last_popularity, explore",
        "joint over item_knn",
    )
    assert len(found.ids) == 4 and found.claim.notebook == "rq1_baselines"
    middle = findings["1d"].shown.relative  # all five gain the same share
    assert middle == pytest.approx(1.0)


def test_p_values_are_corrected_over_the_question(findings):
    own = [finding for finding in findings.values() if finding.claim.question == "RQ1"]
    evidence = Evidence(study_of(folds=2))
    raw = [check.p for finding in own for check in finding.claim.checks(evidence)]
    final = [check.p for finding in own for check in finding.checks]
    assert len(raw) == 10 + 1 + 5 and final == pytest.approx(holm(raw))


def test_nothing_recorded_is_not_enough_runs(elsewhere):
    assert {finding.verdict for finding in judge(study_of())} == {MISSING}


def across(elsewhere, *tables: dict[str, float]):
    studies = [study_of("toy"), study_of("completejourney")][: len(tables)]
    for study, means in zip(studies, tables, strict=True):
        write_baselines(study, means)
    return judge_across(studies)


FIRST = {"popularity": 0.1, "tifuknn": 0.9, "dream": 0.2, "beacon": 0.2, "clea": 0.2, "dnntsp": 0.2}
SECOND = FIRST | {"tifuknn": 0.2, "dream": 0.9}


def test_two_winners_mean_that_none_is_best_everywhere(elsewhere):
    assert across(elsewhere, FIRST, SECOND).verdict == HOLDS


def test_one_winner_everywhere_refutes_the_claim(elsewhere):
    assert across(elsewhere, FIRST, FIRST).verdict == FAILS


def test_one_dataset_is_not_enough(elsewhere):
    found = across(elsewhere, FIRST)
    assert found.verdict == MISSING and "a second dataset has no run" in found.missing


def test_a_close_race_cannot_be_told(elsewhere):
    close = FIRST | {"dream": 0.9}
    assert across(elsewhere, close, close).verdict == UNCLEAR


def test_other_datasets_with_records_take_part(elsewhere):
    study = Study("toy", "quick", folds=5)
    assert everywhere(study) == [study]
    write_baselines(study_of("completejourney"), SECOND)
    _, other = everywhere(study)
    assert (other.name, other.folds, other.train_missing) == ("completejourney", 5, False)
