import pytest

from nnbr_core.experiments.claim_list import CLAIMS
from nnbr_core.experiments.verdicts import all_higher, level, not_higher, not_lowest

IDS = "D1 1b 1c 1d 1e 2a 2b 2c 2d 2e 3a 3b 3c 3d 4a 4b 4c 4d 4e 4f 5a 5b X1".split()


def test_every_claim_is_there_and_says_what_is_compared():
    assert list(dict.fromkeys(claim.id for claim in CLAIMS)) == IDS
    assert all(claim.text and claim.compared and claim.rule.__doc__ for claim in CLAIMS)


def about(dataset: str) -> dict:
    return {claim.id: claim.rule for claim in CLAIMS if claim.is_about(dataset)}


@pytest.mark.parametrize(
    ("dataset", "without"),
    [
        ("tafeng", "2c 3b 3d 4c 4f"),
        ("dunnhumby", "2b 3a 3d 4b"),
        ("instacart", "1e 2b 3a 3c 4b"),
        ("completejourney", "D1 1e 2a 2b 2c 3a 3b 3c 3d 4b 4c 4f"),
    ],
)
def test_a_claim_is_judged_only_where_the_paper_makes_it(dataset, without):
    claims = [claim.id for claim in CLAIMS if claim.is_about(dataset)]
    assert claims == [name for name in IDS if name not in without.split()]


def test_some_claims_say_another_thing_on_another_dataset():
    assert about("tafeng")["1b"] is all_higher and about("instacart")["1b"] is not_lowest
    assert about("tafeng")["2a"] is all_higher and about("dunnhumby")["2a"] is level
    assert about("tafeng")["2e"] is not_higher and about("instacart")["2e"] is all_higher
