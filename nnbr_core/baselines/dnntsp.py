"""DNNTSP (Yu et al. 2020): one small graph per basket, over what its shopper ever bought.

Items bought before get an embedding of their own for every user; all others share one score.
After repeat items are removed, DNNTSP recommends one learned ranking to everybody: a trained
`last_popularity`.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from nnbr_core.baselines.neural import Neural, in_blocks, one_stage, seeded, users_with
from nnbr_core.baselines.sparse import symmetric_product, to_torch
from nnbr_core.data.baskets import Baskets, ragged_rows
from nnbr_core.data.folds import Part
from nnbr_core.settings import COUNT, LABELS, RATE, SIZE, Settings, check_heads, setting
from nnbr_core.training import Stage, adam

N_LAYERS = 2  # of the graph
MOST_PER_STEP = 64  # users, as published
STEPS_PER_EPOCH = 145  # at least: TaFeng's; it takes some six hundred steps to learn anything
USERS_AT_ONCE = 64  # scored together; the graphs of 512 long histories would need gigabytes


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


def causal_attention(query: Tensor, key: Tensor, value: Tensor, n_heads: int) -> Tensor:
    """Every step reads itself and what came before. All [n, T, d], heads side by side in d."""
    n, n_steps, dim = query.shape
    heads = [
        x.view(n, n_steps, n_heads, dim // n_heads).transpose(1, 2) for x in (query, key, value)
    ]  # each [n, heads, T, d / heads]
    read = functional.scaled_dot_product_attention(*heads, is_causal=True)
    return read.transpose(1, 2).reshape(n, n_steps, dim)


def aggregate(steps: Tensor, weight: Tensor) -> Tensor:
    """[n, d]: steps [n, T, d] added up, each times its product with `weight` [d]; no softmax."""
    return ((steps @ weight).unsqueeze(-1) * steps).sum(dim=1)


def gated(static: Tensor, dynamic: Tensor, gate: Tensor) -> Tensor:
    """Embeddings [n, d] mixed by a number per item: gate [n], not bound to 0 to 1."""
    return static + gate.unsqueeze(-1) * (dynamic - static)


def shared_loss(base: Tensor, change: Tensor, graphs: Graphs, labels: sp.csr_matrix) -> Tensor:
    """Mean binary cross-entropy over [users, items], without that table.

    A user's logits are `base` [items] plus `change` [nodes] where something was bought before,
    so the table's sum is that of `base` for everybody, corrected at the nodes. `labels` is
    bool [users, items], a row for each user of the graphs.
    """
    n_users, n_items = labels.shape
    before = base[graphs.item]
    now = before + change
    everywhere = n_users * functional.softplus(base).sum()
    corrected = (functional.softplus(now) - functional.softplus(before)).sum()
    label_user, label_item = (torch.from_numpy(x).long() for x in labels.nonzero())
    is_label = torch.isin(
        graphs.user * n_items + graphs.item, label_user * n_items + label_item
    )  # [nodes]
    wanted = base[label_item].sum() + change[is_label].sum()
    return (everywhere + corrected - wanted) / (n_users * n_items)


class Network(nn.Module):
    """Two layers on the graphs, attention over time, one vector per node, one unit for all."""

    def __init__(self, n_items: int, dim: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.items = nn.Embedding(n_items, dim)
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(N_LAYERS))
        self.norms = nn.ModuleList(nn.BatchNorm1d(dim) for _ in range(N_LAYERS))
        self.attend = nn.Linear(dim, 3 * dim, bias=False)  # query, key and value side by side
        self.aggregate = nn.Linear(dim, 1, bias=False)
        self.gate = nn.Parameter(torch.rand(n_items))
        self.output = nn.Linear(dim, 1)

    def spread(self, graphs: Graphs) -> Tensor:
        """[cells, d]: every item at every step, after its neighbours were added twice."""
        x = self.items(graphs.item).repeat_interleave(graphs.n_steps, dim=0)
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = norm(layer(symmetric_product(graphs.edges, x))).relu()
        return x

    def trajectories(self, cells: Tensor, n_steps: Tensor) -> Tensor:
        """[nodes, d]: what each node's steps add up to, from cells [cells, d].

        Nodes are in order of n_steps: one pass per length, not per user.
        """
        lengths, counts = n_steps.unique_consecutive(return_counts=True)
        runs = self.attend(cells).split((lengths * counts).tolist())
        found = []
        for run, length in zip(runs, lengths.tolist(), strict=True):
            read = run.view(-1, length, run.shape[1]).chunk(3, dim=2)  # each [nodes, T, d]
            steps = causal_attention(*read, self.n_heads)
            found.append(aggregate(steps, self.aggregate.weight[0]))
        return torch.cat(found)

    def forward(self, graphs: Graphs) -> tuple[Tensor, Tensor]:
        """The score [items] everybody starts from, and what is added to it at each node."""
        base = self.output(self.items.weight).squeeze(1)
        dynamic = self.trajectories(self.spread(graphs), graphs.n_steps)
        static = self.items(graphs.item)
        mixed = gated(static, dynamic, self.gate[graphs.item])
        return base, (mixed - static) @ self.output.weight[0]


@dataclass(frozen=True)
class DnntspSettings(Settings):
    """Defaults as published; the size is that of the paper's other models."""

    labels: str = setting("all", "learn all of a last basket, or its novel items", choices=LABELS)
    dim: int = setting(64, "numbers per item", SIZE)
    heads: int = setting(4, "of attention; dim must be a multiple", SIZE)
    batch_size: int | None = setting(None, "users per step; None: 64, fewer of few users", COUNT)
    learning_rate: float = setting(1e-3, "of Adam", RATE)
    epochs: int = setting(40, "at most", COUNT)
    patience: int = setting(5, "epochs without improvement before training ends", COUNT)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_heads(self.dim, self.heads)


def users_per_step(n_users: int) -> int:
    """The published 64, or as few as give an epoch enough steps for patience to make sense.

    With 64 of a sample's 1,700 users at a time, training would stop before it has begun.
    """
    return min(MOST_PER_STEP, max(1, n_users // STEPS_PER_EPOCH))


class Dnntsp(Neural):
    """Everybody's ranking of the items they do not know, learned from last baskets."""

    Settings = DnntspSettings

    def __init__(self, settings: DnntspSettings, baskets: Baskets, seed: int) -> None:
        super().__init__(settings, baskets, seed)
        with seeded(seed):
            self.network = Network(baskets.n_items, settings.dim, settings.heads)

    def stages(self, train: Part) -> list[Stage]:
        labels = train.labels(self.settings.labels)

        def loss(users: np.ndarray, rng: Generator) -> Tensor:
            self.network.train()
            graphs = build_graphs(train.histories.select(users))
            return shared_loss(*self.network(graphs), graphs, labels[users])

        batch_size = self.settings.batch_size or users_per_step(len(users_with(labels)))
        settings = replace(self.settings, batch_size=batch_size)
        return [one_stage("dnntsp", settings, labels, loss, adam(settings.learning_rate))]

    def _scores(self, histories: Baskets) -> Tensor:
        graphs = build_graphs(histories)
        base, change = self.network(graphs)
        scores = base.repeat(histories.n_users, 1)
        return scores.index_put((graphs.user, graphs.item), change, accumulate=True)

    def score(self, histories: Baskets) -> np.ndarray:
        self.network.eval()
        return in_blocks(self._scores, histories, USERS_AT_ONCE)
