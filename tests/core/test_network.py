import pytest
import torch
import torch.nn.functional as F
from gradients import normal, with_gradients

from nnbr_core.batching import FIRST_ITEM, MASK, PAD, collate
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.network import Grid, Network, attention, dropout

N_ITEMS = 10


@pytest.fixture
def network():
    settings = BtbrSettings(dim=16, heads=4, layers=2)
    return Network(settings, N_ITEMS, torch.Generator().manual_seed(0)).double()


def states(network, tokens, positions):
    with torch.inference_mode():
        return network(torch.tensor(tokens), torch.tensor(positions))


def test_a_grid_puts_rows_in_place_and_takes_them_back():
    grid = Grid(torch.tensor([0, 1, 3]), n_users=2, width=3)  # two rows, then one
    rows = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    full = grid.spread(rows, heads=2)
    assert full.squeeze(-1).tolist() == [[[1, 3, 0], [2, 4, 0]], [[5, 0, 0], [6, 0, 0]]]
    assert torch.equal(grid.collect(full), rows)
    assert grid.is_filled().tolist() == [[True, True, False], [True, False, False]]


def test_a_grid_of_some_rows_is_packed_to_the_left():
    grid = Grid(torch.tensor([0, 1, 2, 3, 4]), n_users=2, width=3).of(torch.tensor([1, 2, 4]))
    assert grid.slot.tolist() == [0, 1, 2]
    assert (grid.n_users, grid.width) == (2, 2)


def reference(network, tokens, positions):
    """The paper's encoder written with torch's own layers, for one user without padding."""
    x = network.norm(network.tokens(tokens) + network.positions(positions))
    for layer in network.layers:
        projection = [layer.query, layer.key_value]
        weight = torch.cat([linear.weight for linear in projection])
        bias = torch.cat([linear.bias for linear in projection])
        found, _ = F.multi_head_attention_forward(
            *(x[:, None],) * 3, 16, 4, weight, bias, None, None, False, 0.0,
            layer.output.weight, layer.output.bias,
        )  # fmt: skip
        x = layer.norm_attention(x + found[:, 0])
        x = layer.norm_forward(x + layer.narrow(F.gelu(layer.widen(x))))
    return x[tokens == MASK]


def test_the_network_is_the_post_norm_transformer_of_the_paper(network):
    tokens, positions = torch.tensor([4, 5, MASK, 6, MASK]), torch.tensor([1, 1, 2, 3, 3])
    with torch.inference_mode():
        expected = reference(network, tokens, positions)
    torch.testing.assert_close(states(network, [tokens.tolist()], [positions.tolist()]), expected)


def test_padding_and_other_users_change_nothing(network):
    alone = states(network, [[4, MASK]], [[1, 2]])
    tokens = [[4, MASK, PAD, PAD], [5, 6, 7, MASK]]
    together = states(network, tokens, [[1, 2, 0, 0], [1, 1, 2, 3]])
    torch.testing.assert_close(together[:1], alone)


def test_items_of_a_basket_have_no_order_but_baskets_have(network):
    one = states(network, [[4, 5, 6, MASK]], [[1, 1, 2, 3]])
    same = states(network, [[5, 4, 6, MASK]], [[1, 1, 2, 3]])
    other = states(network, [[6, 5, 4, MASK]], [[1, 1, 2, 3]])
    torch.testing.assert_close(one, same)
    assert (one - other).abs().max() > 1e-4


def test_attention_goes_both_ways(network):
    before = states(network, [[MASK, 4]], [[1, 2]])
    after = states(network, [[MASK, 5]], [[1, 2]])
    assert (before - after).abs().max() > 1e-4


def test_scores_are_tied_to_the_embeddings_and_know_no_sentinel(network):
    state = torch.ones(1, 16, dtype=torch.float64)
    with torch.inference_mode():
        network.item_bias += torch.arange(N_ITEMS)
        scores = network.scores(state)
    assert scores.shape == (1, N_ITEMS)
    expected = network.tokens.weight[3 + FIRST_ITEM].sum().item() + 3
    assert scores[0, 3].item() == pytest.approx(expected)


def test_the_loss_is_the_mean_over_hidden_items(network):
    network.float()
    batch = collate([[[2, 3], [4]]])
    inputs = torch.tensor([[4, MASK, MASK]])
    item = torch.tensor([3, 4])
    loss = network.loss(inputs, batch.positions, torch.arange(2), item, None)
    expected = F.cross_entropy(network.scores(network(inputs, batch.positions)), item)
    assert loss.item() == pytest.approx(expected.item(), abs=1e-6)


def test_weights_depend_on_the_generator_alone():
    before = torch.get_rng_state()
    settings = BtbrSettings(dim=16, heads=4)
    one, two = (Network(settings, 5, torch.Generator().manual_seed(3)) for _ in range(2))
    for mine, theirs in zip(one.parameters(), two.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert torch.equal(torch.get_rng_state(), before)
    assert abs(one.layers[0].widen.weight.std().item() - 0.02) < 0.002


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
    monkeypatch.setattr("nnbr_core.network.SCORES_AT_ONCE", 2 * 3 * 3 * 2)  # two users
    torch.testing.assert_close(with_gradients(attention(q, k, v, is_key), q, k, v), expected)


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
