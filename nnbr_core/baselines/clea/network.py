"""CLEA's network: weighted baskets, a GRU over those that are not empty, and a wide head."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Generator, Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence

from nnbr_core.baselines.clea.selector import START_TEMPERATURE, Selector, gumbel, relevance
from nnbr_core.data.baskets import Baskets
from nnbr_core.network import dropout

ROWS_AT_ONCE = 128  # rows of catalogue scores: 6 MB with 12,000 items, small enough for the cache
TINY = 1e-10  # keeps an empty basket's mean at 0
LEAST_KEPT, MOST_DROPPED = 0.1, 0.9  # shares of a history beyond which the selector is pushed back


@dataclass(frozen=True)
class Sequences:
    """Histories, flattened, oldest basket first; with pairs, one history per (user, target)."""

    items: Tensor  # int64 [tokens]
    basket: Tensor  # int64 [tokens], which basket a token lies in
    basket_ptr: Tensor  # int64 [baskets], where each basket's tokens start
    row: Tensor  # int64 [baskets], whose basket it is
    n_rows: int

    @property
    def row_of_token(self) -> Tensor:
        return self.row[self.basket]


def flatten(histories: Baskets) -> Sequences:
    """Histories as tensors. A user who is selected several times gives several rows."""
    baskets = np.repeat(np.arange(histories.n_baskets), histories.basket_sizes)
    return Sequences(
        items=torch.from_numpy(histories.items.astype(np.int64)),
        basket=torch.from_numpy(baskets),
        basket_ptr=torch.from_numpy(histories.basket_ptr[:-1].copy()),
        row=torch.from_numpy(histories.user_of_basket),
        n_rows=histories.n_users,
    )


def pooled(embeddings: Tensor, weights: Tensor, sequences: Sequences) -> tuple[Tensor, Tensor]:
    """[baskets, d]: weighted means of embeddings [items, d]; and is anything in that basket?"""
    total = weights.new_zeros(len(sequences.row)).index_add(0, sequences.basket, weights)
    summed = functional.embedding_bag(
        sequences.items, embeddings, sequences.basket_ptr, mode="sum", per_sample_weights=weights
    )
    return summed / (total + TINY).unsqueeze(1), total > 0


def closed_up(baskets: Tensor, is_filled: Tensor, sequences: Sequences) -> tuple[Tensor, Tensor]:
    """Filled baskets side by side, in order: [rows, longest, d], and how many [rows].

    A row without any gets one vector of zeros.

        row 0:  2  (empty)  0.5     becomes     2    0.5     2
        row 1:  (empty)                         0    0       1
    """
    counts = torch.zeros(sequences.n_rows, dtype=torch.int64)
    counts.index_add_(0, sequences.row, is_filled.long())
    rows = sequences.row[is_filled]
    step = torch.arange(len(rows)) - (counts.cumsum(0) - counts)[rows]
    n_steps = counts.clamp_min(1)
    padded = baskets.new_zeros(sequences.n_rows, int(n_steps.max()), baskets.shape[1])
    return padded.index_put((rows, step), baskets[is_filled]), n_steps


def last_state(gru: nn.GRU, padded: Tensor, n_steps: Tensor) -> Tensor:
    """[rows, d]: the state after every row's last vector, from padded [rows, longest, d]."""
    packed = pack_padded_sequence(padded, n_steps, batch_first=True, enforce_sorted=False)
    return gru(packed)[1][0]


@dataclass(frozen=True)
class Losses:
    """The terms CLEA is made of, each a number; p: the target's chance, r: a share of tokens."""

    margin: Tensor  # the selector neither drops nor keeps everything
    kept: Tensor  # p is higher given the kept part than given everything
    dropped: Tensor  # ... and higher given everything than given the dropped part
    fit: Tensor  # p given the kept part is high
    anchor: Tensor  # p given everything is high
    share_kept: Tensor  # mean share of a history in the kept part; near 0 or 1 is a collapse

    @property
    def selector_phase(self) -> Tensor:
        return self.margin + self.kept + self.dropped + self.fit

    @property
    def encoder_phase(self) -> Tensor:
        return self.selector_phase + self.anchor


def contrast(
    kept: Tensor, dropped: Tensor, whole: Tensor, share_kept: Tensor, share_dropped: Tensor
) -> Losses:
    """Losses of log-chances given each part, [pairs] each, and of mean shares of tokens.

    Chances are compared, not their logarithms: differences are small, and `fit` does most of
    the work.
    """
    return Losses(
        margin=(LEAST_KEPT - share_kept).relu() + (share_dropped - MOST_DROPPED).relu(),
        kept=-functional.logsigmoid(kept.exp() - whole.exp()).mean(),
        dropped=-functional.logsigmoid(whole.exp() - dropped.exp()).mean(),
        fit=-kept.mean(),
        anchor=-whole.mean(),
        share_kept=share_kept.detach(),
    )


class Head(nn.Module):
    """From a history's state to the chance of every item: two parallel branches, summed."""

    def __init__(self, dim: int, n_items: int) -> None:
        super().__init__()
        self.widen = nn.Linear(dim, 2 * dim)
        self.branches = nn.Linear(2 * dim, 4 * dim)  # two of 2 d, side by side
        self.items = nn.Linear(4 * dim, n_items)
        bound = (2 * dim) ** -0.5  # each branch is a layer of its own
        nn.init.uniform_(self.items.weight, -bound, bound)

    def forward(self, states: Tensor, rate: float = 0.0, rng: Generator | None = None) -> Tensor:
        """[rows, 4 d]: what is multiplied with every item's weights, from states [rows, d]."""
        return functional.leaky_relu(self.branches(dropout(self.widen(states), rate, rng)))

    def log_chances(self, features: Tensor) -> Tensor:
        """[rows, items]: all items' log-chances, from features [rows, 4 d]."""
        return self.items(features).log_softmax(dim=1)

    def log_chance(self, features: Tensor, row: Tensor, targets: Tensor) -> Tensor:
        """[pairs]: log-chance of one target [pairs] given the features of `row` [pairs].

        Only the target's score and the sum over all items are needed, a few rows at a time.
        """
        total = torch.cat(
            [self.items(some).logsumexp(dim=1) for some in features.split(ROWS_AT_ONCE)]
        )
        weight, bias = self.items.weight[targets], self.items.bias[targets]
        return (features[row] * weight).sum(dim=1) + bias - total[row]


class Network(nn.Module):
    """Embeddings shared by an encoder and a selector, and a head on top of the encoder."""

    def __init__(self, n_items: int, dim: int, rate: float) -> None:
        super().__init__()
        self.rate = rate  # of dropout
        self.items = nn.Embedding(n_items, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.head = Head(dim, n_items)
        self.selector = Selector(dim)
        self.register_buffer("temperature", torch.tensor(START_TEMPERATURE))  # of the selector
        self.register_buffer("selects", torch.tensor(False))  # or is it the anchor alone?

    def encode(self, sequences: Sequences, weights: Tensor) -> Tensor:
        """[rows, d]: the state after each history, its tokens weighted by weights [tokens]."""
        baskets, is_filled = pooled(self.items.weight, weights, sequences)
        return last_state(self.gru, *closed_up(baskets, is_filled, sequences))

    def whole(self, users: Sequences, rng: Generator | None = None) -> Tensor:
        """[users, 4 d]: features of whole histories."""
        return self.head(self.encode(users, torch.ones(len(users.items))), self.rate, rng)

    def select(self, pairs: Sequences, targets: Tensor, rng: Generator | None = None) -> Tensor:
        """[tokens, 2]: each token's weight in the kept and in the dropped part of its pair."""
        embeddings = self.items.weight
        logits = self.selector(embeddings, pairs.items, targets, pairs.row_of_token, self.rate, rng)
        noise = 0.0 if rng is None else gumbel(len(embeddings), rng)[pairs.items]
        return relevance(logits, self.temperature.item(), noise)

    def part(
        self, pairs: Sequences, weights: Tensor, targets: Tensor, rng: Generator | None = None
    ) -> Tensor:
        """[pairs]: log-chances of targets [pairs] given the tokens weighted by `weights`."""
        features = self.head(self.encode(pairs, weights), self.rate, rng)
        return self.head.log_chance(features, torch.arange(pairs.n_rows), targets)

    def losses(
        self, users: Sequences, pairs: Sequences, user: Tensor, targets: Tensor, rng: Generator
    ) -> Losses:
        """All terms for some users and their pairs; `user` [pairs] is each pair's row of users."""
        weights = self.select(pairs, targets, rng)
        n_tokens = pairs.row_of_token.bincount(minlength=pairs.n_rows)
        shares = weights.new_zeros(pairs.n_rows, 2).index_add(0, pairs.row_of_token, weights)
        share_kept, share_dropped = (shares / n_tokens.unsqueeze(1)).mean(dim=0)
        kept, dropped = (self.part(pairs, w, targets, rng) for w in weights.T.contiguous())
        whole = self.head.log_chance(self.whole(users, rng), user, targets)
        return contrast(kept, dropped, whole, share_kept, share_dropped)
