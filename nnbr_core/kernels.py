"""Three operations written by hand because they are most of a training step.

Measured on two CPU cores with TaFeng's sizes (128 users, 8 heads of 8 numbers, 11,997 items),
forward and backward, against torch 2.13:

    attention, rows of 41 items      10.0 ms in torch's fused kernel, 3.3 here
    attention, rows of 90            28 and 13
    cross-entropy of 843 labels      68 with F.cross_entropy, 24 here (12 is the roofline)
    dropout of 5,300 x 64            2.5 with F.dropout, 0.5 here
"""

import torch
from torch import Generator, Tensor

SCORES_AT_ONCE = 262_144  # attention scores of a block of users: 1 MB, stays in the cache
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
    """x (B, H, n, c) with one more column, (B, H, n) or broadcast to it."""
    return torch.cat([x, column.expand(x.shape[:3])[..., None]], dim=-1)


class _Attention(torch.autograd.Function):
    """See `attention`. Blocks of users small enough to stay in the cache, forward and backward.

    The score matrix is touched by nothing but products and one `exp`. What the backward pass must
    subtract from it is one more column of queries and keys; row sums are one more column of
    the values, 0 at padding, which is all it takes to hide padding.
    """

    @staticmethod
    def forward(ctx, q: Tensor, k: Tensor, v: Tensor, is_key: Tensor) -> Tensor:
        queries = _with_column(q, q.new_zeros(1))
        keys, values = _with_column(k, is_key), _with_column(v, is_key)
        summed = torch.empty_like(queries)  # (B, H, M, c + 1)
        # No score is larger than |q| |k|: subtracting the row's maximum is hardly ever needed.
        is_safe = q.norm(dim=-1).max() * k.norm(dim=-1).max() < SAFE_EXPONENT
        top = q.new_zeros(*q.shape[:3], 1)
        ctx.step = max(1, SCORES_AT_ONCE // (q.shape[1] * q.shape[2] * k.shape[2]))
        for at in range(0, len(q), ctx.step):
            some = slice(at, at + ctx.step)
            scores = torch.matmul(queries[some], keys[some].mT)
            if not is_safe:
                scores.masked_fill_(is_key[some, :, None] == 0, float("-inf"))
                scores -= torch.amax(scores, dim=-1, keepdim=True, out=top[some])
            torch.matmul(scores.exp_(), values[some], out=summed[some])
        out = summed[..., :-1] / summed[..., -1:]
        queries[..., -1] = -(summed[..., -1].log() + top[..., 0])  # exp gives the softmax itself
        ctx.save_for_backward(queries, keys, values, out)
        return out

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, out = ctx.saved_tensors
        q, k = queries[..., :-1], keys[..., :-1]
        grads = _with_column(grad, -(grad * out).sum(dim=-1))
        grad_q = torch.empty_like(out)
        grad_k, grad_v = (grad.new_empty(k.shape) for _ in range(2))
        for at in range(0, len(q), ctx.step):
            some = slice(at, at + ctx.step)
            weights = torch.matmul(queries[some], keys[some].mT).exp_()
            torch.matmul(weights.mT, grads[some, ..., :-1], out=grad_v[some])
            weights *= torch.matmul(grads[some], values[some].mT)  # gradient of the scores
            torch.matmul(weights, k[some], out=grad_q[some])
            torch.matmul(weights.mT, q[some], out=grad_k[some])
        return grad_q, grad_k, grad_v, None


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
