import pytest
import torch
import torch.nn.functional as F
from gradients import normal, with_gradients

from nnbr_core.losses import PRECISIONS, ROWS_AT_ONCE, SMALL_ROWS_AT_ONCE, catalogue_loss


@pytest.mark.parametrize("n_rows", [1, ROWS_AT_ONCE + 1])
def test_catalogue_loss_is_cross_entropy_with_its_gradients(n_rows, rng):
    states, items, bias = normal(rng, n_rows, 8), normal(rng, 50, 8), normal(rng, 50)
    label = torch.randint(50, (n_rows,), generator=rng)
    ours = catalogue_loss(states, items, bias, torch.arange(n_rows), label)
    expected = F.cross_entropy(F.linear(states, items, bias), label)
    inputs = (states, items, bias)
    torch.testing.assert_close(with_gradients(ours, *inputs), with_gradients(expected, *inputs))


def test_a_row_with_two_labels_counts_twice(rng):
    states, items, bias = normal(rng, 2, 8), normal(rng, 50, 8), normal(rng, 50)
    row, label = torch.tensor([0, 0, 1]), torch.tensor([3, 7, 3])
    ours = catalogue_loss(states, items, bias, row, label)
    expected = F.cross_entropy(F.linear(states[row], items, bias), label)
    inputs = (states, items, bias)
    torch.testing.assert_close(with_gradients(ours, *inputs), with_gradients(expected, *inputs))


@pytest.mark.parametrize("n_rows", [1, SMALL_ROWS_AT_ONCE + 1])
def test_products_in_bfloat16_change_loss_and_gradients_by_less_than_a_hundredth(n_rows, rng):
    states, items, bias = normal(rng, n_rows, 8), normal(rng, 50, 8), normal(rng, 50)
    row = torch.arange(n_rows).repeat(2)
    label = torch.randint(50, (2 * n_rows,), generator=rng)
    found = {}
    for precision in PRECISIONS:
        loss = catalogue_loss(states, items, bias, row, label, precision)
        found[precision] = with_gradients(loss, states, items, bias)
    for exact, rounded in zip(*found.values(), strict=True):
        assert rounded.dtype == torch.float32
        assert (exact - rounded).norm() < 0.01 * exact.norm()


def test_a_hopeless_label_costs_much_and_not_infinitely_much_in_bfloat16():
    states, items = torch.tensor([[100.0]]), torch.tensor([[1.0], [-1.0]])
    given = (states, items, torch.zeros(2), torch.tensor([0]), torch.tensor([1]))
    assert catalogue_loss(*given).item() == 200
    assert 80 < catalogue_loss(*given, "bfloat16").item() < 200


def test_a_state_that_is_not_a_number_is_not_hidden_by_bfloat16(rng):
    items, bias = normal(rng, 50, 8), normal(rng, 50)
    states = torch.full((1, 8), float("nan"))
    one = torch.zeros(1, dtype=torch.int64)
    assert catalogue_loss(states, items, bias, one, one, "bfloat16").isnan()


def test_without_labels_the_loss_is_zero_and_moves_nothing(rng):
    states, items, bias = normal(rng, 0, 8), normal(rng, 50, 8), normal(rng, 50)
    nothing = torch.zeros(0, dtype=torch.int64)
    loss = catalogue_loss(states, items, bias, nothing, nothing)
    loss.backward()
    assert loss.item() == 0 and items.grad.abs().max() == 0
