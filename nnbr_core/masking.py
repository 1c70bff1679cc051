"""Ways to hide items: the training objectives. Maskers only hide; views remove."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from nnbr_core.batching import IGNORE, MASK, PAD, Batch, View, with_last, with_novel_last


class Masked(NamedTuple):
    """What the model sees and what it must say."""

    inputs: Tensor  # (B, L) tokens, MASK where an item is hidden
    labels: Tensor  # (B, L) the hidden tokens, IGNORE everywhere else


Masker = Callable[[Batch, float, Generator], Masked]


def hide(batch: Batch, hidden: Tensor) -> Masked:
    """Replace the tokens where `hidden` (B, L) is true by MASK and make them the labels.

    All that a masker of your own has to decide is where `hidden` is true: never at padding
    (`batch.is_item` says where that is), and never everywhere in a row, or nothing is left to
    predict from. Draw from `rng` alone, so that a run can be repeated.

        def first_basket(batch, ratio, rng):
            return hide(batch, batch.positions == 1)

        tokens  4 5 6 .   hidden  y y n n   ->   inputs  M M 6 .   labels  4 5 IGNORE IGNORE

    With @nnbr.masker above it, it can be named in runs, sweeps and menus.

    >>> import nnbr_core as nnbr
    >>> batch = Batch(torch.tensor([[4, 5, 6, 0]]), torch.tensor([[1, 1, 2, 0]]))
    >>> nnbr.hide(batch, batch.positions == 1).inputs.tolist()
    [[1, 1, 6, 0]]
    """
    return Masked(batch.tokens.masked_fill(hidden, MASK), batch.tokens.masked_fill(~hidden, IGNORE))


def item_random(batch: Batch, ratio: float, rng: Generator) -> Masked:
    """Hide every item with probability `ratio`, whatever it is.

    The ordinary cloze test. A re-bought item often keeps a visible copy, and copying it is
    the easiest answer. The luckiest draw is always hidden, so that no user is wasted, and the
    unluckiest never is, so that something stays visible.
    """
    draw = torch.rand(batch.tokens.shape, generator=rng)
    lowest = draw.masked_fill(~batch.is_item, 2).argmin(dim=1, keepdim=True)
    highest = draw.masked_fill(~batch.is_item, -1).argmax(dim=1, keepdim=True)
    hidden = (draw < ratio).scatter(1, lowest, True).scatter(1, highest, False)
    return hide(batch, hidden & batch.is_item)


def item_select(batch: Batch, ratio: float, rng: Generator) -> Masked:
    """Hide every copy of a random `ratio` of each user's distinct items.

    If a re-bought item keeps one visible copy the model can simply read the answer
    off it. Hiding all copies makes it predict from *other* items, which is the skill
    a novel item needs. At least one distinct item always stays visible.
    """
    ordered, slot = batch.tokens.sort(dim=1, descending=True)  # (B, L), PAD sorts last
    is_first = ordered != ordered.roll(1, dims=1)
    is_first[:, 0] = True
    distinct = is_first.cumsum(dim=1) - 1  # (B, L) which distinct item sits here
    n_distinct = (is_first & (ordered != PAD)).sum(dim=1, keepdim=True)  # (B, 1)
    wanted = (ratio * n_distinct.double() - 1e-9).ceil().long()  # 0.55 x 100 is 55, not 56
    n_hide = torch.minimum(wanted, n_distinct - 1)
    draw = torch.rand(ordered.shape, generator=rng)  # one draw per distinct item
    draw.masked_fill_(torch.arange(draw.shape[1]) >= n_distinct, 2.0)  # never padding
    rank = draw.argsort(dim=1).argsort(dim=1)
    hidden = torch.zeros_like(is_first).scatter(1, slot, (rank < n_hide).gather(1, distinct))
    return hide(batch, hidden)


def last_basket(batch: Batch, ratio: float, rng: Generator) -> Masked:
    """Hide the whole last basket, and nothing else, whatever the ratio.

    The objective is the task itself: what is bought next? What the last basket contains, all
    of it or its novel items alone, is a matter of the view.
    """
    return hide(batch, batch.is_item & (batch.positions == batch.last_position))


def one_mask(inputs: Tensor) -> Tensor:
    """(B, L) inputs with each user's first MASK alone; the others become padding.

        4 5 M M M   ->   4 5 M . .

    Masks of one basket have the same embedding and position: they all say the same thing.
    One of them is what the model sees at prediction time.
    """
    is_mask = inputs == MASK
    return inputs.masked_fill(is_mask & (is_mask.cumsum(dim=1) > 1), PAD)


MASKERS: dict[str, Masker] = {
    "item_random": item_random,
    "item_select": item_select,
    "basket_all": last_basket,
    "basket_explore": last_basket,
}
BUILT_IN = dict(MASKERS)  # what comes with the package, whatever is added later
# Basket-level objectives hide the basket their view ends with. Every other masker is item-level.
BASKET_VIEWS: dict[str, View] = {"basket_all": with_last, "basket_explore": with_novel_last}
