"""CLEA's selector: which items of a history matter for one target item?"""

import math

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from nnbr_core.network import dropout

START_TEMPERATURE = 10.0
ANNEAL_EVERY = 500  # selector batches
ANNEAL_RATE = 1e-4  # per batch
SPREAD = 0.1  # of the initial weights: a selector that has no opinion yet


def annealed(n_batches: int, coldest: float) -> float:
    """The temperature after so many selector batches: a softer choice first, a harder one later.

    It is lowered every 500 batches, by a factor that itself shrinks with their number.
    """
    lowered = range(ANNEAL_EVERY, n_batches + 1, ANNEAL_EVERY)
    return max(coldest, START_TEMPERATURE * math.exp(-ANNEAL_RATE * sum(lowered)))


def gumbel(n_items: int, rng: Generator) -> Tensor:
    """float [items, 2]: noise for one batch, shared by all occurrences of an item in it."""
    draw = torch.rand(n_items, 2, generator=rng).clamp_min(torch.finfo(torch.float32).tiny)
    return -(-draw.log()).log()


def relevance(logits: Tensor, temperature: float, noise: Tensor | float = 0.0) -> Tensor:
    """[tokens, 2]: the weight of every token in the relevant part, and in the irrelevant one.

    From logits [tokens, 2]. A token is in one part only: its weight in the other is 0. The
    gradient passes through the chosen part's weight; there is no straight-through estimator.
    """
    soft = ((logits.log_softmax(dim=1) + noise) / temperature).softmax(dim=1)
    is_relevant = soft[:, :1] >= soft[:, 1:]
    return soft * torch.cat([is_relevant, ~is_relevant], dim=1)


class Selector(nn.Module):
    """Two logits for a history item and a target: a linear part plus a small hidden layer.

    The first layer is linear in both embeddings, so it is applied to the catalogue and to the
    targets, and added up where they meet: d additions a token instead of 2 d^2 multiplications.
    Dropout of an embedding is therefore shared by all its occurrences in a batch.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.history = nn.Linear(dim, 2 + dim, bias=False)  # two logits, then the hidden layer
        self.target = nn.Linear(dim, 2 + dim)
        self.output = nn.Linear(dim, 2)
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=SPREAD)

    def forward(
        self,
        embeddings: Tensor,
        items: Tensor,
        targets: Tensor,
        pair: Tensor,
        rate: float = 0.0,
        rng: Generator | None = None,
    ) -> Tensor:
        """Logits [tokens, 2] of history `items` [tokens], each for the target of its `pair`.

        `embeddings` is [items, d], `targets` [pairs], `pair` [tokens].
        """
        left = self.history(dropout(embeddings, rate, rng))
        right = self.target(dropout(embeddings[targets], rate, rng))
        first = left[items] + right[pair]  # (tokens, 2 + d)
        hidden = functional.leaky_relu(dropout(first[:, 2:], rate, rng))
        return first[:, :2] + self.output(hidden)
