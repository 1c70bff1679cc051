import itertools

import numpy as np
import pytest
import torch

from nnbr_core.batching import (
    FIRST_ITEM,
    IGNORE,
    MASK,
    PAD,
    append_mask,
    collate,
    lengths,
    most_recent,
    shuffled_baskets,
    shuffled_batches,
    similar_lengths,
    unordered,
    with_last,
    with_novel_last,
    without_last,
)
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part

# Anna re-buys 0 and ends with 0 and the novel 4; Ben ends with a repeat alone; Cleo tries 1.
ANNA, BEN, CLEO = [[0, 1], [0, 2], [0, 4]], [[3], [3]], [[5, 2], [1]]


@pytest.fixture
def people():
    return part(Baskets.from_lists([ANNA, BEN, CLEO], user_ids=["anna", "ben", "cleo"]))


def users(baskets):
    return [baskets.lists(user) for user in range(baskets.n_users)]


def test_no_sentinel_is_an_item_or_another_sentinel():
    tokens = collate([[[0], [1]]]).tokens
    assert tokens.tolist() == [[FIRST_ITEM, FIRST_ITEM + 1]]
    assert len({PAD, MASK, IGNORE, *tokens[0].tolist()}) == 5


def test_items_of_one_basket_share_its_position_and_padding_has_none():
    batch = collate([[[2, 3], [2, 4]], [[5]]])
    assert batch.tokens.tolist() == [[4, 5, 4, 6], [7, PAD, PAD, PAD]]
    assert batch.positions.tolist() == [[1, 1, 2, 2], [1, 0, 0, 0]]
    assert batch.last_position.tolist() == [[2], [1]]
    assert batch.is_item.sum().item() == 5


def test_the_mask_comes_in_the_basket_after_the_last():
    batch = append_mask(Baskets.from_lists([[[2, 3], [2, 4]], [[5]]]))
    assert batch.tokens.tolist() == [[4, 5, 4, 6, MASK], [7, MASK, PAD, PAD, PAD]]
    assert batch.positions.tolist() == [[1, 1, 2, 2, 3], [1, 2, 0, 0, 0]]


def test_a_view_without_the_last_basket_is_the_history(people):
    assert users(without_last(people)) == [[[0, 1], [0, 2]], [[3]], [[5, 2]]]


def test_a_view_with_the_last_basket_is_the_whole_user(people):
    assert users(with_last(people)) == [ANNA, BEN, CLEO]


def test_the_novel_view_removes_repeats_and_users_left_with_nothing(people):
    rows = with_novel_last(people)
    assert users(rows) == [[[0, 1], [0, 2], [4]], [[5, 2], [1]]]
    assert rows.user_ids.tolist() == ["anna", "cleo"]


def test_the_latest_whole_baskets_are_kept_and_the_oldest_may_cross_the_limit():
    baskets = Baskets.from_lists([[[0], [1, 2], [3, 4]], [[5]]])
    assert users(most_recent(baskets, max_length=2)) == [[[3, 4]], [[5]]]
    assert users(most_recent(baskets, max_length=3)) == [[[1, 2], [3, 4]], [[5]]]
    assert users(most_recent(baskets, max_length=5)) == users(baskets)
    assert users(most_recent(baskets, max_length=5, max_baskets=1)) == [[[3, 4]], [[5]]]


def test_positions_restart_at_one_after_truncation():
    recent = most_recent(Baskets.from_lists([[[0], [1, 2], [3, 4]]]), max_length=3)
    assert collate(recent).positions.tolist() == [[1, 1, 2, 2]]


def test_batches_hold_every_user_once_and_neighbours_in_length():
    length = np.array([9, 1, 5, 2, 8, 4])
    batches = similar_lengths(length, 2)
    assert [sorted(length[batch]) for batch in batches] == [[1, 2], [4, 5], [8, 9]]


def test_an_epoch_shuffles_batches_and_who_shares_one():
    length, rng = np.full(10, 7), torch.Generator().manual_seed(0)
    first, second = (shuffled_batches(length, 4, rng) for _ in range(2))
    assert sorted(np.concatenate(first)) == sorted(np.concatenate(second)) == list(range(10))
    assert {frozenset(batch) for batch in first} != {frozenset(batch) for batch in second}
    again = shuffled_batches(length, 4, torch.Generator().manual_seed(0))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def test_shuffled_batches_need_little_padding():
    length = np.arange(1, 1001)
    batches = shuffled_batches(length, 50, torch.Generator().manual_seed(0))
    padded = sum(len(batch) * length[batch].max() for batch in batches)
    assert padded < 1.15 * length.sum()


def test_lengths_count_items_not_baskets():
    assert lengths(Baskets.from_lists([ANNA, BEN])).tolist() == [6, 2]


VISITS = [[[0], [1, 2], [3], [4, 5, 6]], [[7, 8], [9]]]


@pytest.mark.parametrize("keeps_last", [True, False])
def test_shuffling_moves_whole_baskets_within_their_user(keeps_last):
    baskets, rng = Baskets.from_lists(VISITS), torch.Generator().manual_seed(0)
    seen = [users(shuffled_baskets(baskets, rng, keeps_last)) for _ in range(200)]
    for number, visits in enumerate(VISITS):
        assert all(sorted(shuffled[number]) == visits for shuffled in seen)
    orders = {str(shuffled[0]) for shuffled in seen}
    ends = {str(shuffled[0][-1]) for shuffled in seen}
    assert len(orders) == (6 if keeps_last else 24)  # all of them: 3! and 4!
    assert ends == ({"[4, 5, 6]"} if keeps_last else {str(visit) for visit in VISITS[0]})


def test_a_shuffled_basket_shares_one_position():
    shuffled = shuffled_baskets(Baskets.from_lists(VISITS), torch.Generator(), keeps_last=True)
    batch = collate(shuffled)
    items = (batch.tokens[0] - FIRST_ITEM).tolist()
    number = dict(zip(items, batch.positions[0].tolist(), strict=True))
    assert sorted({number[0], number[1], number[3]}) == [1, 2, 3]
    assert number[1] == number[2]
    assert [number[item] for item in (4, 5, 6)] == [4, 4, 4]


def test_an_order_that_follows_from_contents_forgets_the_one_before():
    every = [list(visits) for visits in itertools.permutations(VISITS[0])]
    found = users(unordered(Baskets.from_lists([*every, VISITS[1]])))
    assert all(user == found[0] for user in found[:-1])
    assert sorted(found[0]) == VISITS[0] and sorted(found[-1]) == VISITS[1]


def test_the_order_that_follows_from_contents_is_as_good_as_random():
    visits = [[[2 * user], [2 * user + 1]] for user in range(1000)]
    found = users(unordered(Baskets.from_lists(visits)))
    turned = sum(new != old for new, old in zip(found, visits, strict=True))
    assert abs(turned - 500) < 80  # five standard errors
