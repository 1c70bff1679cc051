import pytest
import torch

from nnbr_core.batching import IGNORE, MASK, PAD, collate, with_novel_last
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part
from nnbr_core.masking import (
    BASKET_VIEWS,
    MASKERS,
    hide,
    item_random,
    item_select,
    last_basket,
    one_mask,
)

ITEM_LEVEL = {name: mask for name, mask in MASKERS.items() if name not in BASKET_VIEWS}


@pytest.fixture
def batch():
    """Anna buys 2 in both baskets; Ben buys one item, ever; Cleo buys ten things."""
    return collate([[[2, 3], [2, 4]], [[5]], [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]])


@pytest.mark.parametrize("mask", MASKERS.values(), ids=MASKERS)
def test_inputs_and_labels_rebuild_the_batch(mask, batch, rng):
    inputs, labels = mask(batch, 0.5, rng)
    rebuilt = torch.where(labels == IGNORE, inputs, labels)
    assert torch.equal(rebuilt, batch.tokens)
    assert torch.equal(inputs == MASK, labels != IGNORE)


@pytest.mark.parametrize("mask", MASKERS.values(), ids=MASKERS)
def test_padding_is_never_hidden(mask, batch, rng):
    for _ in range(50):
        inputs, labels = mask(batch, 0.9, rng)
        assert torch.equal(inputs == PAD, batch.tokens == PAD)
        assert not (labels == PAD).any()


@pytest.mark.parametrize("mask", MASKERS.values(), ids=MASKERS)
def test_the_same_generator_hides_the_same_items(mask, batch):
    one, two = (mask(batch, 0.5, torch.Generator().manual_seed(7)) for _ in range(2))
    assert torch.equal(one.inputs, two.inputs)


@pytest.mark.parametrize("mask", ITEM_LEVEL.values(), ids=ITEM_LEVEL)
@pytest.mark.parametrize("ratio", [0.01, 0.99])
def test_something_is_hidden_and_something_stays_visible(mask, ratio, batch, rng):
    for _ in range(50):
        inputs, _ = mask(batch, ratio, rng)
        n_hidden = (inputs == MASK).sum(dim=1)
        assert 1 <= n_hidden[0] <= 3 and 1 <= n_hidden[2] <= 9
        assert n_hidden[1] == 0  # hiding Ben's only item would leave nothing to go by


def test_random_hides_the_share_it_is_told(rng):
    batch = collate([[list(range(1000))]])
    hidden = item_random(batch, 0.3, rng).inputs == MASK
    assert abs(hidden.float().mean().item() - 0.3) < 0.06  # four standard errors


def test_random_may_leave_a_copy_of_what_it_hides(batch, rng):
    twin = [item_random(batch, 0.5, rng).inputs[0, [0, 2]] == MASK for _ in range(50)]
    assert any(first != second for first, second in twin)


def test_select_hides_all_copies_or_none(batch, rng):
    for _ in range(50):
        is_hidden = item_select(batch, 0.5, rng).inputs[0] == MASK
        assert is_hidden[0] == is_hidden[2]


@pytest.mark.parametrize(("ratio", "n_hidden"), [(0.1, 1), (0.3, 3), (0.55, 6), (0.99, 9)])
def test_select_hides_the_share_of_distinct_items_rounded_up(ratio, n_hidden, batch, rng):
    assert (item_select(batch, ratio, rng).inputs[2] == MASK).sum() == n_hidden


def test_select_chooses_every_item_alike(batch, rng):
    n_draws = 2000
    times = sum((item_select(batch, 0.1, rng).inputs[2] == MASK).long() for _ in range(n_draws))
    assert (times - n_draws / 10).abs().max() < 5 * (n_draws * 0.1 * 0.9) ** 0.5


def test_the_last_basket_is_hidden_and_nothing_before_it(batch, rng):
    inputs, labels = last_basket(batch, 0.5, rng)
    assert inputs[0].tolist()[:4] == [4, 5, MASK, MASK]
    assert labels[0].tolist()[:4] == [IGNORE, IGNORE, 4, 6]
    assert torch.equal(inputs[2] == MASK, batch.positions[2] == 2)


def test_explore_never_asks_for_something_bought_before(rng):
    people = part(Baskets.from_lists([[[0, 1], [0, 2], [0, 4]], [[3], [3]], [[5, 2], [2, 1]]]))
    batch = collate(with_novel_last(people))
    inputs, labels = MASKERS["basket_explore"](batch, 0.5, rng)
    assert labels[labels != IGNORE].tolist() == [4 + 2, 1 + 2]  # as tokens
    for row, label in zip(inputs, labels, strict=True):
        assert not set(row.tolist()) & set(label[label != IGNORE].tolist())


def test_one_mask_keeps_the_first_and_pads_the_others():
    inputs = torch.tensor([[4, 5, MASK, MASK], [6, MASK, PAD, PAD]])
    assert one_mask(inputs).tolist() == [[4, 5, MASK, PAD], [6, MASK, PAD, PAD]]


def test_a_masker_of_ones_own_is_a_line_with_hide():
    def first_basket(batch, ratio, rng):
        return hide(batch, batch.positions == 1)

    inputs, labels = first_basket(collate([[[2, 3], [4]], [[5], [6]]]), 0.5, None)
    assert inputs.tolist() == [[MASK, MASK, 6], [MASK, 8, PAD]]
    assert labels.tolist() == [[4, 5, IGNORE], [7, IGNORE, IGNORE]]
