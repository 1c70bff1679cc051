import pytest

from nnbr_core.experiments.claim_list import CLAIMS
from nnbr_core.experiments.claims import Finding
from nnbr_core.experiments.evidence import Check
from nnbr_core.show.claim_tables import (
    bounds,
    check_table,
    claim_table,
    definitions,
    effect,
    sentence,
    verdict_table,
)

CLAIM = {claim.id: claim for claim in CLAIMS}
UP = Check("a over b", 0.0123, 0.001, 0.02, 0.004, 0.1, "recall@10", 412, 1, ("x1", "x2"))
HELD = Finding(CLAIM["5b"], "tafeng", "holds", (UP,))
OPEN = Finding(CLAIM["2e"], "tafeng", "not enough runs", (Check("c over d"),))


@pytest.mark.parametrize(
    ("check", "shown", "interval"),
    [
        (UP, "+.0123", "[+.0010, +.0200]"),
        (Check("peak", 2.5, -1, 6, 0.1, 3, "epochs", 2, 2), "+2.5 epochs", "[-1.0, +6.0]"),
        (Check("users", -900.0, -900, -900, 1.0, 1e3, "users", 9, 5), "-900", "–"),
        (Check("nothing"), "–", "–"),
    ],
)
def test_differences_are_shown_in_their_unit(check, shown, interval):
    assert (effect(check), bounds(check)) == (shown, interval)


def test_a_finding_is_one_line():
    assert sentence(HELD) == (
        "tafeng: holds (a over b +.0123, [+.0010, +.0200], p = 0.004, 1 fold)."
    )
    assert sentence(OPEN) == "tafeng: not enough runs."


def test_the_claim_table_says_what_decides_and_what_is_missing():
    table = claim_table([HELD, OPEN])
    assert table.index.tolist() == ["5b", "2e"]
    assert table.loc["5b", ["verdict", "p Holm", "users", "folds"]].tolist() == [
        "holds",
        "0.004",
        412,
        1,
    ]
    assert table["comparisons"].tolist() == ["1 of 1", "0 of 1"]
    assert table.loc["2e", "difference"] == "–" and table.loc["2e", "folds"] == 0
    assert table["notebook"].tolist() == ["rq5_joint", "rq2_masking"]


def test_datasets_stand_side_by_side():
    other = Finding(CLAIM["X1"], "toy", "does not hold", (UP,))
    table = verdict_table({"tafeng": [HELD, OPEN], "toy": [other]})
    assert table.index.tolist() == ["2e", "5b", "X1"]
    assert table.loc["5b"].tolist()[1:] == ["holds<br>+.0123, 1 fold", "–"]
    assert table.loc["X1", "toy"] == "does not hold<br>+.0123, 1 fold"
    assert table.loc["2e", "tafeng"] == "not enough runs"


def test_definitions_name_what_is_compared_and_how_it_is_judged():
    table = definitions("instacart")
    assert table.loc["2e", "claim"] == "basket_explore is worse than basket_all"
    assert table.loc["2e", "compared"] == "basket_all over basket_explore"
    assert table.loc["2e", "rule"].startswith("Holds if every difference is significantly")
    assert "2b" not in table.index


def test_every_recorded_comparison_is_listed_with_its_records():
    table = check_table([HELD, OPEN])
    assert table.index.tolist() == ["5b"]
    assert table.loc["5b", ["relative", "records"]].tolist() == ["+12.3%", "x1 x2"]
    assert check_table([OPEN]).empty
