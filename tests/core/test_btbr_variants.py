"""The variants that the paper does not run: numbered from the end, shuffled, corrected."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from trained import SMALL, fitted

from nnbr_core.batching import MASK, counted_from_end
from nnbr_core.btbr import SHIFT_STRENGTHS, Btbr, masked_batch
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import lateness
from nnbr_core.data.folds import Part, part


def test_counted_from_the_end_the_last_basket_is_number_one_for_everybody():
    numbers = torch.tensor([[1, 1, 2, 3], [1, 2, 0, 0]])
    assert counted_from_end(numbers).tolist() == [[3, 3, 2, 1], [2, 1, 0, 0]]


@pytest.mark.parametrize(
    ("positions", "read", "asked"), [("start", [1, 2, 3], [1, 2, 3]), ("end", [3, 2, 1], [3, 2, 1])]
)
def test_baskets_are_numbered_alike_in_training_and_when_asked(positions, read, asked, rng):
    """A mask stands for the third basket of a history of two, and for a third one in training."""
    settings = replace(SMALL, positions=positions)
    batch = masked_batch(settings, Baskets.from_lists([[[0], [1], [2]]]), rng)
    assert batch.positions.tolist() == [read]
    model = Btbr(settings, Baskets.from_lists([[[0], [1]]], n_items=3))
    seen = []
    model.network.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[1].tolist()))
    model.score(Baskets.from_lists([[[0], [1]]], n_items=3))
    assert seen == [[asked]]


def test_a_swapped_basket_is_moved_before_it_is_numbered_from_the_end(rng):
    """Only the numbering differs: what is masked and moved is drawn as before."""
    users = Baskets.from_lists([[[0], [1, 2], [3], [4]]] * 20)
    settings = replace(SMALL, masking="item_select", swap_ratio=0.5)
    start = masked_batch(settings, users, rng.manual_seed(3))
    end = masked_batch(replace(settings, positions="end"), users, rng.manual_seed(3))
    assert torch.equal(start.inputs, end.inputs) and torch.equal(start.item, end.item)
    assert torch.equal(end.positions, counted_from_end(start.positions))


@pytest.mark.parametrize(
    ("masking", "sees_last", "n_orders"),
    [("basket_all", None, 6), ("item_random", True, 6), ("item_random", None, 24)],
)
def test_shuffled_histories_are_new_in_every_batch_and_a_target_stays_last(
    masking, sees_last, n_orders, rng
):
    settings = replace(SMALL, masking=masking, item_level_sees_last_basket=sees_last)
    (stage,) = replace(settings, shuffle_baskets=True).stages()
    users = Baskets.from_lists([[[0], [1], [2], [3]]])
    orders = set()
    for _ in range(200):
        batch = masked_batch(stage, users, rng)
        assert batch.positions.tolist() == [[1, 2, 3, 4]]
        tokens = batch.inputs[0].masked_scatter(batch.inputs[0] == MASK, batch.item + 2)
        orders.add(tuple((tokens - 2).tolist()))
    assert len(orders) == n_orders  # all of 3! or 4!
    assert {order[-1] for order in orders} == ({3} if n_orders == 6 else {0, 1, 2, 3})


def test_a_shuffled_model_learns_nothing_from_the_order():
    """Whoever bought 0 last ends with 3, whoever bought 1 last with 2: else it is a coin flip."""
    visits = [[[1], [0], [3]], [[0], [1], [2]]] * 100
    people = part(Baskets.from_lists(visits, n_items=12))
    settings = replace(SMALL, epochs=10, patience=10, learning_rate=0.01)
    losses = {}
    for is_shuffled in (False, True):
        model = Btbr(replace(settings, shuffle_baskets=is_shuffled), people.histories)
        model.fit(people, people, people.histories)
        losses[is_shuffled] = model.curve[-1]["loss"]
    assert losses[False] < 0.1 * math.log(2)
    assert losses[True] > 0.95 * math.log(2)


def test_a_shuffled_model_scores_the_same_for_any_order_of_a_history(toy_fold):
    shuffled = fitted(toy_fold, replace(SMALL, shuffle_baskets=True, epochs=1))
    plain = Btbr(SMALL, toy_fold.train.histories, device="cpu")
    plain.network = shuffled.network
    visits = [toy_fold.test.histories.lists(user) for user in range(20)]
    back = [user[::-1] for user in visits]
    for model, is_same in ((shuffled, True), (plain, False)):
        one, two = (
            model.score(Baskets.from_lists(x, catalogue=model.catalogue)) for x in (visits, back)
        )
        assert np.array_equal(one, two) == is_same


def ends_with(item: int, seed: int, n_users: int = 100) -> Part:
    """Random histories over 40 items; everybody's last basket is this item alone."""
    draw = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(40), [item])
    visits = [draw.choice(others, (3, 2), replace=False).tolist() for _ in range(n_users)]
    return part(Baskets.from_lists([[*user, [item]] for user in visits], n_items=40))


def corrected(train: Part, validation: Part) -> tuple[Btbr, Btbr]:
    """A model of histories, and the same one with its scores corrected."""
    found = []
    for is_so in (False, True):
        settings = replace(SMALL, masking="item_random", correct_shift=is_so)
        model = Btbr(settings, train.histories, device="cpu")
        found.append(model.fit(train, validation, validation.histories))
    return tuple(found)


def test_a_shift_of_popularity_is_added_as_strongly_as_helps_validation_users(tmp_path):
    train, validation = ends_with(7, seed=0), ends_with(7, seed=1)
    plain, model = corrected(train, validation)
    strength = model.chosen["shift_strength"]
    recall = [model.chosen[f"recall@10 with strength {s:g}"] for s in SHIFT_STRENGTHS]
    assert strength > 0
    assert strength == SHIFT_STRENGTHS[np.argmax(recall)]  # the first of equals
    assert recall[0] == max(row["recall@10"] for row in plain.curve) < max(recall)
    before, after = (m.score(validation.histories) for m in (plain, model))
    added = np.float32(strength) * lateness(train.histories, train.targets)
    np.testing.assert_array_equal(after, before + added)
    ranks = [(scores > scores[:, [7]]).sum(axis=1).mean() for scores in (before, after)]
    assert ranks[1] < 10 < ranks[0]
    model.save(tmp_path)
    loaded = Btbr.load(tmp_path, train.histories, device="cpu")
    np.testing.assert_array_equal(loaded.score(validation.histories), after)


def test_a_shift_that_does_not_help_is_not_added():
    train, validation = ends_with(7, seed=0), ends_with(8, seed=1)
    plain, model = corrected(train, validation)
    assert model.chosen["shift_strength"] == 0
    scores = [m.score(validation.histories) for m in (plain, model)]
    assert np.array_equal(*scores)
    assert plain.chosen == {}
