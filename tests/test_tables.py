import numpy as np
import pytest
from made import made_row

from nnbr_core.experiments.methods import baselines, references
from nnbr_core.experiments.study import Study
from nnbr_core.show import tables
from nnbr_core.significance import interval

BETTER, WORSE = [0.5, 0.6] * 20, [0.3, 0.3, 0.4, 0.4] * 10  # 40 users


def test_the_papers_row_stands_below_ours(three):
    table = tables.dataset_table(three, "tafeng")
    assert table.index.tolist() == ["tafeng, here", "tafeng, paper"]
    assert table["users"].tolist() == ["3", "13,858"]
    assert table["repeat_ratio"].tolist() == ["0.500", "0.188"]
    assert tables.dataset_table(three, "toy").index.tolist() == ["toy, here"]


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (0.0587, {}, ".0587"),
        (1.0, {}, "1.0000"),
        (-0.00001, {"signed": True}, "+.0000"),
        (-0.0123, {"signed": True}, "-.0123"),
        (0.25, {"decimals": 3}, ".250"),
        (float("nan"), {}, "–"),
    ],
)
def test_scores_are_written_as_the_paper_does(value, options, text):
    assert tables.score(value, **options) == text


def test_a_method_table_shows_means_intervals_the_paper_and_what_is_behind():
    rows = {
        "item_select": made_row("item_select", BETTER, dataset="tafeng"),
        "item_random": made_row("item_random", WORSE, dataset="tafeng"),
        "joint": made_row("joint", n_missing=2),
        "item_knn": made_row("item_knn", [0.1] * 40, dataset="tafeng"),
    }
    table = tables.method_table(rows, "tafeng", metrics=("recall@10",))
    low, high = interval(np.array(BETTER))
    assert (
        table.loc["item_select", "recall@10"]
        == f".5500 [.{1000 * low:.0f},\u00a0.{1000 * high:.0f}] ¹"
    )
    assert table["recall@10"].str[-1].tolist() == ["¹", "²", "g", "]"]
    assert table.loc["item_select", "recall@10, paper"] == ".0801 (+.4699)"
    assert table.loc["joint"].tolist() == ["missing", ".1057", 0, 0, 0, 2]
    assert table.loc["item_knn", "recall@10, paper"] == "–"
    assert table.loc["item_random", ["users", "folds", "settings"]].tolist() == [40, 1, 1]


def test_a_dataset_the_paper_does_not_use_has_no_columns_of_it():
    table = tables.method_table({"joint": made_row("joint", BETTER)}, "toy", ("recall@10",))
    assert table.columns.tolist() == ["recall@10", "users", "folds", "settings", "runs missing"]


def test_methods_are_ranked_over_the_folds_they_share():
    rows = {"a": made_row("a", WORSE, [0.9] * 40), "b": made_row("b", BETTER), "c": made_row("c")}
    assert tables.ranked(rows, "recall@10") == ["b", "a"]
    assert tables.ranked({"c": made_row("c")}, "recall@10") == []


def test_a_sentence_says_whether_the_best_is_above_noise():
    far = {"a": made_row("a", BETTER), "b": made_row("b", WORSE)}
    near = {"a": made_row("a", BETTER), "b": made_row("b", [0.6, 0.5] * 20)}
    assert "recall@10: a over b, yes" in tables.best_sentence(far, ["recall@10"])
    assert "recall@10: a over b, no (p = 1)" in tables.best_sentence(near, ["recall@10"])
    assert "nothing to rank" in tables.best_sentence({"c": made_row("c")})


def test_differences_have_a_verdict_only_where_a_test_backs_it():
    a, b = made_row("item_select", BETTER), made_row("item_random", WORSE)
    level = made_row("joint", [0.6, 0.5] * 20)
    table = tables.difference_table([(a, b), (b, a), (a, level), (a, made_row("x"))], "recall@10")
    assert table.index[0] == "item_select vs item_random"
    assert table["verdict"].tolist() == [
        "higher",
        "lower",
        "cannot be told apart",
        "not enough runs",
    ]
    assert table["difference"].tolist() == ["+.2000", "-.2000", "+.0000", "–"]
    assert table["relative"].iloc[0] == "+57.1%"  # .2 of .35
    assert table["users"].tolist() == [40, 40, 40, 0]
    assert table["paper"].tolist() == ["+ on all three", "- on all three", "- on all three", "–"]


def test_p_values_are_corrected_for_the_size_of_the_table():
    weak = ([0.5, 0.4] * 20, [0.4, 0.4, 0.4, 0.5] * 10)
    pair = (made_row("a", weak[0]), made_row("b", weak[1]))
    alone = tables.difference_table([pair], "recall@10")
    among_four = tables.difference_table([pair] * 4, "recall@10")
    assert alone["p Holm"].iloc[0] == alone["p"].iloc[0]
    assert float(among_four["p Holm"].iloc[0]) == pytest.approx(
        4 * float(alone["p"].iloc[0]), rel=0.1
    )


def test_agreement_counts_what_the_paper_found():
    higher = (made_row("item_select", BETTER), made_row("item_random", WORSE))
    against = (made_row("item_select", WORSE), made_row("item_random", BETTER))
    unknown = (made_row("item_select", BETTER), made_row("item_knn", WORSE))
    few = (made_row("item_select"), made_row("item_random", WORSE))
    table = tables.difference_table([higher, against, unknown], "recall@10")
    assert tables.agreement(table) == (
        "Of 2 differences whose sign the paper reports, 1 come out the same way here, 1 the other "
        "way, and 0 are not settled by these runs."
    )
    assert "nothing to compare" in tables.agreement(tables.difference_table([few], "recall@10"))


def test_the_paper_is_asked_about_the_dataset_at_hand():
    swap = made_row("item_select_swap", BETTER, dataset="tafeng")
    plain = made_row("item_select", WORSE, dataset="tafeng")
    table = tables.difference_table([(swap, plain)], "recall@10")
    assert table["paper"].tolist() == ["-.0055"]  # .0746 - .0801
    assert "1 the other way" in tables.agreement(table)


def test_standing_says_what_is_behind_a_table_and_what_is_not(elsewhere):
    study = Study(train_missing=False)
    sentence = tables.standing(study, study.rows(references()))
    assert "0 of 4 methods, no folds, 0 runs, 4 missing, 500 users" in sentence
    study = Study(folds=2)
    sentence = tables.standing(study, study.rows({"popularity": baselines()["popularity"]}))
    assert "1 of 1 methods, 2 of 5 folds, 2 runs, 0 missing, 500 users" in sentence
    assert "quick profile" in sentence


def test_places_are_given_per_dataset():
    here = {"joint": made_row("joint", BETTER), "item_select": made_row("item_select", WORSE)}
    there = {"joint": made_row("joint", WORSE), "item_select": made_row("item_select")}
    table = tables.rank_table({"here": here, "there": there}, "recall@10")
    assert table["here"].tolist() == [1, 2]
    assert table["there"].isna().tolist() == [False, True]
    assert table.loc["joint"].tolist() == [1, 1]
