"""The one list of rows, and what the paper prints for each."""

import math

import pytest

from nnbr_core.analysis import paper
from nnbr_core.analysis.methods import (
    baselines,
    each,
    every_row,
    listed,
    references,
    strategies,
    swapped,
    unswapped,
)
from nnbr_core.errors import InputError
from nnbr_core.runs.config import configure

METHODS = every_row() | {"item_select_swap": swapped("item_select", 0.5)}


def test_each_is_every_combination():
    assert each(a=(1, 2), b="x") == ({"a": 1, "b": "x"}, {"a": 2, "b": "x"})
    assert each() == ({},)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_setting_of_every_method_can_be_run(method):
    configs = [configure("toy", method.model, **one) for one in (*method.grid, *method.more)]
    assert {config.model for config in configs} == {method.model}
    if method.labels:
        assert {config.settings.labels for config in configs} == {method.labels}


def test_swaps_are_few_in_a_preview_and_all_25_where_recorded():
    quick, full = (swapped("item_select", 0.3, profile) for profile in ("quick", "paper"))
    assert [len(one.grid) for one in (quick, full)] == [4, 9]
    assert (len(quick.more), len(full.more), full.folds) == (0, 25, 1)
    assert unswapped("item_select", 0.3).grid == ({"masking": "item_select", "mask_ratio": 0.3},)


def test_the_list_of_runs_can_be_read():
    table = listed(baselines() | {"item_select_swap": METHODS["item_select_swap"]})
    assert table.loc["popularity"].tolist() == ["popularity", "–", "–", "all"]
    assert table.loc["beacon, all", "settings"] == "labels all; alpha 0.5, 0.0"
    assert table.loc["clea, all", "also, where recorded"] == "labels all; dim 16, 32, 128"
    assert table.loc["item_select_swap", "folds"] == 1


def test_the_papers_number_is_found_for_every_kind_of_method():
    for name, metric, value in (
        ("popularity", "recall@10", 0.0587),
        ("popularity", "ndcg_code@10", 0.0603),
        ("clea, explore", "recall@10", 0.1010),
        ("joint", "ndcg_code@10", 0.0870),
        ("item_select_swap", "recall@10", 0.0746),
    ):
        assert paper.printed(METHODS[name], "tafeng", metric) == value
    assert paper.strategy("instacart", "joint", "recall@20") == 0.0934
    for method in (*baselines().values(), *strategies().values()):
        assert paper.printed(method, "tafeng", "recall@10") > 0.05
    assert all(not method.paper for method in references().values())


def test_what_is_not_printed_is_not_a_number():
    joint, knn = METHODS["joint"], METHODS["item_knn"]
    assert math.isnan(paper.printed(knn, "tafeng", "recall@10"))
    assert math.isnan(paper.printed(joint, "toy", "recall@10"))
    assert math.isnan(paper.baseline("tafeng", "g_topfreq", "explore", "recall@10"))
    assert math.isnan(paper.printed_effect(joint, knn, "tafeng", "recall@10", 0.1))
    assert paper.best_printed([knn], "tafeng") is None


def test_the_best_baseline_of_the_paper_is_the_highest_printed():
    assert paper.best_printed(baselines().values(), "tafeng").name == "dnntsp, all"
    best = max(paper.printed(method, "tafeng", "recall@10") for method in baselines().values())
    assert paper.strategy("tafeng", "best_baseline", "recall@10") == best == 0.1024


def test_the_dataset_table_has_the_papers_three():
    assert paper.dataset_row("dunnhumby")["users"] == 22_530
    assert paper.dataset_row("dunnhumby_windows") == paper.dataset_row("dunnhumby")
    assert paper.dataset_row("toy") == {}
    assert set(paper.table("datasets")["dataset"]) == set(paper.DATASETS)


def test_every_strategy_is_printed_for_every_dataset_and_metric():
    table = paper.table("btbr")
    assert len(table) == 3 * 8 * 4
    assert not table.duplicated(["dataset", "strategy", "metric"]).any()


def test_an_unknown_table_is_refused():
    with pytest.raises(InputError, match="did you mean 'baselines'"):
        paper.table("baseline")
