import math

import pytest

from nnbr_core.errors import InputError
from nnbr_core.experiments import paper


def test_printed_scores_are_found_under_our_metric_names():
    assert paper.baseline("tafeng", "g_topfreq", "all", "recall@10") == 0.0587
    assert paper.baseline("tafeng", "g_topfreq", "all", "ndcg_code@10") == 0.0603
    assert paper.strategy("instacart", "joint", "recall@20") == 0.0934


def test_what_is_not_printed_is_not_a_number():
    assert math.isnan(paper.baseline("tafeng", "g_topfreq", "explore", "recall@10"))
    assert math.isnan(paper.strategy("completejourney", "joint", "recall@10"))


def test_the_dataset_table_has_the_papers_three():
    assert paper.dataset_row("dunnhumby")["users"] == 22_530
    assert paper.dataset_row("toy") == {}
    assert set(paper.table("datasets")["dataset"]) == set(paper.DATASETS)


def test_every_strategy_is_printed_for_every_dataset_and_metric():
    table = paper.table("btbr")
    assert len(table) == 3 * 8 * 4
    assert not table.duplicated(["dataset", "strategy", "metric"]).any()


def test_an_unknown_table_is_refused():
    with pytest.raises(InputError, match="did you mean 'baselines'"):
        paper.table("baseline")
