"""Three operations written by hand because they are most of a training step.

Measured on one CPU core with TaFeng's sizes (128 users, 8 heads of 8 numbers, 11,997 items),
forward and backward, in milliseconds, against torch 2.13:

    attention, rows of 41 items     12, and 18 with F.scaled_dot_product_attention
    attention, rows of 90           37, and 51
    cross-entropy of 843 labels     44, and 129 with F.cross_entropy (24 is the roofline)
    dropout of 5,300 x 64           0.4, and 2.6 with F.dropout
"""

import torch
from torch import Generator, Tensor

SCORES_AT_ONCE = 262_144  # attention scores of a block: 1 MB, stays in the cache
ROWS_AT_ONCE = 128  # rows of catalogue scores at once: 128 x 12,000 are 6 MB
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
    words = torch.empty(-(-x.numel() // 8), dtype=torch.int64, device=x.device)
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
    attention itself.
    """
    return _Attention.apply(q * q.shape[-1] ** -0.5, k, v, is_key[:, None].to(q.dtype))


class _CatalogueLoss(torch.autograd.Function):
    """See `catalogue_loss`. Gradients are made along the way, so that no score is kept."""

    @staticmethod
    def forward(ctx, states: Tensor, items: Tensor, bias: Tensor, row: Tensor, label: Tensor):
        n_labels = max(1, len(label))
        per_row = torch.bincount(row, minlength=len(states)) / n_labels  # (R,) weight of each row
        grad_states = torch.empty_like(states)
        grad_items, grad_bias = torch.zeros_like(items), torch.zeros_like(bias)
        buffer = states.new_empty(min(ROWS_AT_ONCE, len(states)), len(items))
        log_total = torch.empty_like(per_row)
        for at in range(0, len(states), ROWS_AT_ONCE):
            some = slice(at, at + ROWS_AT_ONCE)
            scores = torch.addmm(bias, states[some], items.T, out=buffer[: len(states[some])])
            top = scores.amax(dim=1, keepdim=True)
            chance = scores.sub_(top).exp_()  # (r, N), not yet divided by its sum
            total = chance.sum(dim=1, keepdim=True)
            log_total[some] = (total.log() + top)[:, 0]
            weight = per_row[some, None] / total
            torch.mm(chance, items, out=grad_states[some]).mul_(weight)
            grad_items.addmm_(chance.T, states[some] * weight)
            grad_bias.addmv_(chance.T, weight[:, 0])
        wanted_states, wanted_items = states[row], items[label]  # (P, d)
        right = (wanted_states * wanted_items).sum(dim=1) + bias[label]
        grad_states.index_add_(0, row, wanted_items, alpha=-1 / n_labels)
        grad_items.index_add_(0, label, wanted_states, alpha=-1 / n_labels)
        grad_bias -= torch.bincount(label, minlength=len(bias)) / n_labels
        ctx.save_for_backward(grad_states, grad_items, grad_bias)
        return (log_total * per_row).sum() - right.sum() / n_labels

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor | None, ...]:
        return *(grad * saved for saved in ctx.saved_tensors), None, None


def catalogue_loss(
    states: Tensor, items: Tensor, bias: Tensor, row: Tensor, label: Tensor
) -> Tensor:
    """Mean cross-entropy of labels over all items; 0 without labels.

    States (R, d) score items (N, d) with bias (N,): scores = states @ items.T + bias. Label p says
    that row[p] should have said item label[p], both (P,); a row may have several labels.
    """
    return _CatalogueLoss.apply(states, items, bias, row, label)
