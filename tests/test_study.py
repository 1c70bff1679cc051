import numpy as np
import pytest

from nnbr_core.errors import InputError
from nnbr_core.experiments.methods import Method, each
from nnbr_core.experiments.runs import run
from nnbr_core.experiments.study import (
    Row,
    Study,
    begin,
    fold_interval,
    fold_mean,
    paired,
    per_user,
)
from nnbr_core.significance import interval

PARAMETERS = 'dataset = "toy"\nfolds = 1\nprofile = "quick"\nseed = 0'


def cells(injected: str) -> list[str]:
    return ["", PARAMETERS, f"# Parameters\n{injected}", "study = begin(globals())"]


def test_parameters_become_a_study(capsys):
    study = begin({"dataset": "toy", "profile": "quick", "folds": 2, "seed": 3})
    assert (study.name, study.folds, study.seed) == ("toy", 2, 3)
    assert capsys.readouterr().out == "toy: 500 of 3,000 users, 2 of 5 folds\n"


def test_a_parameter_the_notebook_does_not_have_is_refused():
    with pytest.raises(InputError, match="unknown parameter 'dataste': did you mean 'dataset'"):
        begin({"In": cells('dataste = "toy"')})
    begin({"In": cells('dataset = "toy"')})


def test_a_second_run_in_the_same_kernel_is_not_confused_by_its_own_names():
    begin({"In": ["", PARAMETERS, "study = begin(globals())"], "methods": 1, "dataset": "toy"})


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"dataset": "toi"}, "unknown dataset 'toi': did you mean 'toy'"),
        ({"dataset": 3}, "dataset = 3: str is needed"),
        ({"profile": "quik"}, "unknown profile 'quik': did you mean 'quick'"),
        ({"folds": 0}, "folds = 0: 1 to 5 for toy"),
        ({"folds": 6}, "folds = 6: 1 to 5 for toy"),
        ({"folds": "2"}, "folds = '2': int is needed"),
        ({"seed": -1}, "seed = -1"),
        ({"user_column": "who"}, "user_column cannot be set"),
    ],
)
def test_impossible_values_stop_at_once(given, complaint):
    with pytest.raises(InputError, match=complaint):
        begin(given)


def test_users_of_several_folds_are_averaged_first(elsewhere):
    records = Study(folds=5).records("popularity")
    values = per_user(records, "recall@10")
    assert len(values) == 500  # everybody is tested once
    twice = per_user([records[0], records[0]], "recall@10")
    assert np.array_equal(twice, records[0].per_user()["recall@10"], equal_nan=True)


LABELLED = Method("late", "last_popularity", each(labels="all"), each(labels="explore"))


def test_what_is_missing_is_computed_or_counted(elsewhere):
    shown = Study(folds=2, train_missing=False).row(LABELLED)
    assert (shown.folds, shown.n_settings, shown.n_missing) == (0, 0, 2)
    computed = Study(folds=2).row(LABELLED)
    assert (computed.folds, computed.n_settings, computed.n_missing) == (2, 1, 0)
    assert computed.records == Study(folds=2, train_missing=False).row(LABELLED).records


def test_validation_chooses_among_settings_recorded_for_every_fold(elsewhere):
    study = Study(folds=2)
    run(study.config("last_popularity", 0, labels="explore"))
    assert study.row(LABELLED).n_settings == 1  # explore is recorded for one fold only
    run(study.config("last_popularity", 1, labels="explore"))
    row = study.row(LABELLED)
    assert row.n_settings == 2
    for fold, record in enumerate(row.records):
        both = [
            study.find([study.config("last_popularity", fold, labels=labels)])[0]
            for labels in ("all", "explore")
        ]
        assert record.validation["recall@10"] == max(r.validation["recall@10"] for r in both)
        assert record.config["fold"] == fold


def test_pairs_are_the_same_users_of_the_folds_both_have(elsewhere):
    two, one = Study(folds=2).row(LABELLED), Study(folds=1).row(Method("p", "popularity"))
    a, b = paired(two, one, "recall@10")
    assert len(a) == len(b) == 100
    assert np.array_equal(a, two.records[0].per_user()["recall@10"], equal_nan=True)
    nothing = Row(LABELLED, (), 0, 2)
    assert [len(x) for x in paired(two, nothing, "recall@10")] == [0, 0]


def test_means_over_folds_count_a_user_once_in_every_fold(elsewhere):
    records = Study(folds=2).records("popularity")
    recalls = [record.test["recall@10"] for record in records]
    assert fold_mean(records, "recall@10") == pytest.approx(np.mean(recalls))
    twice = [records[0], records[0], records[1]]  # folds that share users
    assert fold_mean(twice, "recall@10") == pytest.approx((2 * recalls[0] + recalls[1]) / 3)
    low, high = fold_interval(twice, "recall@10")
    plain = interval(per_user(twice, "recall@10").to_numpy())
    assert high - low == pytest.approx(plain[1] - plain[0])
    assert low < fold_mean(twice, "recall@10") < high
