from collections import Counter

import pytest
import torch

from nnbr_core.batching import collate
from nnbr_core.swapping import SWAPS, code, move, within


@pytest.fixture
def batch():
    """Item b lies in basket b + 1 of five; a second user has one basket."""
    return collate([[[0], [1], [2], [3], [4]], [[5, 6]]])


def destinations(swap, batch, hop, rng, n_draws=400):
    """Where the items of the first user's five baskets go, when all of them move."""
    moved = torch.stack([swap(batch, 1.0, hop, rng).positions[0] for _ in range(n_draws)])
    return [Counter(moved[:, item].tolist()) for item in range(5)]


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_only_positions_of_real_items_change(swap, batch, rng):
    moved = swap(batch, 1.0, 2, rng)
    assert torch.equal(moved.tokens, batch.tokens)
    assert (moved.positions[1] == torch.tensor([1, 1, 0, 0, 0])).all()
    assert not torch.equal(moved.positions[0], batch.positions[0])


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_ratio_zero_is_no_swap(swap, batch, rng):
    assert torch.equal(swap(batch, 0.0, 3, rng).positions, batch.positions)


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_an_item_moves_with_the_probability_it_is_told(swap, rng):
    batch = collate([[[basket] for basket in range(400)]])  # hop 1 always finds another basket
    moved = swap(batch, 0.25, 1, rng).positions != batch.positions
    assert abs(moved.float().mean().item() - 0.25) < 0.09  # four standard errors


def test_code_moves_exactly_hop_and_low_baskets_go_right(batch, rng):
    found = destinations(code, batch, 2, rng)
    assert [set(counter) for counter in found] == [{3}, {4}, {1, 5}, {2, 5}, {3, 5}]
    assert abs(found[2][1] - 200) < 50  # a fair coin over 400 draws: five standard errors


def test_within_reaches_every_basket_up_to_hop_alike(batch, rng):
    found = destinations(within, batch, 2, rng)
    expected = [{2, 3}, {1, 3, 4}, {1, 2, 4, 5}, {2, 3, 5}, {3, 4}]
    assert [set(counter) for counter in found] == expected
    assert all(abs(times - 100) < 45 for times in found[2].values())


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_no_item_leaves_the_sequence(swap, batch, rng):
    moved = swap(batch, 1.0, 9, rng).positions
    assert moved[0].min() >= 1 and moved[0].max() <= 5


def test_a_swap_of_ones_own_is_a_line_with_move_and_padding_stays(batch, rng):
    def to_the_end(batch, ratio, hop, rng):
        return move(batch, batch.last_position.expand_as(batch.positions), ratio, rng)

    assert to_the_end(batch, 1.0, 1, rng).positions.tolist() == [[5] * 5, [1, 1, 0, 0, 0]]
    assert to_the_end(batch, 0.0, 1, rng).positions.tolist() == batch.positions.tolist()
