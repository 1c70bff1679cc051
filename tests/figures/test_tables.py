from dataclasses import replace

import numpy as np
import pytest
from made import made_record, made_row

from nnbr_core.analysis.comparisons import compare_rows, corrected
from nnbr_core.analysis.paper import table as paper_table
from nnbr_core.figures import tables
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


def test_a_method_table_shows_means_intervals_and_the_paper():
    rows = {
        "item_select": made_row("item_select", BETTER, dataset="tafeng"),
        "item_random": made_row("item_random", WORSE, dataset="tafeng"),
        "item_knn": made_row("item_knn", [0.1] * 40, dataset="tafeng"),
    }
    table = tables.method_table(rows, "tafeng", metrics=("recall@10",))
    low, high = interval(np.array(BETTER))
    half = tables.score((high - low) / 2)
    column = table["recall@10 (paper)"]
    assert column["item_select"] == f".5500\u00a0±\u00a0{half} ¹ (.0801)"
    assert column["item_random"].endswith(" ² (.0736)")
    assert column["item_knn"].endswith(".0000 (–)")
    assert table["settings"].tolist() == [1, 1, 1]


def test_a_preview_ranks_nobody():
    rows = {"a": made_row("a", BETTER), "b": made_row("b", WORSE)}
    table = tables.method_table(rows, "toy", ("recall@10",), is_preview=True)
    assert not table["recall@10"].str.contains("¹|²").any()
    assert table.columns.tolist() == ["recall@10", "settings"]  # toy is no dataset of the paper
    one = corrected([compare_rows(rows["a"], rows["b"])])
    shown, preview = (tables.comparison_table(one, is_preview) for is_preview in (False, True))
    assert set(shown) - set(preview) == {"result", "replication"}


def test_rows_over_other_users_stand_in_a_table_of_their_own():
    rows = {"a": made_row("a", WORSE, [0.9] * 40), "b": made_row("b", BETTER), "c": made_row("c")}
    found = tables.method_tables(rows, "toy", ("recall@10",))
    assert list(found) == ["2 folds, 80 users", "1 fold, 40 users"]
    both, first = found.values()
    assert list(both.index) == ["a"] and list(first.index) == ["a", "b"]
    assert first["recall@10"].str[-1].tolist() == ["²", "¹"]


def test_a_comparison_is_shown_with_its_test_and_the_papers_difference():
    a, b = made_row("item_select", BETTER), made_row("item_random", WORSE)
    level = made_row("joint", [0.6, 0.5] * 20)
    pairs = [(a, b), (b, a), (a, level), (a, made_row("x"))]
    table = tables.comparison_table(corrected([compare_rows(*pair) for pair in pairs]))
    assert table.index[0] == "item_select over item_random"
    assert table["result"].tolist() == ["higher", "lower", "cannot be told", "not run"]
    assert table["difference"].tolist() == ["+.2000", "-.2000", "+.0000", "–"]
    assert table["relative"].iloc[0] == "+57.1%"  # .2 of .35
    assert table["users"].tolist() == ["40 (1 fold)"] * 3 + ["0 (0 fold)"]
    assert set(table["paper"]) == set(table["replication"]) == {"–"}  # it does not use toy


def test_the_paper_is_asked_about_the_dataset_at_hand():
    swap = made_row("item_select_swap", BETTER, dataset="tafeng")
    plain = made_row("item_select", WORSE, dataset="tafeng")
    one = corrected([compare_rows(swap, plain), compare_rows(plain, swap)])
    table = tables.comparison_table(one)
    assert table["paper"].tolist() == ["-.0055", "+.0055"]  # .0746 - .0801
    assert table["replication"].tolist() == ["reversed", "reversed"]


def test_places_are_given_per_dataset():
    here = {"joint": made_row("joint", BETTER), "item_select": made_row("item_select", WORSE)}
    there = {"joint": made_row("joint", WORSE), "item_select": made_row("item_select")}
    table = tables.rank_table({"here": here, "there": there}, "recall@10")
    assert table["here"].tolist() == [1, 2]
    assert table["there"].isna().tolist() == [False, True]
    assert table.loc["joint"].tolist() == [1, 1]


def test_the_overview_leaves_out_what_has_fewer_folds():
    here = {"a": made_row("a", [0.5] * 40, [0.5] * 40), "b": made_row("b", BETTER)}
    lines = tables.overview({"here": here, "there": {"a": made_row("a")}}, "recall@10").splitlines()
    assert lines == [
        "|  | here |",
        "| --- | --- |",
        "| a | .5000\u00a0±\u00a0.0000 |",
        "| b | – |",
    ]


def test_seeds_are_shown_beside_the_noise_over_users():
    records = [
        made_record("a", [v, v + 0.2], test={"recall@10": v}, config={"seed": seed})
        for seed, v in enumerate((0.1, 0.2, 0.3))
    ]
    (row,) = tables.seed_table({"basket_all": records}).to_dict("records")
    assert list(row.values()) == [".1000", ".2000", ".3000", ".2000", ".1000", ".1000"]


def test_users_that_folds_share_are_counted():
    row = made_row("popularity", [0.1] * 4, [0.1] * 4)
    assert tables.shared_users(row)["fold 1"].tolist() == ["0%"]  # folds made by hand are disjoint
    twice = [made_record("popularity", [0.1] * 4), made_record("popularity", [0.1] * 2)]
    assert tables.shared_users(replace(row, records=twice))["fold 1"].tolist() == ["50%"]
    assert tables.shared_users(made_row("popularity")).empty


def test_the_published_code_stands_beside_the_same_runs_here():
    theirs = paper_table("public_code")
    one = next(theirs.itertuples())
    ours = made_record("a", [0.1, 0.3], test={"recall@10": one.value + 0.01})
    table = tables.public_code_table(theirs, {(one.strategy, one.fold): ours})
    assert table.index.tolist() == [f"{one.strategy}, fold {one.fold}"]
    assert table["difference"].tolist() == ["+.0100"]
    assert table["standard error over users"].tolist() == [".1000"]
