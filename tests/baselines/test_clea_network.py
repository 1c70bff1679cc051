import math

import numpy as np
import pytest
import torch

from nnbr_core.baselines.clea.network import (
    Network,
    closed_up,
    contrast,
    flatten,
    last_state,
    pooled,
)
from nnbr_core.data.baskets import Baskets


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def histories():
    """Two, three and one basket over six items."""
    return Baskets.from_lists([[[0, 1], [1]], [[2], [0, 2], [2, 3]], [[4, 5]]], n_items=6)


@pytest.fixture
def network():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return Network(n_items=6, dim=4, rate=0.2)


def test_a_basket_is_the_weighted_mean_of_what_is_kept():
    one = flatten(Baskets.from_lists([[[0, 1, 2]]]))
    values = torch.tensor([[1.0], [3], [10]])
    found, is_filled = pooled(values, torch.tensor([0.880797, 0, 0.524979]), one)
    assert found.item() == pytest.approx(4.360998, abs=1e-5)
    assert is_filled.tolist() == [True]


def test_empty_baskets_are_closed_up_in_order():
    gru = torch.nn.GRU(1, 1, batch_first=True)
    for name, parameter in gru.named_parameters():
        torch.nn.init.constant_(parameter, float(name.startswith("weight")))
    rows = flatten(Baskets.from_lists([[[0], [0], [0]], [[0]]]))
    baskets = torch.tensor([[2.0], [9], [0.5], [9]])
    padded, n_steps = closed_up(baskets, torch.tensor([True, False, True, False]), rows)
    assert padded.squeeze(-1).tolist() == [[2, 0.5], [0, 0]]
    assert n_steps.tolist() == [2, 1]
    states = last_state(gru, padded, n_steps)
    assert states[0].item() == pytest.approx(0.256626, abs=1e-6)
    wrong = torch.tensor([[[2.0], [0], [0.5]], [[0.5], [2], [0]]])  # kept as zero; out of order
    found = last_state(gru, wrong, torch.tensor([3, 2]))
    np.testing.assert_allclose(found.detach().ravel(), [0.238042, 0.256030], atol=1e-6)
    assert states[1].item() == last_state(gru, torch.zeros(1, 1, 1), torch.tensor([1])).item()


def test_losses_of_one_pair():
    p = [torch.tensor([math.log(x)]) for x in (0.02, 0.005, 0.01)]
    found = contrast(*p, torch.tensor(0.05), torch.tensor(0.4))
    terms = [found.margin, found.kept, found.dropped, found.fit, found.anchor]
    expected = [0.05, 0.688160, 0.690650, 3.912023, 4.605170]
    np.testing.assert_allclose(terms, expected, atol=1e-6)
    assert found.selector_phase.item() == pytest.approx(5.340833, abs=1e-5)
    assert found.encoder_phase.item() == pytest.approx(9.946003, abs=1e-5)


def test_dropping_too_much_is_punished():
    p = torch.zeros(1)
    found = contrast(p, p, p, torch.tensor(0.2), torch.tensor(0.95))
    assert found.margin.item() == pytest.approx(0.05, abs=1e-6)


@torch.no_grad()
def test_one_target_gets_what_a_softmax_over_all_items_gives_it(network):
    features = network.head(torch.randn(300, 4, generator=seeded()))  # more rows than one block
    row, targets = torch.tensor([0, 299, 299]), torch.tensor([5, 0, 1])
    found = network.head.log_chance(features, row, targets)
    expected = network.head.log_chances(features)[row, targets]
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


@torch.no_grad()
def test_keeping_everything_is_the_anchor(network, histories):
    users, targets = flatten(histories), torch.tensor([3, 1, 0])
    kept = network.part(users, torch.ones(len(users.items)), targets)
    anchor = network.head.log_chances(network.whole(users))
    torch.testing.assert_close(kept, anchor[torch.arange(3), targets], rtol=0, atol=1e-6)


@torch.no_grad()
def test_dropping_everything_reads_one_zero(network, histories):
    users, targets = flatten(histories), torch.tensor([3, 3, 3])
    found = network.part(users, torch.zeros(len(users.items)), targets)
    assert found.isfinite().all()
    assert found.unique().numel() == 1  # nothing of the histories is left


@torch.no_grad()
def test_the_order_inside_a_basket_means_nothing(network):
    target, chances = torch.tensor([4]), []
    for lists in ([[0, 1, 2], [3]], [[2, 0, 1], [3]]):
        pair = flatten(Baskets.from_lists([lists], n_items=6))
        kept = network.select(pair, target)[:, 0]
        chances.append(network.part(pair, kept, target).item())
    assert chances[0] == pytest.approx(chances[1], abs=1e-6)
