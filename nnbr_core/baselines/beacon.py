"""Beacon (Le et al. 2019): baskets enriched with what is bought together, read by an LSTM.

A fixed matrix C says how strongly two items go together. Every basket read passes through it,
and so does the basket predicted.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch
from torch import Generator, Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence

from nnbr_core.baselines.neural import Neural, in_blocks, one_stage, seeded
from nnbr_core.baselines.sparse import basket_matrix, symmetric_product, to_torch
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.network import dropout
from nnbr_core.settings import COUNT, DROPOUT, LABELS, RATE, SHARE, SIZE, Limits, Settings, setting
from nnbr_core.training import Stage

HOP_DECAY = 0.85  # of every further hop's share in C
FORGET_BIAS = 1.0  # the LSTM starts by remembering
USERS_AT_ONCE = 128  # scored together


def normalised(counts: sp.csr_matrix) -> sp.csr_matrix:
    """A symmetric matrix [n, n] with every entry divided by the root of both its row sums."""
    total = np.asarray(counts.sum(axis=1)).ravel()
    scale = sp.diags_array(np.divide(1, np.sqrt(total), out=np.zeros_like(total), where=total > 0))
    return (scale @ counts @ scale).tocsr()


def _without_diagonal(matrix: sp.csr_matrix) -> sp.csr_matrix:
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    return matrix


def correlation(baskets: sp.csr_matrix, hops: int) -> sp.csr_matrix:
    """float32 [items, items]: how strongly two items go together, from baskets [baskets, items].

    Common baskets, normalised; with more hops, friends of friends count for less and less.
    Baskets {0, 1, 2}, {0, 1} and {2, 3} hold 0 and 1 twice, and each of them in three pairs:
    their entry is 2 / sqrt(3 * 3).
    """
    once = normalised(_without_diagonal((baskets.T @ baskets).astype(np.float64).tocsr()))
    found, path = once, once
    for hop in range(1, hops):
        path = _without_diagonal((path @ once).tocsr())
        found = found + HOP_DECAY**hop * normalised(path)
    found = found.astype(np.float32).tocsr()
    found.sort_indices()
    return found


@dataclass(frozen=True)
class Inputs:
    """Some users' history baskets, flattened, oldest first."""

    near: Tensor  # float [baskets, items], a basket's items times C
    items: Tensor  # int64 [tokens]
    basket_ptr: Tensor  # int64 [baskets], where each basket's tokens start
    user: Tensor  # int64 [baskets], row of the user
    step: Tensor  # int64 [baskets], 0 for the oldest
    n_steps: Tensor  # int64 [users]


def read(histories: Baskets, correlations: sp.csr_matrix) -> Inputs:
    """Baskets as the network takes them; `near` is a third full, so it is kept dense."""
    step = np.arange(histories.n_baskets) - histories.user_ptr[histories.user_of_basket]
    near = (basket_matrix(histories) @ correlations).toarray()
    return Inputs(
        near=torch.from_numpy(near),
        items=torch.from_numpy(histories.items.astype(np.int64)),
        basket_ptr=torch.from_numpy(histories.basket_ptr[:-1].copy()),
        user=torch.from_numpy(histories.user_of_basket),
        step=torch.from_numpy(step),
        n_steps=torch.from_numpy(histories.baskets_per_user),
    )


def hardest_loss(scores: Tensor, is_label: Tensor) -> Tensor:
    """Labels high, and everything else below the weakest label; mean over [users, items].

    A user's labels together weigh as much as all other items. The gradient reaches the
    weakest label from every item it is compared with. `is_label` is bool [users, items] and
    needs one label per user at least.
    """
    n_labels = is_label.sum(dim=1, keepdim=True)
    weight = (scores.shape[1] - n_labels) / n_labels  # (B, 1)
    weakest = scores.masked_fill(~is_label, torch.inf).amin(dim=1, keepdim=True)
    high = weight * functional.softplus(-scores)
    return torch.where(is_label, high, functional.softplus(scores - weakest)).mean()


def _uniform(shape: tuple[int, ...], fan: int) -> Tensor:
    """Uniform within sqrt(6 / fan): He's rule with the inputs, Glorot's with both sides."""
    bound = (6 / fan) ** 0.5
    return torch.empty(shape).uniform_(-bound, bound)


class Network(nn.Module):
    """Correlated baskets -> LSTM -> chance of every item -> correlated chance."""

    def __init__(self, correlations: sp.csr_matrix, dim: int, alpha: float) -> None:
        super().__init__()
        n_items = correlations.shape[0]
        self.correlations = to_torch(correlations)
        self.alpha = alpha
        self.importance = nn.Parameter(torch.full((n_items,), 1 / n_items))
        self.threshold = nn.Parameter(torch.tensor(float(correlations.mean())))
        self.items = nn.Parameter(_uniform((n_items, dim), n_items))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.lstm = nn.LSTM(dim, dim, batch_first=True)
        self.output = nn.Parameter(_uniform((dim, n_items), dim + n_items))
        with torch.no_grad():
            for weight in (self.lstm.weight_ih_l0, self.lstm.weight_hh_l0):
                weight.copy_(_uniform(weight.shape, 2 * dim + 4 * dim))
            self.lstm.bias_ih_l0.zero_()
            self.lstm.bias_hh_l0.zero_()
            self.lstm.bias_ih_l0[dim : 2 * dim] = FORGET_BIAS  # torch's second gate of four

    def encode(self, inputs: Inputs) -> Tensor:
        """[baskets, d]: a basket's own items, and those near enough to them."""
        near = (inputs.near - self.threshold.abs()).relu() @ self.items
        own = functional.embedding_bag(
            inputs.items,
            self.items,
            inputs.basket_ptr,
            mode="sum",
            per_sample_weights=self.importance.relu()[inputs.items],
        )
        return (near + own + self.bias).relu()

    def last_state(self, baskets: Tensor, inputs: Inputs) -> Tensor:
        """[users, d]: the LSTM's state after every user's last basket, from [baskets, d]."""
        n_users, longest = len(inputs.n_steps), int(inputs.n_steps.max())
        padded = baskets.new_zeros(n_users, longest, baskets.shape[1])
        padded = padded.index_put((inputs.user, inputs.step), baskets)
        packed = pack_padded_sequence(
            padded, inputs.n_steps, batch_first=True, enforce_sorted=False
        )
        _, (state, _) = self.lstm(packed)
        return state[0]

    def decode(self, chance: Tensor) -> Tensor:
        """[users, items]: chances [users, items], mixed with those of correlated items."""
        if self.alpha == 0:
            return chance
        near = symmetric_product(self.correlations, chance.T.contiguous()).T
        together = chance * self.importance.relu() + near
        return (1 - self.alpha) * chance + self.alpha * together

    def forward(self, inputs: Inputs, rate: float = 0.0, rng: Generator | None = None) -> Tensor:
        """Scores [users, items]; `rng` makes it a training pass, with dropout."""
        baskets = dropout(self.encode(inputs), rate, rng)
        return self.decode((self.last_state(baskets, inputs) @ self.output).sigmoid())


def rmsprop(learning_rate: float) -> Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]:
    """RMSProp with the published decay.

    TensorFlow's, which the published code used, starts with squared gradients of 1: as ours
    are of order 1 / items, its first two hundred steps go nowhere. That is nothing on TaFeng
    and all of the training on a few hundred users, so we do not copy it.
    """
    return lambda parameters: torch.optim.RMSprop(parameters, lr=learning_rate, alpha=0.9, eps=1e-5)


@dataclass(frozen=True)
class BeaconSettings(Settings):
    """Defaults as published.

    An alpha of 0.5 lets the hubs of C win: after a few epochs nearly all of TaFeng's users get
    the same list. Best validation recall@10: .081 with 0.5 (8 epochs), .087 with 0.1 (2), .109
    with 0 (6). So try 0 as well, and let validation users choose.
    """

    labels: str = setting("all", "learn all of a last basket, or its novel items", choices=LABELS)
    dim: int = setting(64, "numbers per item, and of the LSTM's state", SIZE)
    hops: int = setting(1, "2: friends of friends are correlated too", Limits(low=1, high=10))
    alpha: float = setting(0.5, "share of correlated items in the prediction", SHARE)
    dropout: float = setting(0.3, "of what the LSTM reads", DROPOUT)
    batch_size: int = setting(32, "users per step", COUNT)
    learning_rate: float = setting(1e-3, "of RMSProp", RATE)
    epochs: int = setting(15, "at most", COUNT)
    patience: int = setting(5, "epochs without improvement before training ends", COUNT)


class Beacon(Neural):
    """Baskets that hold together: read as such, and predicted as such.

    Pairs are counted in the training users' complete sequences. The public code counts those
    of validation users too, last baskets included, and so chooses its epoch on what it saw.
    """

    Settings = BeaconSettings

    def build(self, correlations: sp.csr_matrix) -> None:
        """Start with fresh weights around these correlations [items, items]."""
        self.correlations = correlations
        with seeded(self.seed):
            self.network = Network(correlations, self.settings.dim, self.settings.alpha)

    def stages(self, train: Part) -> list[Stage]:
        everything = [basket_matrix(baskets) for baskets in (train.histories, train.targets)]
        self.build(correlation(sp.vstack(everything).tocsr(), self.settings.hops))
        labels = train.labels(self.settings.labels)

        def loss(users: np.ndarray, rng: Generator) -> Tensor:
            inputs = read(train.histories.select(users), self.correlations)
            scores = self.network(inputs, self.settings.dropout, rng)
            return hardest_loss(scores, torch.from_numpy(labels[users].toarray()))

        optimiser = rmsprop(self.settings.learning_rate)
        return [one_stage("beacon", self.settings, labels, loss, optimiser)]

    def score(self, histories: Baskets) -> np.ndarray:
        return in_blocks(
            lambda some: self.network(read(some, self.correlations)), histories, USERS_AT_ONCE
        )

    def save(self, folder: Path) -> None:
        """Write the weights, the settings and the correlations into `folder`."""
        super().save(folder)
        sp.save_npz(folder / "correlations.npz", self.correlations)

    def build_from(self, folder: Path) -> None:
        self.build(sp.load_npz(folder / "correlations.npz"))
