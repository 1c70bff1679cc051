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

from nnbr_core.baselines.beacon_network import Network, hardest_loss, read
from nnbr_core.baselines.neural import Neural, check, in_blocks, one_stage, seeded
from nnbr_core.baselines.sparse import basket_matrix
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError

HOP_DECAY = 0.85  # of every further hop's share in C
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


def rmsprop(learning_rate: float) -> Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]:
    """RMSProp with the published decay.

    TensorFlow's, which the published code used, starts with squared gradients of 1: as ours
    are of order 1 / items, its first two hundred steps go nowhere. That is nothing on TaFeng
    and all of the training on a few hundred users, so we do not copy it.
    """
    return lambda parameters: torch.optim.RMSprop(parameters, lr=learning_rate, alpha=0.9, eps=1e-5)


@dataclass(frozen=True)
class BeaconSettings:
    """Defaults as published.

    An alpha of 0.5 lets the hubs of C win: after a few epochs nearly all of TaFeng's users get
    the same list. Best validation recall@10: .081 with 0.5 (8 epochs), .087 with 0.1 (2), .109
    with 0 (6). So try 0 as well, and let validation users choose.
    """

    labels: str = "all"  # learn all of a last basket, or explore: its novel items only
    dim: int = 64  # numbers per item, and of the LSTM's state
    hops: int = 1  # 2: friends of friends are correlated too
    alpha: float = 0.5  # share of correlated items in the prediction
    dropout: float = 0.3  # of what the LSTM reads
    batch_size: int = 32  # users per step
    learning_rate: float = 1e-3  # of RMSProp
    epochs: int = 15  # at most
    patience: int = 5  # epochs without improvement before training ends

    def __post_init__(self) -> None:
        check(self, "hops")
        if not 0 <= self.alpha <= 1:
            raise InputError(f"alpha {self.alpha} is not between 0 and 1")


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

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> None:
        everything = [basket_matrix(baskets) for baskets in (train.histories, train.targets)]
        self.build(correlation(sp.vstack(everything).tocsr(), self.settings.hops))
        labels = train.labels(self.settings.labels)

        def loss(users: np.ndarray, rng: Generator) -> Tensor:
            inputs = read(train.histories.select(users), self.correlations)
            scores = self.network(inputs, self.settings.dropout, rng)
            return hardest_loss(scores, torch.from_numpy(labels[users].toarray()))

        optimiser = rmsprop(self.settings.learning_rate)
        stage = one_stage("beacon", self.settings, labels, loss, optimiser)
        self.learn([stage], validation, progress)

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
