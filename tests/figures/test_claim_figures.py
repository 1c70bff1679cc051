"""Findings as tables and pictures."""

from dataclasses import replace

import pytest

from nnbr_core.analysis.claims import CLAIMS
from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.analysis.findings import Finding
from nnbr_core.analysis.outcomes import (
    NOT_RUN,
    OUTCOMES,
    REPLICATES,
    REVERSED,
    SYMBOLS,
    UNDECIDED,
)
from nnbr_core.figures.claim_tables import (
    behind_claims,
    claim_table,
    definitions,
    looked_for,
    outcome_table,
    power,
)
from nnbr_core.figures.claims import LOOKS, forest, outcome_matrix
from nnbr_core.figures.tables import difference, span

CLAIM = {claim.id: claim for claim in CLAIMS}
UP = Comparison(
    "a over b",
    "recall@10",
    0.0123,
    0.001,
    0.02,
    p_holm=0.004,
    reference=0.1,
    printed=0.01,
    spread=0.1,
    n=412,
    folds=1,
    ids=("x1", "x2"),
)
EPOCHS = Comparison("peak", "epochs", 2.5, -1, 6, reference=3, spread=2.0, n=2, folds=2)
USERS = Comparison("users", "users", -900.0, -900, -900, reference=1e3, n=9, folds=5)
NOTHING = Comparison("c over d")
HELD = Finding(CLAIM["5b"], "tafeng", REPLICATES, (UP,))
OPEN = Finding(CLAIM["5a"], "tafeng", UNDECIDED, (UP,))
ABSENT = Finding(CLAIM["2e"], "tafeng", NOT_RUN, (NOTHING,))


@pytest.mark.parametrize(
    ("one", "shown", "interval", "effect"),
    [
        (UP, "+.0123", "[+.0010,\u00a0+.0200]", "+.0100"),
        (replace(UP, printed=-0.01), "+.0123", "[+.0010,\u00a0+.0200]", "+.0030 (not printed)"),
        (EPOCHS, "+2.5 epochs", "[-1.0,\u00a0+6.0]", "+.1 (not printed)"),
        (USERS, "-900", "–", "–"),
        (NOTHING, "–", "–", "–"),
    ],
)
def test_differences_are_shown_in_their_unit_beside_what_is_looked_for(
    one, shown, interval, effect
):
    assert (difference(one), span(one), looked_for(one)) == (shown, interval, effect)


def test_an_undecided_claim_says_how_many_would_decide_it():
    assert power(OPEN) == "1,537 users"  # (2 x 1.96 x 0.1 / 0.01) squared
    peaks = Finding(CLAIM["4f"], "dunnhumby", UNDECIDED, (EPOCHS,))
    assert power(peaks).endswith(" folds")
    assert [power(one) for one in (HELD, ABSENT)] == ["", ""]


def test_the_claim_table_says_what_decides():
    table = claim_table([HELD, OPEN, ABSENT])
    assert table.index.tolist() == ["5b", "5a", "2e"]
    assert table["outcome"].tolist() == [
        f"{SYMBOLS[one]} {one}" for one in (REPLICATES, UNDECIDED, NOT_RUN)
    ]
    assert table.loc["5b", ["decided by", "users"]].tolist() == ["a over b", "412"]
    assert table["would decide"].tolist() == ["", "1,537 users", ""]
    assert table.loc["2e", "difference"] == "–"


def test_every_comparison_behind_an_outcome_is_listed():
    table = behind_claims([Finding(CLAIM["5b"], "tafeng", NOT_RUN, (UP, NOTHING))])
    assert table["comparison"].tolist() == ["a over b", "c over d"]
    assert table["relative"].tolist() == ["+12.3%", "–"]
    assert table["p Holm"].tolist() == ["0.004", "–"] and table["folds"].tolist() == [1, 0]


def test_datasets_stand_side_by_side():
    other = Finding(CLAIM["X1"], "toy", REVERSED, (UP,))
    table = outcome_table({"tafeng": [HELD, ABSENT], "toy": [other]})
    assert table.index.tolist() == ["2e", "5b", "X1"]
    assert table.loc["5b"].tolist()[1:] == ["● replicates", "–"]
    assert table.loc["X1", "toy"] == "✕ reversed"
    assert table.loc["2e", "tafeng"] == "– not run"


def test_the_matrix_has_a_coloured_cell_with_a_symbol_for_every_outcome():
    other = Finding(CLAIM["X1"], "toy", REVERSED, (UP,))
    drawn = outcome_matrix({"tafeng": [HELD, ABSENT], "toy": [other]})
    cells = {
        trace.name: list(zip(trace.x, trace.y, trace.text, strict=True)) for trace in drawn.data
    }
    assert cells["● replicates"] == [("tafeng", f"5b  {CLAIM['5b'].text}", "●")]
    assert [x for x, *_ in cells["✕ reversed"]] == ["toy"]
    assert sum(map(len, cells.values())) == 3


def test_definitions_name_what_is_compared_and_how_it_is_judged():
    table = definitions("instacart")
    assert table.loc["2e", "claim"] == "basket_explore is worse than basket_all"
    assert table.loc["2e", "compared"] == "basket_all over basket_explore"
    assert table.loc["2e", "rule"].startswith("Every comparison must replicate.")
    assert "5 %" in table.loc["5b", "rule"].replace("5%", "5 %")
    assert "2b" not in table.index


def test_the_deciding_comparison_is_drawn_relative_to_its_reference():
    drawn = forest(
        [Finding(CLAIM["5b"], "toy", REPLICATES, (replace(UP, difference=0.01),)), ABSENT]
    )
    (trace,) = [trace for trace in drawn.data if len(trace.x)]
    assert trace.name == REPLICATES and list(trace.y) == ["5b (toy)"]
    assert trace.x[0] == pytest.approx(0.1)
    assert trace.error_x.array[0] == pytest.approx(0.1)
    assert trace.error_x.arrayminus[0] == pytest.approx(0.09)
    assert "No claim can be judged" in forest([]).layout.annotations[0].text


def test_outcomes_differ_in_colour_and_shape():
    assert set(LOOKS) == set(OUTCOMES)
    assert len({look.colour for look in LOOKS.values()}) == len(OUTCOMES)
    assert len({look.symbol for look in LOOKS.values()}) == len(OUTCOMES)
