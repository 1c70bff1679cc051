"""Beacon's network: correlated baskets, an LSTM, correlated chances; and its loss."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Generator, Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence

from nnbr_core.baselines.sparse import basket_matrix, symmetric_product, to_torch
from nnbr_core.data.baskets import Baskets
from nnbr_core.kernels import dropout

FORGET_BIAS = 1.0  # the LSTM starts by remembering


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


def _uniform(shape: tuple[int, ...], fan: int) -> Tensor:
    """Uniform within sqrt(6 / fan): He's rule with the inputs, Glorot's with both sides."""
    bound = (6 / fan) ** 0.5
    return torch.empty(shape).uniform_(-bound, bound)
