"""What the index of a gallery says about each notebook."""

import nbformat
import numpy as np
from nbformat.v4 import new_code_cell, new_notebook, new_output

from nnbr_core.analysis.demo import DEMO_FOLD, demo_rows, hits_per_user
from nnbr_core.analysis.parameters import banner
from nnbr_core.analysis.study import Study
from nnbr_core.data.folds import split
from nnbr_core.data.sources import SOURCES
from nnbr_core.figures import sentences
from nnbr_core.figures.show import FINDING
from nnbr_core.gallery import Done, _article, about
from nnbr_core.runs.registry import MODELS
from nnbr_core.runs.run import data_for


def shown(*outputs) -> nbformat.NotebookNode:
    return new_notebook(cells=[new_code_cell(outputs=list(outputs))])


def found(sentence: str):
    data = {"text/plain": "a table"}
    return new_output("display_data", data, metadata={FINDING: sentence})


FIRST_LINE = new_output("stream", name="stdout", text="toy: 9 users, 1 of 5 folds\nmore\n")


def test_users_and_folds_are_the_first_line_and_the_last_finding_counts():
    said = about(shown(FIRST_LINE, found("first"), found("last"), new_output("display_data")))
    assert said == {
        "about": "toy: 9 users, 1 of 5 folds",
        "finding": "last",
        "is_preview": False,
    }


def test_a_preview_is_called_one():
    page = new_output("display_data", {"text/html": banner(Study())})
    assert about(shown(FIRST_LINE, page))["is_preview"]


def test_an_entry_names_question_finding_users_folds_and_time():
    done = Done("rq9", "Is it?", 12.3, "", "<svg/>", "toy: 9 users, 1 of 5 folds", "a < b", True)
    entry = _article(done)
    assert '<a href="rq9.html">Is it?</a>' in entry
    assert "rq9, toy: 9 users, 1 of 5 folds, 12 s" in entry
    assert '<p class="finding">a &lt; b</p>' in entry
    assert "PREVIEW" in entry


def test_the_tour_shows_the_runs_of_one_fold_and_says_what_they_find(elsewhere):
    rows = demo_rows(Study(), "basket_all")
    assert list(rows) == ["popularity", "item_knn", "basket_all"]
    assert {row.records[0].config["fold"] for row in rows.values()} == {DEMO_FOLD}
    low, high = rows["basket_all"].interval("recall@10")
    assert low < rows["basket_all"].mean("recall@10") < high
    said = sentences.over(rows["basket_all"], rows["popularity"], is_preview=True)
    assert said.startswith("basket_all finds ") and "a preview judges not" in said
    assert "p = " in sentences.over(rows["basket_all"], rows["popularity"])


def test_hits_count_what_was_bought_next():
    config = Study().config("popularity", 0)
    baskets = data_for(config)
    fold = split(baskets, 0)
    model = MODELS["popularity"].make(config.settings, baskets, 0)
    model.fit(fold.train, fold.validation, fold.test.histories)
    n_hits = hits_per_user(model, fold.test, 20, k=10)
    best = model.score(fold.test.histories.select(np.array([3])))[0]
    bought = fold.test.histories.matrix()[3].indices
    best[bought] = -np.inf
    wanted = fold.test.labels("explore")[3].indices
    assert n_hits[3] == len(set(np.argsort(-best, kind="stable")[:10]) & set(wanted))
    assert len(n_hits) == 20


def test_how_often_lists_are_liked_is_said():
    said = sentences.liked(np.array([0, 3, 1, 0]))
    assert said.startswith("3 of these 10 were in the next basket. Of 4 test users, 2 went on")


def test_datasets_are_called_what_their_publishers_call_them():
    said = SOURCES["completejourney"].what
    assert "simulated" in said and "not for academic research" in said
    assert "simulated rows" in sentences.about_data(Study("completejourney", "paper"))
    assert not any("simulated" in SOURCES[name].what for name in ("tafeng", "tafeng_raw"))
