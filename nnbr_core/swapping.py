"""Ways to move items to nearby baskets, during item-level training only.

The order of two neighbouring visits is often an accident. Only position numbers change: the
items of a row, and what a masker hides of it, stay as they are.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Generator, Tensor

from nnbr_core.batching import Batch

Swap = Callable[[Batch, float, int, Generator], Batch]


def _move(batch: Batch, target: Tensor, ratio: float, rng: Generator) -> Batch:
    """Give each item, with probability `ratio`, its position in `target` (B, L)."""
    is_moved = (torch.rand(target.shape, generator=rng) < ratio) & batch.is_item
    return replace(batch, positions=torch.where(is_moved, target, batch.positions))


def code(batch: Batch, ratio: float, hop: int, rng: Generator) -> Batch:
    """Move exactly `hop` baskets, as the public code does.

    Left or right by a fair coin, stopping at the first and last basket; from the first `hop`
    baskets always right. An item that is already last and moves right stays where it is.
    """
    goes_right = torch.rand(batch.positions.shape, generator=rng) < 0.5
    goes_right |= batch.positions <= hop
    right = torch.minimum(batch.positions + hop, batch.last_position)
    left = (batch.positions - hop).clamp(min=1)
    return _move(batch, torch.where(goes_right, right, left), ratio, rng)


def within(batch: Batch, ratio: float, hop: int, rng: Generator) -> Batch:
    """Move to any other basket at most `hop` away, each with the same chance."""
    n_left = (batch.positions - 1).clamp(max=hop)
    n_right = (batch.last_position - batch.positions).clamp(max=hop)
    draw = torch.rand(batch.positions.shape, generator=rng)
    choice = (draw * (n_left + n_right)).long()  # 0 .. n_left - 1 go left, the others right
    left = batch.positions - 1 - choice
    right = batch.positions + 1 + choice - n_left
    target = torch.where(choice < n_left, left, right)
    return _move(batch, torch.where(n_left + n_right > 0, target, batch.positions), ratio, rng)


SWAPS: dict[str, Swap] = {"code": code, "within": within}
