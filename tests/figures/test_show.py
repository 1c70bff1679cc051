"""What a cell shows: in a preview nothing is ranked or judged."""

import pandas as pd
import pytest
from IPython.display import HTML, Markdown
from made import made_row

from nnbr_core.analysis.comparisons import Comparison, compare_all
from nnbr_core.analysis.study import Study
from nnbr_core.figures import show
from nnbr_core.reports import recorded


@pytest.fixture
def displayed(monkeypatch):
    things = []
    monkeypatch.setattr(show, "display", lambda *shown, **about: things.extend(shown))
    return things


def text(things) -> str:
    return " ".join(one.data for one in things if isinstance(one, Markdown | HTML))


ROWS = {"a": made_row("a", [0.5, 0.6] * 20), "b": made_row("b", [0.3, 0.3, 0.4, 0.4] * 10)}


def test_a_table_comes_with_a_sentence_unless_it_is_a_preview(displayed):
    show.methods(Study("toy", "paper"), ROWS)
    assert "1 fold, 40 users" in text(displayed) and "Is the best (¹) above" in text(displayed)
    displayed.clear()
    show.methods(Study("toy", "quick"), ROWS)
    assert "1 fold, 40 users" in text(displayed) and "Is the best" not in text(displayed)
    displayed.clear()
    show.methods(Study("toy", "paper"), {"c": made_row("c")})
    assert text(displayed) == show.NOTHING


def test_comparisons_name_their_family_and_what_is_not_recorded(displayed):
    found = compare_all({"all": [(ROWS["a"], ROWS["b"]), (ROWS["a"], made_row("c"))]})["all"]
    show.comparisons(Study("toy", "paper"), found)
    (table,) = [one for one in displayed if isinstance(one, pd.DataFrame)]
    assert table.index.tolist() == ["a over b"] and "result" in table
    assert "the 1 comparisons of this page" in text(displayed)
    assert "Not recorded: a over c." in text(displayed)
    displayed.clear()
    show.comparisons(Study("toy", "paper"), [Comparison("a over c")])
    assert text(displayed) == "Not recorded: a over c."


def test_a_preview_judges_no_claims(displayed):
    assert show.claims(Study("toy", "quick"), "RQ1") == []
    assert text(displayed) == show.NO_VERDICTS


def test_claims_of_one_question_are_shown_with_the_thresholds(displayed):
    found = show.claims(recorded("tafeng"), "RQ2")
    assert [one.claim.id for one in found] == ["2a", "2b", "2d", "2e"]
    assert displayed[0]["outcome"].iloc[0] == "▽ smaller than printed"
    assert "p < 0.05" in text(displayed)
    displayed.clear()
    assert show.claims(recorded("completejourney"), "RQ3") == []
    assert "claims nothing about completejourney" in text(displayed)


def test_records_are_folded_away(displayed):
    show.records({"a <b>": ["0123456789abcdef"], "nothing": []})
    assert displayed[0].data == (
        "<details><summary>Records behind these numbers</summary><ul>"
        "<li>a &lt;b&gt;: <code>01234567</code></li></ul></details>"
    )
    show.records_of(ROWS)
    assert "<code>a-0</code>" in displayed[1].data
