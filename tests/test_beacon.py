import numpy as np
import pytest
import scipy.sparse as sp
import torch
from judged import fitted_recall

from nnbr_core.baselines.beacon import Beacon, BeaconSettings, correlation, rmsprop
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
    with pytest.raises(InputError, match="alpha 1.5 is not between 0 and 1"):
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
