"""A notebook's parameters: what they become, and what stops it in its first seconds."""

import pytest
from written import write

from nnbr_core.analysis.parameters import banner, begin, study_of
from nnbr_core.analysis.study import Study
from nnbr_core.errors import InputError

PARAMETERS = 'dataset = "toy"\nfolds = 1\nprofile = "quick"\nseed = 0'


def cells(injected: str) -> list[str]:
    return ["", PARAMETERS, f"# Parameters\n{injected}", "study = begin(globals())"]


def test_parameters_become_a_study(capsys):
    study = begin({"dataset": "toy", "profile": "quick", "folds": 2, "seed": 3})
    assert (study.name, study.folds, study.seed) == ("toy", 2, 3)
    assert capsys.readouterr().out.startswith("toy: 500 of 3,000 users, 2 of 5 folds\n")


def test_a_parameter_the_notebook_does_not_have_is_refused(elsewhere):
    with pytest.raises(InputError, match="unknown parameter 'dataste': did you mean 'dataset'"):
        begin({"In": cells('dataste = "toy"')})
    assert begin({"In": cells('dataset = "toy"')}).name == "toy"


def test_a_second_run_in_the_same_kernel_is_not_confused_by_its_own_names(elsewhere):
    names = {"In": ["", PARAMETERS, "study = begin(globals())"], "methods": 1, "dataset": "toy"}
    assert begin(names).name == "toy"


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"dataset": "toi"}, "unknown dataset 'toi': did you mean 'toy'"),
        ({"dataset": 3}, "dataset = 3: str is needed"),
        ({"profile": "quik"}, "unknown profile 'quik': did you mean 'quick'"),
        ({"folds": -1}, "folds = -1: 1 to 5 for toy, or 0 for all"),
        ({"folds": 6}, "folds = 6: 1 to 5 for toy, or 0 for all"),
        ({"folds": "2"}, "folds = '2': int is needed"),
        ({"seed": -1}, "seed = -1"),
        ({"train_missing": "yes"}, "train_missing = 'yes'"),
        ({"user_column": "who"}, "user_column cannot be set"),
    ],
)
def test_impossible_values_stop_at_once(given, complaint, elsewhere):
    with pytest.raises(InputError, match=complaint):
        begin(given)


def test_auto_is_a_preview_until_something_is_recorded(elsewhere):
    preview = study_of("toy")
    assert (preview.profile, preview.folds, preview.train_missing) == ("quick", 1, None)
    write(Study("toy", "paper", 5), "popularity")
    found = study_of("toy")
    assert (found.profile, found.folds, found.train_missing) == ("paper", 5, False)
    assert study_of("toy", train_missing=True).train_missing
    assert not study_of("toy", "quick", train_missing=False).train_missing
    assert study_of("toy", "paper", folds=2).train_missing is None  # what is quick
    assert study_of("toy", "paper", folds=2).folds == 2


def test_recorded_results_of_tafeng_come_first_and_train_nothing():
    found = study_of("tafeng")
    assert (found.profile, found.folds, found.train_missing) == ("paper", 3, False)


def test_a_preview_says_so_in_colour_and_full_size_says_nothing():
    shown = banner(Study("toy"))
    assert "PREVIEW" in shown and "at most 500 users" in shown and "background" in shown
    assert banner(Study("toy", "paper")) == ""
