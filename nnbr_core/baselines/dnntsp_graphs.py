"""DNNTSP's graphs: one per basket, over all that its shopper ever bought."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from nnbr_core.baselines.sparse import to_torch
from nnbr_core.data.baskets import Baskets, ragged_rows


@dataclass(frozen=True)
class Graphs:
    """Some users' graphs, flattened: a node is (user, item), a cell is (node, time step).

    User 0 bought {3, 5}, then {5}; user 1 bought {2}, {2} and {2}:

        user = [0, 0, 1]   item = [3, 5, 2]   n_steps = [2, 2, 3]   cells: 2 + 2 + 3

    Nodes come in order of n_steps, so that histories of equal length lie side by side and
    nothing is ever padded.
    """

    user: Tensor  # int64 [nodes], row of the user
    item: Tensor  # int64 [nodes]
    n_steps: Tensor  # int64 [nodes], baskets in the user's history
    edges: Tensor  # sparse [cells, cells], symmetric


def _ordered_pairs(histories: Baskets) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers of tokens for every two different items of a basket, in both orders."""
    basket_of_token = np.repeat(np.arange(histories.n_baskets), histories.basket_sizes)
    right, ptr = ragged_rows(histories.basket_ptr, basket_of_token)
    left = np.repeat(np.arange(len(histories.items)), np.diff(ptr))
    is_pair = left != right
    return left[is_pair], right[is_pair]


def build_graphs(histories: Baskets) -> Graphs:
    """One graph per basket, over all items of its user.

    Two items of a basket are joined by their number of common baskets in this history, every
    item is joined to itself by 1 at every step, bought then or not; all divided by the user's
    largest number.
    """
    order = np.argsort(histories.baskets_per_user, kind="stable")
    histories = histories.select(order)
    key = histories.user_of_token * histories.n_items + histories.items
    nodes, node = np.unique(key, return_inverse=True)  # node: of every token
    user, item = np.divmod(nodes, histories.n_items)
    n_steps = histories.baskets_per_user[user]
    first_cell = np.cumsum(n_steps) - n_steps
    n_cells = int(n_steps.sum())

    step_of_basket = np.arange(histories.n_baskets) - histories.user_ptr[histories.user_of_basket]
    cell = first_cell[node] + np.repeat(step_of_basket, histories.basket_sizes)
    left, right = _ordered_pairs(histories)
    _, pair, times = np.unique(
        node[left] * len(nodes) + node[right], return_inverse=True, return_counts=True
    )
    together = times[pair]
    most = np.ones(histories.n_users)
    np.maximum.at(most, user[node[left]], together)

    loops = np.arange(n_cells)
    row, column = np.append(cell[left], loops), np.append(cell[right], loops)
    weight = np.append(together / most[user[node[left]]], np.repeat(1 / most[user], n_steps))
    edges = sp.csr_matrix((weight.astype(np.float32), (row, column)), shape=(n_cells, n_cells))
    return Graphs(
        user=torch.from_numpy(order[user]),
        item=torch.from_numpy(item),
        n_steps=torch.from_numpy(n_steps),
        edges=to_torch(edges),
    )
