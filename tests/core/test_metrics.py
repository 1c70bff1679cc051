import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnbr_core.metrics import (
    METRICS,
    hit_rate_at,
    metric_table,
    ndcg_at,
    ndcg_code_at,
    precision_at,
    recall_at,
)

LOG3 = math.log2(3)
HIT = np.array([[True, False, True], [False, False, False], [False, False, False]])
N_RELEVANT = np.array([4, 2, 0])


def obvious(name: str, k: int, hit: list[bool], n_relevant: int) -> float:
    """Each metric as its definition reads, for one user."""
    if n_relevant == 0:
        return math.nan
    found = hit[:k]
    gain = sum(1 / math.log2(rank + 1) for rank, is_hit in enumerate(found, 1) if is_hit)
    n_ideal = min(k, n_relevant) if name == "ndcg" else n_relevant
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, n_ideal + 1))
    return {
        "recall": sum(found) / n_relevant,
        "precision": sum(found) / k,
        "hit_rate": float(any(found)),
        "ndcg": gain / ideal,
        "ndcg_code": gain / ideal,
    }[name]


@pytest.mark.parametrize("name", METRICS)
@given(data=st.data())
def test_metrics_agree_with_their_definitions(name, data):
    depth = data.draw(st.integers(1, 8))
    hit = data.draw(st.lists(st.lists(st.booleans(), min_size=depth, max_size=depth), min_size=1))
    n_relevant = [data.draw(st.integers(sum(row), 12)) for row in hit]
    k = data.draw(st.integers(1, depth))
    expected = [obvious(name, k, *user) for user in zip(hit, n_relevant, strict=True)]
    computed = METRICS[name](k, np.array(hit), np.array(n_relevant))
    np.testing.assert_allclose(computed, expected, rtol=1e-12)


def test_two_of_four_wanted_items_are_half_the_recall():
    assert recall_at(3, HIT, N_RELEVANT)[:2].tolist() == [2 / 4, 0]
    assert precision_at(3, HIT, N_RELEVANT)[0] == 2 / 3
    assert hit_rate_at(3, HIT, N_RELEVANT)[:2].tolist() == [1, 0]


def test_only_the_first_k_ranks_count():
    assert recall_at(2, HIT, N_RELEVANT)[0] == 1 / 4


def test_the_two_ndcgs_differ_in_the_ideal_list():
    gain = 1 + 1 / 2  # ranks 1 and 3
    cut = 1 + 1 / LOG3 + 1 / 2  # three places for four wanted items
    assert ndcg_at(3, HIT, N_RELEVANT)[0] == pytest.approx(gain / cut)
    assert ndcg_code_at(3, HIT, N_RELEVANT)[0] == pytest.approx(gain / (cut + 1 / math.log2(5)))


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_a_user_who_wanted_nothing_has_no_value(metric):
    assert np.isnan(metric(3, HIT, N_RELEVANT)[2])


def test_the_table_has_a_column_per_metric_and_k():
    table = metric_table(HIT, N_RELEVANT, ks=(1, 3))
    assert len(table.columns) == 2 * len(METRICS)
    assert table["recall@1"].tolist()[:2] == [1 / 4, 0]
