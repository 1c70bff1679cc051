import numpy as np
import pytest
import torch

from nnbr_core.baselines.beacon import correlation
from nnbr_core.baselines.beacon_network import Network, hardest_loss, read
from nnbr_core.baselines.sparse import basket_matrix
from nnbr_core.data.baskets import Baskets

ROOT = 3**-0.5


@pytest.fixture
def three_baskets():
    return basket_matrix(Baskets.from_lists([[[0, 1, 2], [0, 1], [2, 3]]]))


@pytest.fixture
def histories():
    """Two, three and two baskets over six items."""
    return Baskets.from_lists([[[0, 1], [1]], [[2], [0, 2], [2, 3]], [[4, 5], [4, 1]]], n_items=6)


def small_network(histories, alpha=0.5):
    correlations = correlation(basket_matrix(histories), hops=1)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = Network(correlations, dim=4, alpha=alpha)
        network.importance.data.uniform_(-0.2, 0.8)
    return network, correlations


def dense_scores(network, histories, correlations):
    """Beacon as its formulas read: a row of items per basket, a cell of C per pair."""
    c = torch.from_numpy(correlations.toarray()).to(network.items.dtype)
    x = torch.from_numpy(basket_matrix(histories).toarray()).to(network.items.dtype)
    omega = network.importance.relu()
    z = x * omega + (x @ c - network.threshold.abs()).relu()
    r = (z @ network.items + network.bias).relu()
    states = []
    for user in range(histories.n_users):
        own = r[histories.user_ptr[user] : histories.user_ptr[user + 1]]
        states.append(network.lstm(own.unsqueeze(0))[1][0][0, 0])
    p = (torch.stack(states) @ network.output).sigmoid()
    return (1 - network.alpha) * p + network.alpha * (p * omega + (p @ c).relu())


def test_the_encoder_adds_what_is_near_enough(three_baskets):
    c = correlation(three_baskets, hops=1)
    network = Network(c, dim=4, alpha=0.5)
    network.items.data = torch.eye(4)  # shows z itself
    inputs = read(Baskets.from_lists([[[0, 3]]], n_items=4), c)
    np.testing.assert_allclose(inputs.near[0], [0, 2 / 3, 1 / 3 + ROOT, 0], atol=1e-6)
    expected = [0.25, 0.427831, 0.671848, 0.25]
    np.testing.assert_allclose(network.encode(inputs)[0].detach(), expected, atol=1e-6)


def test_output_mixes_chances_with_those_of_correlated_items(three_baskets):
    network = Network(correlation(three_baskets, hops=1), dim=4, alpha=0.5)
    scores = network.decode(torch.full((1, 4), 0.5))
    expected = [0.5625, 0.5625, 0.623504, 0.456838]
    np.testing.assert_allclose(scores[0].detach(), expected, atol=1e-6)


@pytest.mark.parametrize(("labels", "expected"), [([2, 3], 0.603640), ([2], 0.806792)])
def test_loss_weighs_labels_and_compares_with_the_weakest(labels, expected):
    scores = torch.tensor([[0.5625, 0.5625, 0.623504, 0.456838]])
    is_label = torch.zeros(1, 4, dtype=torch.bool)
    is_label[0, labels] = True
    assert hardest_loss(scores, is_label).item() == pytest.approx(expected, abs=1e-6)


def test_the_weakest_label_is_lifted_by_every_other_item():
    scores = torch.tensor([[0.3, 0.9, 0.1, 0.5]], dtype=torch.float64, requires_grad=True)
    is_label = torch.tensor([[True, True, False, False]])
    hardest_loss(scores, is_label).backward()
    own = -torch.sigmoid(torch.tensor(-0.3)) * 2 / 2  # two others for two labels
    lift = -torch.sigmoid(torch.tensor(-0.2)) - torch.sigmoid(torch.tensor(0.2))
    assert scores.grad[0, 0].item() == pytest.approx((own + lift).item() / 4, abs=1e-6)
    step = torch.tensor([[1e-6, 0, 0, 0]])
    up, down = (hardest_loss(scores.detach() + s, is_label) for s in (step, -step))
    assert scores.grad[0, 0].item() == pytest.approx((up - down).item() / 2e-6, abs=1e-8)


def test_fast_scores_and_gradients_are_those_of_the_dense_formula(histories):
    network, c = small_network(histories)
    network = network.double()
    network.correlations = network.correlations.double()
    inputs = read(histories, c.astype(np.float64))
    is_label = torch.from_numpy(np.eye(6, dtype=bool)[[2, 5, 0]])
    fast, slow = network(inputs), dense_scores(network, histories, c)
    torch.testing.assert_close(fast, slow, rtol=0, atol=1e-12)
    weights = list(network.parameters())
    gradients = [torch.autograd.grad(hardest_loss(s, is_label), weights) for s in (fast, slow)]
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)
    assert all(g.abs().max() > 1e-6 for g in gradients[0])  # the threshold's included


@torch.no_grad()
def test_alpha_0_leaves_the_chances_as_they_are(histories):
    network, _ = small_network(histories, alpha=0.0)
    chance = torch.rand(3, 6, generator=torch.Generator().manual_seed(1))
    assert torch.equal(network.decode(chance), chance)


@torch.no_grad()
def test_dropout_belongs_to_training_alone(histories):
    network, c = small_network(histories)
    inputs = read(histories, c)
    assert torch.equal(network(inputs, 0.3), network(inputs, 0.3))
    dropped = network(inputs, 0.3, torch.Generator().manual_seed(0))
    assert not torch.equal(dropped, network(inputs))
