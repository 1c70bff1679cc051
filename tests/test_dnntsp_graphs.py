import torch

from nnbr_core.baselines.dnntsp_graphs import build_graphs
from nnbr_core.data.baskets import Baskets

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
