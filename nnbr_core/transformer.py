"""The network behind BTBR: embeddings, transformer layers, scores tied to the embeddings.

Rows of a batch are packed: tensors hold real tokens only, (n, d), and are spread over a padded
grid just for attention. The last layer answers for masks alone, because nothing reads its other
states. Both leave the results as they are.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from nnbr_core.batching import FIRST_ITEM, MASK, MAX_BASKETS, PAD
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.kernels import attention, catalogue_loss, dropout

INITIAL_DEVIATION = 0.02  # of all weights, as in BERT
WIDENING = 4  # the feed-forward layer's width, in multiples of dim


class Grid(NamedTuple):
    """Where packed rows (n, d) sit in a padded grid (B, L, d)."""

    slot: Tensor  # (n,) place of each row in the flattened grid
    n_users: int  # B
    width: int  # L

    def spread(self, rows: Tensor, heads: int) -> Tensor:
        """(n, d) -> (B, heads, L, d / heads), 0 at padding."""
        full = rows.new_zeros(self.n_users * self.width, rows.shape[1])
        full = full.index_copy(0, self.slot, rows).view(self.n_users, self.width, heads, -1)
        return full.transpose(1, 2)

    def collect(self, full: Tensor) -> Tensor:
        """(B, heads, L, d / heads) -> (n, d)."""
        return full.transpose(1, 2).reshape(self.n_users * self.width, -1)[self.slot]

    def is_filled(self) -> Tensor:
        """(B, L) bool: not padding."""
        filled = torch.zeros(self.n_users * self.width, dtype=torch.bool, device=self.slot.device)
        return filled.index_fill_(0, self.slot, True).view(self.n_users, self.width)

    def of(self, some: Tensor) -> "Grid":
        """The narrower grid of some rows, by number (m,), packed to the left."""
        user = self.slot[some] // self.width
        count = torch.bincount(user, minlength=self.n_users)
        rank = torch.arange(len(user), device=user.device) - (count.cumsum(0) - count)[user]
        width = int(count.max())
        return Grid(user * width + rank, self.n_users, width)


class Layer(nn.Module):
    """One post-norm transformer layer; `asking` are the rows that look at `x` (n, d)."""

    def __init__(self, dim: int, heads: int, rate: float) -> None:
        super().__init__()
        self.heads, self.rate = heads, rate
        self.query = skip_init(nn.Linear, dim, dim)
        self.key_value = skip_init(nn.Linear, dim, 2 * dim)
        self.output = skip_init(nn.Linear, dim, dim)
        self.widen = skip_init(nn.Linear, dim, WIDENING * dim)
        self.narrow = skip_init(nn.Linear, WIDENING * dim, dim)
        self.norm_attention, self.norm_forward = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(
        self, x: Tensor, keys: Grid, asking: Tensor, queries: Grid, rng: Generator | None
    ) -> Tensor:
        q = queries.spread(self.query(asking), self.heads)
        k, v = keys.spread(self.key_value(x), 2 * self.heads).chunk(2, dim=1)
        found = self.output(queries.collect(attention(q, k, v, keys.is_filled())))
        y = self.norm_attention(asking + dropout(found, self.rate, rng))
        wide = self.narrow(F.gelu(self.widen(y)))
        return self.norm_forward(y + dropout(wide, self.rate, rng))


class Network(nn.Module):
    """Embeddings, transformer layers and tied scores."""

    def __init__(self, settings: BtbrSettings, n_items: int, rng: Generator) -> None:
        super().__init__()
        dim, self.rate = settings.dim, settings.dropout
        self.tokens = skip_init(nn.Embedding, FIRST_ITEM + n_items, dim)
        self.positions = skip_init(nn.Embedding, 1 + MAX_BASKETS, dim)
        self.norm = nn.LayerNorm(dim)
        self.layers = nn.ModuleList(
            Layer(dim, settings.heads, self.rate) for _ in range(settings.layers)
        )
        self.item_bias = nn.Parameter(torch.zeros(n_items))
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=INITIAL_DEVIATION, generator=rng)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, inputs: Tensor, positions: Tensor, rng: Generator | None = None) -> Tensor:
        """(n_masks, d): the state of every MASK in inputs (B, L), row by row.

        `rng` draws the dropout; without it nothing is dropped.
        """
        slot = (inputs != PAD).flatten().nonzero()[:, 0]
        tokens, everyone = inputs.flatten()[slot], Grid(slot, *inputs.shape)
        x = self.tokens(tokens) + self.positions(positions.flatten()[slot])
        x = dropout(self.norm(x), self.rate, rng)
        for layer in self.layers[:-1]:
            x = layer(x, everyone, x, everyone, rng)
        is_mask = (tokens == MASK).nonzero()[:, 0]
        return self.layers[-1](x, everyone, x[is_mask], everyone.of(is_mask), rng)

    def scores(self, states: Tensor) -> Tensor:
        """(n, N): how well each item fits states (n, d)."""
        return F.linear(states, self.tokens.weight[FIRST_ITEM:], self.item_bias)

    def loss(
        self, inputs: Tensor, positions: Tensor, row: Tensor, item: Tensor, rng: Generator | None
    ) -> Tensor:
        """Mean cross-entropy, over all items, of mask row[p] having to say item[p], both (P,)."""
        states = self(inputs, positions, rng)
        items = self.tokens.weight[FIRST_ITEM:]
        return catalogue_loss(states, items, self.item_bias, row, item)
