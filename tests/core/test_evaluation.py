import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nnbr_core import evaluation
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part
from nnbr_core.errors import InputError
from nnbr_core.evaluation import (
    NOBODY,
    SHELF,
    breakdown,
    mask_repeats,
    per_user,
    reach,
    top_any,
    top_k,
    top_novel,
)


def slow_top_k(scores: np.ndarray, k: int) -> list[list[int]]:
    ranked = [sorted(range(len(row)), key=lambda i: (-row[i], i))[:k] for row in scores]
    return [
        [i if scores[u][i] != -np.inf else NOBODY for i in items] for u, items in enumerate(ranked)
    ]


@given(
    arrays(np.float32, (3, 9), elements=st.sampled_from([-np.inf, -1, 0, 0.5, 2])),
    st.integers(1, 9),
)
def test_ties_are_ordered_by_item_number(scores, k):
    assert top_k(scores, k).tolist() == slow_top_k(scores, k)


@given(
    arrays(np.float32, (3, 4 * 3 * SHELF + 5), elements=st.sampled_from([-np.inf, -1, 0, 0.5, 2])),
    st.integers(1, 3),
)
def test_a_long_catalogue_is_ranked_as_if_all_of_it_were_sorted(scores, k):
    assert top_k(scores, k).tolist() == slow_top_k(scores, k)


def test_long_lists_of_random_scores_are_those_of_a_full_sort():
    scores = np.random.default_rng(0).integers(500, size=(40, 3000)).astype(np.float32)
    assert top_k(scores, 20).tolist() == slow_top_k(scores, 20)


def test_more_places_than_items_are_refused():
    with pytest.raises(InputError, match="k = 4 is more than the 3 items"):
        top_k(np.zeros((1, 3), dtype=np.float32), 4)


def test_scores_that_are_not_numbers_are_refused():
    scores = np.zeros((2, 3), dtype=np.float32)
    scores[1, 2] = np.nan
    with pytest.raises(InputError, match="user 1"):
        top_k(scores, 1)


@pytest.mark.parametrize("place", [0, 700, 2999])
def test_a_hole_anywhere_in_a_long_row_of_ties_is_found(place):
    scores = np.ones((3, 3000), dtype=np.float32)
    scores[2, place] = np.nan
    with pytest.raises(InputError, match="user 2"):
        top_k(scores, 5)


def test_nothing_bought_before_is_recommended(three):
    top = top_novel(lambda histories: np.ones((histories.n_users, 5)), three.histories(), 5)
    assert top.tolist() == [[3, 4, -1, -1, -1], [0, 2, 4, -1, -1], [1, 2, 3, -1, -1]]


def test_masking_leaves_the_given_scores_alone(three):
    scores = np.ones((3, 5), dtype=np.float32)
    mask_repeats(scores, three.histories())
    assert (scores == 1).all()


def test_users_are_scored_in_blocks_with_the_same_result(three, monkeypatch):
    def score(histories: Baskets) -> np.ndarray:
        return histories.matrix().toarray() * -1 + np.arange(5)

    at_once = top_novel(score, three.histories(), 2)
    monkeypatch.setattr(evaluation, "USERS_AT_ONCE", 2)
    assert np.array_equal(top_novel(score, three.histories(), 2), at_once)


def test_only_novel_items_of_the_target_count(three):
    top = np.array([[3, 4], [4, 2], [1, 2]])
    table = per_user(top, part(three), ks=(1, 2))
    assert table["recall@1"].tolist()[:2] == [1, 0]
    assert table["recall@2"].tolist()[:2] == [1, 1 / 2]
    assert np.isnan(table["recall@2"][2])  # C bought nothing new


def test_an_empty_place_is_never_a_hit(three):
    table = per_user(np.full((3, 2), NOBODY), part(three), ks=(2,))
    assert table["recall@2"].tolist()[:2] == [0, 0]


def test_reach_counts_the_catalogue_and_weighs_popularity():
    shown = np.array([[0, 1], [0, NOBODY]])
    found = reach(shown, np.array([6, 2, 2]), k=2)
    assert found["coverage@2"] == 2 / 3
    assert found["popularity@2"] == pytest.approx(1000 * (0.6 + 0.2 + 0.6) / 3)


def test_breakdown_splits_recall_into_repeats_and_discoveries(three):
    def score(histories):
        return np.array([[0, 5, 0, 4, 0]] * histories.n_users, dtype=np.float32)

    table = breakdown(top_any(score, three.histories(), 2), part(three), 2)  # everyone: 1, 3
    assert table["repeat_share"].tolist() == [1 / 2, 1, 0]
    assert table["recall_all@2"].tolist() == [1, 0, 0]
    assert table["recall_repeat@2"][0] == 1
    assert table["recall_novel@2"].tolist()[:2] == [1, 0]
    assert np.isnan(table["recall_repeat@2"][1])  # B's target is all novel
