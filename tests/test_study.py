import numpy as np
import pytest

from nnbr_core.errors import InputError
from nnbr_core.experiments.study import Study, begin, per_user

PARAMETERS = 'dataset = "toy"\nfolds = 1\nprofile = "quick"\nseed = 0'


def cells(injected: str) -> list[str]:
    return ["", PARAMETERS, f"# Parameters\n{injected}", "study = begin(globals())"]


def test_parameters_become_a_study(capsys):
    study = begin({"dataset": "toy", "profile": "quick", "folds": 2, "seed": 3})
    assert (study.name, study.folds, study.seed) == ("toy", 2, 3)
    assert capsys.readouterr().out == "toy: 500 of 1,000 users, 2 of 5 folds\n"


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
