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


def move(batch: Batch, target: Tensor, ratio: float, rng: Generator) -> Batch:
    """Give each item, with probability `ratio`, its position in `target` (B, L).

    All that a swap of your own has to decide is `target`: for each item the number of a basket of
    the same user, from 1 to `batch.last_position` (B, 1). Padding stays where it is, whatever
    `target` says there. Draw from `rng` alone, so that a run can be repeated.

        def to_the_end(batch, ratio, hop, rng):
            return move(batch, batch.last_position.expand_as(batch.positions), ratio, rng)

        positions  1 1 2 .   target  2 2 2 2   moved  y n y -   ->   positions  2 1 2 .

    With @nnbr.swap above it, it can be named in runs, sweeps and menus.

    >>> import nnbr_core as nnbr
    >>> batch = Batch(torch.tensor([[4, 5, 6, 0]]), torch.tensor([[1, 1, 2, 0]]))
    >>> target = batch.last_position.expand_as(batch.positions)
    >>> nnbr.move(batch, target, 1.0, Generator().manual_seed(0)).positions.tolist()
    [[2, 2, 2, 0]]
    """
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
    return move(batch, torch.where(goes_right, right, left), ratio, rng)


def within(batch: Batch, ratio: float, hop: int, rng: Generator) -> Batch:
    """Move to any other basket at most `hop` away, each with the same chance."""
    n_left = (batch.positions - 1).clamp(max=hop)
    n_right = (batch.last_position - batch.positions).clamp(max=hop)
    draw = torch.rand(batch.positions.shape, generator=rng)
    choice = (draw * (n_left + n_right)).long()  # 0 .. n_left - 1 go left, the others right
    left = batch.positions - 1 - choice
    right = batch.positions + 1 + choice - n_left
    target = torch.where(choice < n_left, left, right)
    return move(batch, torch.where(n_left + n_right > 0, target, batch.positions), ratio, rng)


SWAPS: dict[str, Swap] = {"code": code, "within": within}
BUILT_IN = dict(SWAPS)  # what comes with the package, whatever is added later
