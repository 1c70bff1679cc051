import pytest
import torch
import torch.nn.functional as F

from nnbr_core.kernels import ROWS_AT_ONCE, attention, catalogue_loss, dropout


def normal(rng, *shape, scale=1.0):
    return (scale * torch.randn(*shape, generator=rng)).requires_grad_()


def with_gradients(result, *inputs):
    """The result, and its gradients when each of its numbers has a weight of its own."""
    weight = torch.linspace(1, 2, result.numel()).view_as(result)
    return [result, *torch.autograd.grad((result * weight).sum(), inputs)]


def both_attentions(q, k, v, is_key):
    """Ours and torch's, with gradients."""
    ours = with_gradients(attention(q, k, v, is_key), q, k, v)
    torchs = F.scaled_dot_product_attention(q, k, v, attn_mask=is_key[:, None, None])
    return ours, with_gradients(torchs, q, k, v)


@pytest.mark.parametrize("scale", [1, 30], ids=["small scores", "scores beyond exp"])
def test_attention_is_the_softmax_over_real_keys(scale, rng):
    is_key = torch.tensor([[True, True, True], [True, False, False]])
    real = is_key[:, None, :, None]
    q = normal(rng, 2, 4, 5, 8, scale=scale)
    k, v = ((normal(rng, 2, 4, 3, 8, scale=x) * real).detach() for x in (scale, 1))
    k, v = k.requires_grad_(), v.requires_grad_()
    ours, expected = both_attentions(q, k, v, is_key)
    torch.testing.assert_close(ours[:2], expected[:2], rtol=1e-4, atol=1e-4)
    for mine, theirs in zip(ours[2:], expected[2:], strict=True):  # padding is nobody's
        torch.testing.assert_close(mine * real, theirs * real, rtol=1e-4, atol=1e-4)


def test_attention_in_blocks_is_attention_at_once(rng, monkeypatch):
    q, k, v = (normal(rng, 5, 2, 3, 4) for _ in range(3))
    is_key = torch.ones(5, 3, dtype=torch.bool)
    expected = with_gradients(attention(q, k, v, is_key), q, k, v)
    monkeypatch.setattr("nnbr_core.kernels.SCORES_AT_ONCE", 2 * 3 * 3 * 2)  # two users
    torch.testing.assert_close(with_gradients(attention(q, k, v, is_key), q, k, v), expected)


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


def test_without_labels_the_loss_is_zero_and_moves_nothing(rng):
    states, items, bias = normal(rng, 0, 8), normal(rng, 50, 8), normal(rng, 50)
    nothing = torch.zeros(0, dtype=torch.int64)
    loss = catalogue_loss(states, items, bias, nothing, nothing)
    loss.backward()
    assert loss.item() == 0 and items.grad.abs().max() == 0


def test_dropout_keeps_the_mean_and_drops_the_rate(rng):
    dropped = dropout(torch.ones(1000, 64), 0.25, rng)
    assert dropped.unique().tolist() == [0, pytest.approx(4 / 3)]
    assert abs((dropped == 0).float().mean().item() - 1 / 4) < 0.01
    assert abs(dropped.mean().item() - 1) < 0.01


def test_dropout_draws_from_its_generator_alone():
    before = torch.get_rng_state()
    one, two = (dropout(torch.ones(9, 7), 0.5, torch.Generator().manual_seed(1)) for _ in range(2))
    assert torch.equal(one, two)
    assert torch.equal(torch.get_rng_state(), before)


def test_without_a_generator_nothing_is_dropped():
    x = torch.ones(3)
    assert dropout(x, 0.5, None) is x
