import numpy as np
import pytest
import torch
from torch.nn import functional

from nnbr_core.baselines.clea.selector import Selector, annealed, gumbel, relevance


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("temperature", "kept"), [(0.5, 0.880797), (10, 0.524979), (0.3, 0.965555)]
)
def test_a_lower_temperature_chooses_harder(temperature, kept):
    weights = relevance(torch.tensor([[1.0, 0]]), temperature)
    np.testing.assert_allclose(weights, [[kept, 0]], atol=1e-6)


def test_noise_can_turn_the_choice():
    weights = relevance(torch.tensor([[1.0, 0]]), 0.5, torch.tensor([[0.2, 1.5]]))
    np.testing.assert_allclose(weights, [[0, 0.645656]], atol=1e-6)


def test_exactly_one_part_holds_a_token():
    logits = torch.randn(1000, 2, generator=seeded())
    weights = relevance(logits, 0.3, gumbel(1000, seeded(1)))
    assert ((weights > 0).sum(dim=1) == 1).all()
    assert 0.3 < (weights[:, 0] > 0).float().mean() < 0.7


def test_gumbel_noise_has_the_right_mean():
    noise = gumbel(100_000, seeded())
    assert noise.mean().item() == pytest.approx(0.5772, abs=0.01)  # Euler's constant
    assert noise.isfinite().all()


def test_the_temperature_falls_every_500_batches():
    table = [9.512, 8.607, 7.408, 6.065, 4.724, 3.499, 2.466, 1.653, 1.054, 0.639, 0.369, 0.3]
    found = [annealed(500 * n, coldest=0.3) for n in range(1, 13)]
    np.testing.assert_allclose(found, table, atol=5e-4)
    assert annealed(0, 0.3) == annealed(499, 0.3) == 10
    assert annealed(999, 0.3) == annealed(500, 0.3)


def test_the_split_first_layer_is_the_layer_on_both_embeddings():
    selector = Selector(4).double()
    v = torch.randn(6, 4, generator=seeded(), dtype=torch.float64)
    items, targets, pair = torch.tensor([0, 1, 5]), torch.tensor([2, 3]), torch.tensor([0, 0, 1])
    x = torch.cat([v[items], v[targets[pair]]], dim=1)  # as the formula reads: [v_j ; v_c]
    first = torch.cat([selector.history.weight, selector.target.weight], dim=1)
    a1, a2 = first.split([2, 4])
    b1, b2 = selector.target.bias.split([2, 4])
    expected = x @ a1.T + b1 + selector.output(functional.leaky_relu(x @ a2.T + b2))
    torch.testing.assert_close(selector(v, items, targets, pair), expected, rtol=0, atol=1e-12)
