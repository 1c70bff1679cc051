import numpy as np
import pytest
import scipy.sparse as sp
import torch
from judged import fitted_recall

from nnbr_core.baselines.beacon import (
    Beacon,
    BeaconSettings,
    Network,
    correlation,
    hardest_loss,
    read,
    rmsprop,
)
from nnbr_core.baselines.popularity import Popularity, PopularitySettings
from nnbr_core.baselines.sparse import basket_matrix
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import split
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError

ROOT = 3**-0.5


@pytest.fixture
def three_baskets():
    return basket_matrix(Baskets.from_lists([[[0, 1, 2], [0, 1], [2, 3]]]))


def test_one_hop_divides_common_baskets_by_both_degrees(three_baskets):
    c = correlation(three_baskets, hops=1).toarray()
    expected = np.zeros((4, 4))
    expected[0, 1], expected[0, 2], expected[1, 2], expected[2, 3] = 2 / 3, 1 / 3, 1 / 3, ROOT
    np.testing.assert_allclose(c, expected + expected.T, atol=1e-6)
    assert c.mean() == pytest.approx(0.238835, abs=1e-6)


def test_two_hops_add_friends_of_friends(three_baskets):
    c = correlation(three_baskets, hops=2).toarray()
    found = [c[0, 1], c[0, 2], c[1, 2], c[0, 3], c[1, 3], c[2, 3]]
    expected = [0.846293, 0.724079, 0.724079, 0.363630, 0.363630, ROOT]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_array_equal(np.diag(c), 0)


def test_correlation_is_a_normalised_adjacency(three_baskets):
    c = correlation(three_baskets, hops=1)
    thrice = correlation(sp.vstack([three_baskets] * 3).tocsr(), hops=1)
    np.testing.assert_allclose(c.toarray(), c.toarray().T, atol=0)
    np.testing.assert_allclose(thrice.toarray(), c.toarray(), atol=1e-6)
    assert np.linalg.eigvalsh(c.toarray()).max() == pytest.approx(1, abs=1e-6)


def test_an_item_bought_alone_correlates_with_nothing():
    c = correlation(basket_matrix(Baskets.from_lists([[[0, 1], [2]]])), hops=2)
    assert c.toarray()[2].tolist() == [0, 0, 0]


def test_the_optimiser_does_not_start_slowly():
    layer = torch.nn.Linear(1, 1, bias=False)
    before = layer.weight.item()
    layer.weight.grad = torch.tensor([[0.001]])
    rmsprop(learning_rate=1.0)(layer.parameters()).step()
    moved = 0.001 / (0.001 * 0.1**0.5 + 1e-5)  # a tenth of the square is in the average
    assert before - layer.weight.item() == pytest.approx(moved, rel=1e-4)


def test_alpha_is_a_share():
    assert BeaconSettings().alpha == 0.5  # as published
    with pytest.raises(InputError, match="alpha = 1.5: 0 to 1 is needed"):
        BeaconSettings(alpha=1.5)


def test_pairs_are_counted_in_training_users_baskets_alone():
    fold = split(world(n_users=300).baskets, 0)
    model = Beacon(BeaconSettings(dim=4, epochs=1), fold.train.histories, seed=0)
    model.fit(fold.train, fold.validation, fold.test.histories)
    counted = [basket_matrix(x) for x in (fold.train.histories, fold.train.targets)]
    expected = correlation(sp.vstack(counted).tocsr(), hops=1)
    assert (model.correlations != expected).nnz == 0


def test_beacon_beats_popularity_in_the_toy_world():
    """Without correlated output: with it, hubs are recommended to everybody, here too."""
    fold = split(world(n_users=1000).baskets, 0)
    settings = BeaconSettings(dim=32, alpha=0.0, learning_rate=0.003, epochs=8)
    beacon = fitted_recall(Beacon(settings, fold.train.histories, seed=0), fold)
    popularity = Popularity(PopularitySettings(), fold.train.histories, seed=0)
    assert beacon > 2 * fitted_recall(popularity, fold)


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
