"""Before a run: how many users would it take?"""

import numpy as np
import pytest
from written import N_USERS, hits, write

from nnbr_core.__main__ import main
from nnbr_core.analysis.power import power
from nnbr_core.analysis.study import Study
from nnbr_core.errors import InputError
from nnbr_core.significance import users_to_decide


@pytest.fixture
def study(elsewhere) -> Study:
    study = Study("toy", "quick", folds=1, train_missing=False)
    write(study, "popularity", found=hits(0.2, seed=1))
    write(study, found=hits(0.4, seed=2))
    return study


def test_users_and_folds_follow_from_how_users_differ(study):
    found = power(study, "basket_all", "popularity", percent=10)
    differences = (hits(0.4, seed=2) - hits(0.2, seed=1)) / 10
    assert found.spread == pytest.approx(differences.std(ddof=1))
    assert found.effect == pytest.approx(0.1 * 0.2)
    assert found.users == users_to_decide(found.spread, found.effect)
    assert found.folds == np.ceil(found.users / N_USERS)
    assert found.available == 5 * N_USERS  # one fold is recorded, of five
    assert "not enough" in str(found)
    assert str(power(study, "basket_all", "popularity", percent=100)).endswith(": enough.")


@pytest.mark.parametrize(
    ("names", "percent", "complaint"),
    [
        (("joint", "popularity"), 5, "are not both recorded on toy"),
        (("joint", "popularty"), 5, "unknown method 'popularty': did you mean 'popularity'"),
        (("joint", "popularity"), 0, "effect = 0: above 0"),
    ],
)
def test_what_cannot_be_told_is_said(study, names, percent, complaint):
    with pytest.raises(InputError, match=complaint):
        power(study, *names, percent)


def test_the_command_says_it_in_a_line(capsys):
    assert main(["power", "joint", "popularity", "--dataset", "tafeng", "--effect", "5"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("joint over popularity: users' differences spread by")
    assert printed.count("\n") == 1
