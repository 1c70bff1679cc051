import math

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from judged import fitted_recall
from torch.nn import functional

from nnbr_core.baselines.dream import (
    Dream,
    DreamSettings,
    Network,
    multilabel_loss,
    steps,
)
from nnbr_core.baselines.popularity import Popularity, PopularitySettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part, split
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError

# Histories of one, three and two baskets over six items.
USERS = [[[0, 1]], [[2], [0, 2], [2, 3, 5]], [[4, 1], [4]]]
HEADS = pytest.mark.parametrize("attention", [True, False], ids=["attention", "last state"])


@pytest.fixture
def histories():
    return Baskets.from_lists(USERS, n_items=6)


def network(attention=True, n_items=6, dim=4):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return Network(n_items, dim, attention)


def ones(shape_like: Network) -> Network:
    """Every weight 1 and every bias 0."""
    for name, x in shape_like.named_parameters():
        torch.nn.init.constant_(x, 0.0 if "bias" in name else 1.0)
    return shape_like


def test_baskets_become_steps(histories):
    x = steps(histories)
    assert x.items.tolist() == [0, 1, 2, 0, 2, 2, 3, 5, 4, 1, 4]
    assert x.start.tolist() == [0, 2, 3, 5, 8, 10]
    assert x.user.tolist() == [0, 1, 1, 1, 2, 2]
    assert x.place.tolist() == [0, 0, 1, 2, 0, 1]
    assert x.length.tolist() == [1, 3, 2]


@HEADS
def test_a_network_of_zeros_loses_ln_2_whatever_the_label(histories, attention):
    zeros = network(attention)
    for x in zeros.parameters():
        torch.nn.init.zeros_(x)
    logits = zeros(steps(histories))
    assert (logits == 0).all()
    for labels in ([[1, 0, 0, 0, 0, 0]] * 3, [[1, 1, 0, 0, 1, 1]] * 3):
        loss = multilabel_loss(logits, sp.csr_matrix(np.array(labels, dtype=bool)))
        assert loss.item() == pytest.approx(math.log(2), rel=1e-6)


def test_gru_and_attention_by_hand():
    one = ones(network(n_items=3, dim=1))
    one.items.weight.data = torch.tensor([[2.0], [-1.0], [0.5]])
    x = steps(Baskets.from_lists([[[0], [1], [2]]]))
    states = one.states(x)
    assert states.flatten().tolist() == pytest.approx([0.114915, -0.495306, -0.125235], abs=1e-6)
    weights = one.weights(states, states[:, -1], x.length)
    assert weights.flatten().tolist() == pytest.approx([0.421479, 0.245325, 0.333196], abs=1e-6)
    asked = torch.tensor([-0.010319, -0.551504, -0.245360])  # v tanh(U h_t + W h_T)
    torch.testing.assert_close(weights[0], asked.softmax(dim=0), rtol=0, atol=1e-6)
    assert one.read(x).tolist()[0] == pytest.approx([-0.114805, -0.125235], abs=1e-6)


def test_a_basket_is_the_mean_of_its_items():
    one = ones(network(n_items=3, dim=1))
    one.items.weight.data = torch.tensor([[2.0], [-1.0], [0.5]])
    pooled = one.states(steps(Baskets.from_lists([[[0, 1]]])))
    alone = one.states(steps(Baskets.from_lists([[[2]]])))  # (2 - 1) / 2 is 0.5
    assert torch.equal(pooled, alone)


def test_loss_by_hand():
    labels = sp.csr_matrix(np.array([[True, False, False, False]]))
    loss = multilabel_loss(torch.tensor([[2.0, -1, 0, -3]]), labels)
    assert loss.item() == pytest.approx(0.295481, abs=1e-6)


def test_loss_is_torchs_binary_cross_entropy(histories):
    logits = network()(steps(histories))
    labels = np.random.default_rng(0).random(logits.shape) < 0.3
    expected = functional.binary_cross_entropy_with_logits(logits, torch.tensor(labels).float())
    found = multilabel_loss(logits, sp.csr_matrix(labels))
    assert found.item() == pytest.approx(expected.item(), rel=1e-6)


def test_a_label_of_tiny_probability_still_teaches():
    """The public code clamps probabilities at 0.001, and this label would get no gradient."""
    logits = torch.tensor([[-8.0, -8.0]], requires_grad=True)
    multilabel_loss(logits, sp.csr_matrix(np.array([[True, False]]))).backward()
    assert logits.grad.tolist()[0] == pytest.approx([-0.499832, 0.000168], abs=1e-6)


@HEADS
def test_the_order_inside_a_basket_is_irrelevant_and_that_of_baskets_is_not(attention):
    found = network(attention)
    scores = [
        found(steps(Baskets.from_lists([user], n_items=6)))
        for user in ([[0, 1, 2], [3]], [[2, 0, 1], [3]], [[3], [0, 1, 2]])
    ]
    assert torch.allclose(scores[0], scores[1], atol=1e-6)
    assert (scores[0] - scores[2]).abs().max() > 1e-3


@HEADS
def test_a_padded_batch_scores_like_a_single_user(histories, attention):
    found = network(attention)
    together = found(steps(histories))
    for user in range(3):
        alone = found(steps(histories.select([user])))
        assert torch.allclose(together[user], alone[0], atol=1e-6)


def test_padding_gets_no_attention_and_a_single_basket_all_of_it(histories):
    found, x = network(), steps(histories)
    states = found.states(x)
    weights = found.weights(states, states[torch.arange(3), x.length - 1], x.length)
    assert weights[0].tolist() == [1, 0, 0]
    assert weights[2, 2] == 0 and weights[2, :2].sum().item() == pytest.approx(1, rel=1e-6)


@HEADS
def test_gradients_are_those_of_finite_differences(attention):
    x = steps(Baskets.from_lists([[[0, 1], [6]], [[2, 3, 4], [5], [0]]], n_items=7))
    found = network(attention, n_items=7, dim=3).double()
    labels = sp.csr_matrix(np.array([[0, 0, 1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0, 1]], dtype=bool))
    names = [name for name, _ in found.named_parameters()]

    def loss(*values):
        given = dict(zip(names, values, strict=True))
        return multilabel_loss(torch.func.functional_call(found, given, (x,)), labels)

    parameters = [p.detach().clone().requires_grad_() for p in found.parameters()]
    assert torch.autograd.gradcheck(loss, parameters, atol=1e-6)


def test_dropout_comes_from_the_generator_alone(histories):
    found, x = network(), steps(histories)
    draws = [found(x, 0.5, torch.Generator().manual_seed(seed)) for seed in (0, 0, 1)]
    assert torch.equal(draws[0], draws[1]) and not torch.equal(draws[0], draws[2])
    assert torch.equal(found(x, 0.5), found(x))  # none without a generator


@pytest.fixture(scope="module")
def fold():
    return split(world(300).baskets, 0)


@HEADS
def test_twenty_users_are_learned_by_heart(fold, attention):
    few = np.arange(20)
    train = Part(fold.train.histories.select(few), fold.train.targets.select(few))
    settings = DreamSettings(attention=attention, dim=32, dropout=0.0, learning_rate=0.02)
    model = Dream(settings, fold.train.histories, seed=0)
    (stage,) = model.stages(train)
    optimiser, rng = stage.optimiser(model.network.parameters()), torch.Generator()
    for _ in range(300):
        for batch in stage.batches(rng):
            optimiser.zero_grad()
            stage.loss(batch, rng).backward()
            optimiser.step()
    wanted = train.labels("all").toarray()
    scores = model.score(train.histories)
    worst_right = np.where(wanted, scores, np.inf).min(axis=1)
    best_wrong = np.where(wanted, -np.inf, scores).max(axis=1)
    assert (worst_right > best_wrong).all()


def test_the_toy_world_is_better_than_popularity(fold):
    settings = DreamSettings("explore", dim=16, epochs=12, batch_size=16, learning_rate=0.01)
    dream = fitted_recall(Dream(settings, fold.train.histories, seed=0), fold)
    popularity = Popularity(PopularitySettings(), fold.train.histories, seed=0)
    assert dream > fitted_recall(popularity, fold) + 0.02


def test_users_without_a_label_teach_nothing(fold):
    settings = DreamSettings(labels="explore", batch_size=7)
    batches = (
        Dream(settings, fold.train.histories, 0).stages(fold.train)[0].batches(torch.Generator())
    )
    with_novel = np.flatnonzero(fold.train.labels("explore").getnnz(axis=1))
    assert np.array_equal(np.sort(np.concatenate(batches)), with_novel)


def test_wrong_input_is_refused():
    for wrong in ({"labels": "novel"}, {"dim": 0}, {"dropout": 1.0}, {"clip": 0.0}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            DreamSettings(**wrong)
