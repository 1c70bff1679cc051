"""The network behind BTBR: embeddings, transformer layers, scores tied to the embeddings.

Read it from the end: `Network` tells the story, `Layer` is one post-norm transformer layer, and
`attend` is all that knows about padding. Tensors hold real tokens only, n rows of d numbers
for B users of at most L items, and are spread over a padded grid just for attention. The last
layer computes the masks' states alone, because nothing reads its others. Both leave the results
as they are.

Dropout and attention are written by hand because they are most of a step. On one CPU core, 128
users of TaFeng, 8 heads of 8 numbers, forward and backward in milliseconds, against torch 2.13:

    attention, rows of 41 items     12, and 18 with F.scaled_dot_product_attention
    attention, rows of 90           37, and 51
    dropout of 5,300 x 64           0.4, and 2.6 with F.dropout

No GPU was ever at hand. What was tried: the same code on torch's meta device, where asking for a
value raises, so that a training step is known to wait for nothing and to fit together; and torch's
attention, which a GPU uses, against ours on the CPU. What was not: a single step on CUDA.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from nnbr_core.batching import FIRST_ITEM, MASK, MAX_BASKETS, PAD
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.losses import catalogue_loss

INITIAL_DEVIATION = 0.02  # of all weights, as in BERT
WIDENING = 4  # the feed-forward layer's width, in multiples of dim
SCORES_AT_ONCE = 262_144  # attention scores of a block: 1 MB, stays in the cache
SAFE_EXPONENT = 60.0  # exp(60) times thousands is still far from float32's limit
BYTE = 256


def dropout(x: Tensor, rate: float, rng: Generator | None) -> Tensor:
    """`x` with a random `rate` of its numbers set to 0 and the others scaled up.

    Without `rng` it is `x` itself: scoring draws nothing, so there is no training mode to
    forget. One random byte decides per number, so the rate is rounded to a 256th.
    """
    n_dropped = round(rate * BYTE)
    if rng is None or n_dropped == 0:
        return x
    words = x.new_empty(-(-x.numel() // 8), dtype=torch.int64)
    draw = words.random_(-(2**63), None, generator=rng).view(torch.uint8)[: x.numel()]
    # Written as floats: a product with booleans would take ten times as long.
    keep = torch.ge(draw.view_as(x), n_dropped, out=torch.empty_like(x))
    return x * keep.mul_(BYTE / (BYTE - n_dropped))


def _with_column(x: Tensor, column: Tensor) -> Tensor:
    """x (B, H, n, c) with one more column, (B, H, n) or broadcast to it, as (B x H, n, c + 1)."""
    return torch.cat([x, column.expand(x.shape[:3])[..., None]], dim=-1).flatten(0, 1)


def _longest(x: Tensor) -> Tensor:
    """The largest norm of a row of x (..., c); a product, because short sums are slow."""
    return (x.square() @ x.new_ones(x.shape[-1])).max().sqrt()


class _Attention(torch.autograd.Function):
    """See `attention`. Blocks of users and heads that stay in the cache, forward and backward.

    The score matrix is touched by nothing but products and one `exp`. What the backward pass must
    subtract from it is one more column of queries and keys; row sums are one more column of
    the values, 0 at padding, which is all it takes to hide padding.
    """

    @staticmethod
    def forward(ctx, q: Tensor, k: Tensor, v: Tensor, is_key: Tensor) -> Tensor:
        queries = _with_column(q, q.new_zeros(1))  # (B x H, M, c + 1)
        keys, values = _with_column(k, is_key), _with_column(v, is_key)  # (B x H, L, c + 1)
        summed, top = torch.empty_like(queries), torch.zeros_like(queries[..., :1])
        # No score is larger than |q| |k|: subtracting the row's maximum is hardly ever needed.
        is_safe = _longest(queries) * _longest(keys) < SAFE_EXPONENT
        ctx.step = max(1, SCORES_AT_ONCE // (q.shape[2] * k.shape[2]))
        buffer = q.new_empty(min(ctx.step, len(queries)), q.shape[2], k.shape[2])
        for at in range(0, len(queries), ctx.step):
            some = slice(at, at + ctx.step)
            block = buffer[: len(queries[some])]
            scores = torch.bmm(queries[some], keys[some].mT, out=block)
            if not is_safe:
                scores.masked_fill_(keys[some, None, :, -1] == 0, float("-inf"))
                scores -= torch.amax(scores, dim=-1, keepdim=True, out=top[some])
            torch.bmm(scores.exp_(), values[some], out=summed[some])
        out = summed[..., :-1] / summed[..., -1:]
        queries[..., -1:] = -(summed[..., -1:].log() + top)  # now exp gives the softmax itself
        ctx.save_for_backward(queries, keys, values, out)
        return out.view(q.shape)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, out = ctx.saved_tensors
        grads = _with_column(grad, -(grad * out.view(grad.shape)).sum(dim=-1))
        grad_q, grad_k, grad_v = (torch.empty_like(x[..., :-1]) for x in (queries, keys, values))
        size = min(ctx.step, len(queries))
        buffer = grad.new_empty(2, size, queries.shape[1], keys.shape[1])
        for at in range(0, len(queries), ctx.step):
            some = slice(at, at + ctx.step)
            one, two = buffer[:, : len(queries[some])]
            weights = torch.bmm(queries[some], keys[some].mT, out=one).exp_()
            torch.bmm(weights.mT, grads[some, :, :-1], out=grad_v[some])
            # From here on they are the gradient of the scores.
            weights *= torch.bmm(grads[some], values[some].mT, out=two)
            torch.bmm(weights, keys[some, :, :-1], out=grad_q[some])
            torch.bmm(weights.mT, queries[some, :, :-1], out=grad_k[some])
        by_head = (*grad.shape[:2], -1, grad.shape[3])  # (B, H, n, c)
        return *(x.view(by_head) for x in (grad_q, grad_k, grad_v)), None


def attention(q: Tensor, k: Tensor, v: Tensor, is_key: Tensor) -> Tensor:
    """(B, H, M, c): softmax(q kᵀ / √c) v for each user and head, over the user's real keys.

    q is (B, H, M, c), k and v are (B, H, L, c) and 0 at padding, is_key is (B, L) bool.
    Attention weights are not dropped out: drawing masks for them would cost more than the
    attention itself. Anywhere but on the CPU torch's own attention is used: ours asks whether
    scores are safe, and a GPU would have to be waited for.
    """
    if q.device.type != "cpu":
        return F.scaled_dot_product_attention(q, k, v, attn_mask=is_key[:, None, None])
    return _Attention.apply(q * q.shape[-1] ** -0.5, k, v, is_key[:, None].to(q.dtype))


def _sent(x: Tensor, device: torch.device) -> Tensor:
    """`x` on this device, without waiting for it to arrive."""
    return x.to(device, non_blocking=True)


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
        filled = self.slot.new_zeros(self.n_users * self.width, dtype=torch.bool)
        return filled.index_fill_(0, self.slot, True).view(self.n_users, self.width)

    def of(self, some: Tensor) -> "Grid":
        """The narrower grid of some rows, by number (m,), packed to the left."""
        user = self.slot[some] // self.width
        count = torch.bincount(user, minlength=self.n_users)
        rank = torch.arange(len(user), device=user.device) - (count.cumsum(0) - count)[user]
        width = int(count.max())
        return Grid(user * width + rank, self.n_users, width)

    def to(self, device: torch.device) -> "Grid":
        return self._replace(slot=_sent(self.slot, device))


def attend(query: Tensor, key_value: Tensor, readers: Grid, rows: Grid, heads: int) -> Tensor:
    """(m, d): what m readers find among the n rows of their own users, with several heads.

    `query` is (m, d), `key_value` (n, 2 d), and the grids say whose they are.
    """
    q = readers.spread(query, heads)  # (B, H, M, d / H), M readers of a user at most
    k, v = rows.spread(key_value, 2 * heads).chunk(2, dim=1)  # (B, H, L, d / H) each
    return readers.collect(attention(q, k, v, rows.is_filled()))  # (m, d)


def linear(layer: nn.Linear, x: Tensor, precision: str) -> Tensor:
    """float32 (n, out): the layer's answer to x (n, in); factors are rounded to bfloat16 if asked.

    Sums stay float32, and so do the weights that are kept and learned. A product of 4,000 x 64 by
    64 x 256 takes half the time, forward and backward, rounding included.
    """
    if precision == "float32":
        return layer(x)
    return F.linear(x.bfloat16(), layer.weight.bfloat16(), layer.bias.bfloat16()).float()


class Layer(nn.Module):
    """One post-norm transformer layer: some of the rows read all rows of their user."""

    def __init__(self, dim: int, heads: int, rate: float, precision: str) -> None:
        super().__init__()
        self.heads, self.rate, self.precision = heads, rate, precision
        self.query = skip_init(nn.Linear, dim, dim)
        self.key_value = skip_init(nn.Linear, dim, 2 * dim)
        self.output = skip_init(nn.Linear, dim, dim)
        self.widen = skip_init(nn.Linear, dim, WIDENING * dim)
        self.narrow = skip_init(nn.Linear, WIDENING * dim, dim)
        self.norm_attention, self.norm_forward = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(
        self, x: Tensor, rows: Grid, y: Tensor, readers: Grid, rng: Generator | None
    ) -> Tensor:
        """(m, d): the new states of readers y (m, d), which are some or all of x (n, d)."""
        query = linear(self.query, y, self.precision)  # (m, d)
        key_value = linear(self.key_value, x, self.precision)  # (n, 2 d)
        read = attend(query, key_value, readers, rows, self.heads)  # (m, d)
        found = linear(self.output, read, self.precision)  # (m, d)
        y = self.norm_attention(y + dropout(found, self.rate, rng))  # (m, d)
        wide = F.gelu(linear(self.widen, y, self.precision))  # (m, 4 d)
        narrow = linear(self.narrow, wide, self.precision)  # (m, d)
        return self.norm_forward(y + dropout(narrow, self.rate, rng))  # (m, d)


class Network(nn.Module):
    """Embeddings, transformer layers and tied scores."""

    def __init__(self, settings: BtbrSettings, n_items: int, rng: Generator) -> None:
        super().__init__()
        dim, self.rate = settings.dim, settings.dropout
        self.precision = settings.precision
        self.tokens = skip_init(nn.Embedding, FIRST_ITEM + n_items, dim)
        self.positions = skip_init(nn.Embedding, 1 + MAX_BASKETS, dim)
        self.norm = nn.LayerNorm(dim)
        self.layers = nn.ModuleList(
            Layer(dim, settings.heads, self.rate, self.precision) for _ in range(settings.layers)
        )
        self.item_bias = nn.Parameter(torch.zeros(n_items))
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=INITIAL_DEVIATION, generator=rng)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, inputs: Tensor, positions: Tensor, rng: Generator | None = None) -> Tensor:
        """(n_masks, d): the state of every MASK in inputs (B, L), row by row.

        `inputs` and `positions` (B, L) are on the CPU, wherever the weights are: how many tokens
        and masks there are is known before anything is sent, and no GPU has to be asked.
        `rng` draws the dropout; without it nothing is dropped.
        """
        there = self.item_bias.device
        slot = (inputs != PAD).flatten().nonzero()[:, 0]  # (n,) where the real tokens are
        tokens, rows = inputs.flatten()[slot], Grid(slot, *inputs.shape)  # (n,)
        masks = (tokens == MASK).nonzero()[:, 0]  # (n_masks,)
        readers, rows, masks = rows.of(masks).to(there), rows.to(there), _sent(masks, there)
        numbers = _sent(positions.flatten()[slot], there)  # (n,) of baskets
        x = self.tokens(_sent(tokens, there)) + self.positions(numbers)  # (n, d)
        x = dropout(self.norm(x), self.rate, rng)  # (n, d)
        for layer in self.layers[:-1]:
            x = layer(x, rows, x, rows, rng)  # (n, d)
        return self.layers[-1](x, rows, x[masks], readers, rng)  # (n_masks, d)

    def scores(self, states: Tensor) -> Tensor:
        """(n, N): how well each of N items fits states (n, d)."""
        return F.linear(states, self.tokens.weight[FIRST_ITEM:], self.item_bias)

    def loss(
        self, inputs: Tensor, positions: Tensor, row: Tensor, item: Tensor, rng: Generator | None
    ) -> Tensor:
        """Mean cross-entropy, over all items, of mask row[p] having to say item[p], both (P,)."""
        states = self(inputs, positions, rng)  # (n_masks, d)
        items = self.tokens.weight[FIRST_ITEM:]  # (N, d)
        row, item = _sent(row, states.device), _sent(item, states.device)
        return catalogue_loss(states, items, self.item_bias, row, item, self.precision)
