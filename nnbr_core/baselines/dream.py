"""Dream: baskets as mean item embeddings, a GRU over them, every item scored from its end.

This is the version the paper's authors maintain: a separate output layer, binary
cross-entropy over all items, and an optional attention over the GRU's states.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from nnbr_core.baselines.neural import (
    Neural,
    clipped_adam,
    in_blocks,
    one_stage,
    seeded,
    users_with,
)
from nnbr_core.batching import shuffled_batches
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError
from nnbr_core.network import dropout
from nnbr_core.settings import COUNT, DROPOUT, LABELS, RATE, SIZE, Limits, Settings, setting
from nnbr_core.training import Stage

USERS_AT_ONCE = 512  # scored together
HIDDEN = -1e9  # the attention score of a padded step


@dataclass(frozen=True)
class DreamSettings(Settings):
    labels: str = setting("all", "learn all of a last basket, or its novel items", choices=LABELS)
    attention: bool = setting(True, "read all states of the GRU, weighted, beside the last one")
    dim: int = setting(64, "numbers per item, basket and state", SIZE)
    dropout: float = setting(0.1, "inside the attention, the only place there is any", DROPOUT)
    batch_size: int = setting(64, "users per step; the public code's 32 takes longer", COUNT)
    learning_rate: float = setting(1e-3, "of Adam", RATE)
    clip: float = setting(20.0, "longest gradient", Limits(above=0, high=10**6))
    epochs: int = setting(40, "at most", COUNT)
    patience: int = setting(5, "epochs without improvement before training ends", COUNT)


@dataclass(frozen=True)
class Steps:
    """Some users' baskets, flattened, and where each goes in a padded table of time steps."""

    items: Tensor  # int64 [tokens]
    start: Tensor  # int64 [baskets], each basket's first token
    user: Tensor  # int64 [baskets]
    place: Tensor  # int64 [baskets], 0 is the user's oldest basket
    length: Tensor  # int64 [users], baskets per user


def steps(histories: Baskets) -> Steps:
    """The users' baskets as time steps."""
    if (histories.baskets_per_user < 1).any():
        raise InputError("a user without a history cannot be scored")
    user = histories.user_of_basket
    place = np.arange(histories.n_baskets) - histories.user_ptr[user]
    arrays = (histories.items, histories.basket_ptr[:-1], user, place, histories.baskets_per_user)
    return Steps(*(torch.from_numpy(np.asarray(array, dtype=np.int64)) for array in arrays))


def multilabel_loss(logits: Tensor, labels: sp.csr_matrix) -> Tensor:
    """Mean binary cross-entropy over logits [users, items]; labels is bool of the same shape.

    softplus(x) - x * label, so that no table of zeros and ones has to be made. Probabilities are
    not clamped: TaFeng's average item is rarer than the public code's clamp of 0.001, and a
    label below it would get no gradient. The clamp moves no published number, so there is no
    switch for it: recall@10 on TaFeng's split 0 is .0963 with and without it.
    """
    user, item = (torch.from_numpy(index).long() for index in labels.nonzero())
    return functional.softplus(logits).mean() - logits[user, item].sum() / logits.numel()


class Network(nn.Module):
    """Pool each basket, run the GRU, read it out, score all items."""

    def __init__(self, n_items: int, dim: int, attention: bool) -> None:
        super().__init__()
        self.items = nn.EmbeddingBag(n_items, dim, mode="mean")
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.attention = attention
        if attention:
            self.attend_state = nn.Linear(dim, dim, bias=False)
            self.attend_last = nn.Linear(dim, dim, bias=False)
            self.attend = nn.Linear(dim, 1)
        self.output = nn.Linear(2 * dim if attention else dim, n_items)
        for part in self.children():
            if isinstance(part, nn.Linear | nn.EmbeddingBag):
                nn.init.xavier_normal_(part.weight)
            if isinstance(part, nn.Linear) and part.bias is not None:
                nn.init.zeros_(part.bias)

    def states(self, x: Steps) -> Tensor:
        """[B, T, d]: the GRU after each basket; whatever follows a user's last is padding."""
        pooled = self.items(x.items, x.start)  # [baskets, d]
        padded = pooled.new_zeros(len(x.length), int(x.length.max()), pooled.shape[1])
        return self.gru(padded.index_put((x.user, x.place), pooled))[0]

    def weights(
        self,
        states: Tensor,
        last: Tensor,
        length: Tensor,
        rate: float = 0.0,
        rng: Generator | None = None,
    ) -> Tensor:
        """[B, T]: the attention on states [B, T, d], asked by the last ones [B, d]."""
        asked = dropout(self.attend_last(last), rate, rng).unsqueeze(1)
        heard = dropout(self.attend_state(states), rate, rng)
        found = self.attend(torch.tanh(heard + asked)).squeeze(2)
        is_padding = torch.arange(states.shape[1]) >= length[:, None]
        return found.masked_fill(is_padding, HIDDEN).softmax(dim=1)

    def read(self, x: Steps, rate: float = 0.0, rng: Generator | None = None) -> Tensor:
        """[B, 2d] or, without attention, [B, d]: what the output layer sees of each user."""
        states = self.states(x)
        last = states[torch.arange(len(x.length)), x.length - 1]
        if not self.attention:
            return last
        weights = self.weights(states, last, x.length, rate, rng)
        context = (weights.unsqueeze(2) * states).sum(dim=1)
        return torch.cat([context, last], dim=1)

    def forward(self, x: Steps, rate: float = 0.0, rng: Generator | None = None) -> Tensor:
        """Logits [B, items]; `rng` makes it a training pass, with dropout."""
        return self.output(self.read(x, rate, rng))


class Dream(Neural):
    """What comes after these baskets, in this order."""

    Settings = DreamSettings

    def __init__(self, settings: DreamSettings, baskets: Baskets, seed: int) -> None:
        super().__init__(settings, baskets, seed)
        with seeded(seed):
            self.network = Network(baskets.n_items, settings.dim, settings.attention)

    def stages(self, train: Part) -> list[Stage]:
        """Users of similar history length together, in a new order every epoch."""
        labels = train.labels(self.settings.labels)
        users = users_with(labels)
        length = train.histories.baskets_per_user[users]

        def batches(rng: Generator) -> list[np.ndarray]:
            return [users[i] for i in shuffled_batches(length, self.settings.batch_size, rng)]

        def loss(batch: np.ndarray, rng: Generator) -> Tensor:
            x = steps(train.histories.select(batch))
            return multilabel_loss(self.network(x, self.settings.dropout, rng), labels[batch])

        optimiser = clipped_adam(self.settings.learning_rate, self.settings.clip)
        stage = one_stage("dream", self.settings, labels, loss, optimiser)
        return [replace(stage, batches=batches)]

    def score(self, histories: Baskets) -> np.ndarray:
        return in_blocks(lambda some: self.network(steps(some)), histories, USERS_AT_ONCE)
