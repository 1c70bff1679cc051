import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.stats import spearmanr
from torch.nn import functional

from nnbr_core.baselines.dnntsp import (
    Dnntsp,
    DnntspSettings,
    Graphs,
    Network,
    aggregate,
    build_graphs,
    causal_attention,
    gated,
    shared_loss,
    users_per_step,
)
from nnbr_core.baselines.popularity import Popularity, PopularitySettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import split
from nnbr_core.data.toy import world
from nnbr_core.training import validation_metrics


@pytest.fixture
def histories():
    """Two steps, three steps and two steps, over six items."""
    return Baskets.from_lists([[[0, 1], [1]], [[2], [0, 2], [2, 3]], [[4], [4, 1]]], n_items=6)


@pytest.fixture
def network():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return Network(n_items=6, dim=8, n_heads=4).eval()


def table(network, histories):
    """Scores as the formula reads: every user's own embedding of every item, in full."""
    graphs = build_graphs(histories)
    own = network.items.weight.repeat(histories.n_users, 1, 1)  # [users, items, d]
    dynamic = network.trajectories(network.spread(graphs), graphs.n_steps)
    mixed = gated(network.items(graphs.item), dynamic, network.gate[graphs.item])
    own = own.index_put((graphs.user, graphs.item), mixed)
    return network.output(own).squeeze(-1)


def test_attention_reads_the_past_only():
    x = torch.tensor([[[1.0, 0], [0, 1], [1, 1]]])
    e = np.exp(2**-0.5)  # exp of a score of 1, heads of size 2
    second = e / (1 + e)
    third = (1 + e) / (2 + e)  # both earlier steps score 1, the third 2: (e + e^2) / (2e + e^2)
    expected = [[1, 0], [1 - second, second], [third, third]]
    assert second == pytest.approx(0.669762, abs=1e-6)
    assert third == pytest.approx(0.751745, abs=1e-6)
    np.testing.assert_allclose(causal_attention(x, x, x, n_heads=1)[0], expected, atol=1e-6)


def test_attention_without_scores_is_the_running_mean():
    value = torch.tensor([[[2.0], [4], [9]]])
    nothing = torch.zeros_like(value)
    np.testing.assert_allclose(
        causal_attention(nothing, nothing, value, n_heads=1).ravel(), [2, 3, 5], rtol=1e-6
    )


def test_aggregation_has_no_softmax():
    steps = torch.tensor([[[1.0], [2], [3]]])
    assert aggregate(steps, torch.tensor([0.5])).item() == 0.5 * 1 + 1 * 2 + 1.5 * 3


def test_the_gate_mixes_in_what_a_user_did():
    mixed = gated(torch.tensor([[2.0]]), torch.tensor([[6.0]]), torch.tensor([0.25]))
    assert mixed.item() == 3


def test_a_later_basket_changes_no_earlier_step(network, histories):
    cells = network.spread(build_graphs(histories))[-9:].view(3, 3, -1)  # user 1, [nodes, T, d]
    changed = cells.clone()
    changed[:, 2] += 1
    before, after = (
        causal_attention(*network.attend(x).chunk(3, dim=2), network.n_heads)
        for x in (cells, changed)
    )
    assert torch.equal(before[:, :2], after[:, :2])
    assert not torch.equal(before[:, 2], after[:, 2])


@torch.no_grad()
def test_scores_are_those_of_the_full_formula(network, histories):
    graphs = build_graphs(histories)
    base, change = network(graphs)
    scores = base.repeat(3, 1).index_put((graphs.user, graphs.item), change, accumulate=True)
    torch.testing.assert_close(scores, table(network, histories), rtol=0, atol=1e-6)
    assert change.abs().min() > 1e-4  # otherwise nothing was compared


def test_the_loss_is_the_mean_cross_entropy_of_four_logits():
    nobody = torch.zeros(0, dtype=torch.int64)
    graphs = Graphs(nobody, nobody, nobody, torch.zeros(0, 0))
    labels = sp.csr_matrix([[True, False, False, False]])
    loss = shared_loss(torch.tensor([2.0, -1, 0, -3]), torch.zeros(0), graphs, labels)
    expected = np.log1p(np.exp([-2.0, -1, 0, -3])).mean()
    assert expected == pytest.approx(0.295481, abs=1e-6)
    assert loss.item() == pytest.approx(expected, abs=1e-6)


def test_loss_and_gradients_are_those_of_the_full_table(network, histories):
    network = network.double()
    graphs = build_graphs(histories)
    graphs = Graphs(graphs.user, graphs.item, graphs.n_steps, graphs.edges.double())
    labels = sp.csr_matrix([[0, 1, 0, 1, 0, 0], [1, 0, 0, 0, 0, 1], [0, 0, 1, 0, 0, 0]], dtype=bool)
    fast = shared_loss(*network(graphs), graphs, labels)
    base, change = network(graphs)
    logits = base.repeat(3, 1).index_put((graphs.user, graphs.item), change, accumulate=True)
    target = torch.from_numpy(labels.toarray()).double()
    slow = functional.binary_cross_entropy_with_logits(logits, target)
    assert fast.item() == pytest.approx(slow.item(), abs=1e-12)
    weights = [p for p in network.parameters()]
    for a, b in zip(
        torch.autograd.grad(fast, weights), torch.autograd.grad(slow, weights), strict=True
    ):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def toy_fold():
    return split(world(n_users=600).baskets, 0)


@pytest.fixture(scope="module")
def fitted(toy_fold):
    settings = DnntspSettings(dim=8, learning_rate=0.05, epochs=8, batch_size=32)
    model = Dnntsp(settings, toy_fold.train.histories, seed=0)
    model.fit(toy_fold.train, toy_fold.validation, toy_fold.test.histories)
    return model


def test_items_that_two_users_never_bought_score_the_same_for_both(fitted, toy_fold):
    histories = toy_fold.test.histories
    scores = fitted.score(histories)
    bought = histories.matrix().toarray() > 0
    never = ~bought[0] & ~bought[1]
    np.testing.assert_array_equal(scores[0, never], scores[1, never])
    base = scores[0, never]
    assert len(np.unique(base)) > 100  # it ranks them, all the same
    assert (scores[0, bought[0]] != scores[1, bought[0]]).any()


def test_what_it_learns_is_the_popularity_of_last_baskets(fitted, toy_fold):
    train, validation = toy_fold.train, toy_fold.validation
    counts = np.asarray(train.labels("all").sum(axis=0)).ravel()
    often = counts >= 5
    base = fitted.network.output(fitted.network.items.weight).detach().numpy().ravel()
    assert spearmanr(base[often], counts[often]).statistic > 0.6
    everything = Popularity(PopularitySettings(), train.histories, 0)
    everything.fit(train, validation, toy_fold.test.histories)
    beaten = validation_metrics(everything.score, validation)["recall@10"]
    assert max(row["recall@10"] for row in fitted.curve) > 1.5 * beaten


def test_few_users_are_cut_into_enough_steps():
    assert users_per_step(9450) == 64  # TaFeng's training users with a novel label
    assert users_per_step(1670) == 11
    assert users_per_step(20) == 1


A, B, C, D = range(4)


def test_edges_are_common_baskets_over_the_largest_number():
    graphs = build_graphs(Baskets.from_lists([[[A, B, C], [A, B], [D]]]))
    x = torch.tensor([1.0, 2, 3, 4]).repeat_interleave(3)  # item major: a a a b b b ...
    steps = (graphs.edges @ x.unsqueeze(1)).view(4, 3).T
    expected = [[4, 3.5, 3, 2], [2.5, 2, 1.5, 2], [0.5, 1, 1.5, 2]]
    assert torch.equal(steps, torch.tensor(expected))


def test_nodes_are_sorted_by_length_and_know_their_user():
    users = [[[0, 1], [1]], [[2], [0, 2], [2, 3]], [[4], [4, 1]]]  # two, three and two steps
    graphs = build_graphs(Baskets.from_lists(users, n_items=6))
    assert graphs.user.tolist() == [0, 0, 2, 2, 1, 1, 1]
    assert graphs.item.tolist() == [0, 1, 1, 4, 0, 2, 3]
    assert graphs.n_steps.tolist() == [2, 2, 2, 2, 3, 3, 3]
