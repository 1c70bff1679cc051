"""Baskets -> padded tensors of tokens: views of a user, truncation, batches of similar length."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Generator, Tensor

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part

PAD = 0  # fills the end of a row
MASK = 1  # stands where an item is hidden
FIRST_ITEM = 2  # item i is token i + FIRST_ITEM, so that no item is ever a sentinel
IGNORE = -100  # the label of a position where nothing is to be predicted
MAX_BASKETS = 64  # as many positions as the model knows; the paper's users have at most 51

View = Callable[[Part], Baskets]


@dataclass(frozen=True)
class Batch:
    """Users as rows of equal length: their items in basket order, then padding."""

    tokens: Tensor  # (B, L) int64, PAD at the end
    positions: Tensor  # (B, L) int64, the number of the item's basket from 1; 0 at padding

    @property
    def is_item(self) -> Tensor:
        """(B, L) bool: an item or a mask, not padding."""
        return self.tokens != PAD

    @property
    def last_position(self) -> Tensor:
        """(B, 1) int64: the number of each user's last basket."""
        return self.positions.amax(dim=1, keepdim=True)


def without_last(part: Part) -> Baskets:
    """Histories alone: what the public code trains item-level objectives on."""
    return part.histories


def with_last(part: Part) -> Baskets:
    """Histories followed by the complete last basket."""
    return _append(part.histories, part.targets)


def with_novel_last(part: Part) -> Baskets:
    """Histories followed by the novel items of the last basket; users without one are left out.

    history {a, b} {c}   last {a, d}   ->   {a, b} {c} {d}
    history {a, b} {c}   last {b}      ->   nobody
    """
    novel = part.labels("explore")
    users = np.flatnonzero(novel.getnnz(axis=1))
    last = replace(
        part.targets.select(users),
        items=novel[users].indices.astype(np.int32),
        basket_ptr=novel[users].indptr.astype(np.int64),
    )
    return _append(part.histories.select(users), last)


def _append(histories: Baskets, last: Baskets) -> Baskets:
    """The same users with one more basket each."""
    end_of_user = histories.basket_ptr[histories.user_ptr[1:]]
    sizes = np.insert(histories.basket_sizes, histories.user_ptr[1:], last.basket_sizes)
    are_dated = histories.days is not None and last.days is not None
    return replace(
        histories,
        items=np.insert(histories.items, np.repeat(end_of_user, last.basket_sizes), last.items),
        basket_ptr=np.concatenate([[0], np.cumsum(sizes)]),
        user_ptr=histories.user_ptr + np.arange(histories.n_users + 1),
        days=np.insert(histories.days, histories.user_ptr[1:], last.days) if are_dated else None,
    )


def lengths(baskets: Baskets) -> np.ndarray:
    """int64 [users]: how many items each user's row holds."""
    return np.diff(baskets.basket_ptr[baskets.user_ptr])


def most_recent(baskets: Baskets, max_length: int, max_baskets: int = MAX_BASKETS) -> Baskets:
    """Each user's latest whole baskets: as many as it takes to reach `max_length` items.

    The oldest basket kept may cross the limit: half a visit would be a new kind of basket.

        max_length 3:   {a} {b, c} {d, e}   ->   {b, c} {d, e}
    """
    end_of_user = np.repeat(baskets.user_ptr[1:], baskets.baskets_per_user)
    items_after = baskets.basket_ptr[end_of_user] - baskets.basket_ptr[1:]
    baskets_after = end_of_user - np.arange(1, baskets.n_baskets + 1)
    is_kept = (items_after < max_length) & (baskets_after < max_baskets)
    n_kept = np.bincount(baskets.user_of_basket[is_kept], minlength=baskets.n_users)
    user_ptr = np.concatenate([[0], np.cumsum(n_kept)])
    return baskets.take(np.flatnonzero(is_kept), user_ptr, np.arange(baskets.n_users))


def _reordered(baskets: Baskets, key: np.ndarray) -> Baskets:
    """Each user's baskets in ascending order of `key` [n_baskets]."""
    order = np.lexsort((key, baskets.user_of_basket))
    return baskets.take(order, baskets.user_ptr, np.arange(baskets.n_users))


def shuffled_baskets(baskets: Baskets, rng: Generator, keeps_last: bool) -> Baskets:
    """Each user's baskets in a new random order: whole baskets, other numbers.

    A control: what a model loses by it is what it knew from the order of visits. With
    `keeps_last` the last basket, which is to be predicted, stays the last.

        {a} {b, c} {d} {e}   ->   {d} {a} {b, c} {e}
    """
    key = torch.rand(baskets.n_baskets, generator=rng, dtype=torch.float64).numpy()
    if keeps_last:
        key[baskets.user_ptr[1:] - 1] = 1  # draws are below 1
    return _reordered(baskets, key)


def unordered(baskets: Baskets) -> Baskets:
    """Each user's baskets in an order that follows from their contents alone.

    It is as good as random, and the same for any order the baskets came in: what scores them
    cannot know which one was first.
    """
    draw = np.random.default_rng(0).integers(2**64, size=baskets.n_items, dtype=np.uint64)
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(draw[baskets.items])])
    return _reordered(baskets, np.diff(total[baskets.basket_ptr]))  # sums may wrap around


def collate(users: Baskets | Sequence) -> Batch:
    """Users' baskets as one padded batch.

    Two users, the first with baskets {2, 3} and {2, 4}, the second with {5}:

        tokens     4 5 4 6      positions  1 1 2 2
                   7 . . .                 1 . . .
    """
    baskets = users if isinstance(users, Baskets) else Baskets.from_lists(users)
    row = baskets.user_of_token
    start = baskets.basket_ptr[baskets.user_ptr]
    column = np.arange(len(row)) - start[row]
    of_basket = np.arange(baskets.n_baskets) - baskets.user_ptr[baskets.user_of_basket] + 1
    shape = (baskets.n_users, int(lengths(baskets).max(initial=0)))
    tokens = np.full(shape, PAD, dtype=np.int64)
    tokens[row, column] = baskets.items + np.int64(FIRST_ITEM)
    positions = np.zeros(shape, dtype=np.int64)
    positions[row, column] = np.repeat(of_basket, baskets.basket_sizes)
    return Batch(torch.from_numpy(tokens), torch.from_numpy(positions))


def append_mask(baskets: Baskets) -> Batch:
    """Users' histories as a batch with one MASK each, in the basket after the last.

    This is the question a trained model answers: what belongs into the next basket?
    """
    batch = collate(baskets)
    end = torch.from_numpy(lengths(baskets))[:, None]  # (B, 1)
    next_position = torch.from_numpy(baskets.baskets_per_user)[:, None] + 1  # (B, 1)
    # A column more, because the longest row is full.
    tokens = torch.nn.functional.pad(batch.tokens, (0, 1), value=PAD)
    positions = torch.nn.functional.pad(batch.positions, (0, 1))
    return Batch(
        tokens.scatter(1, end, torch.full_like(end, MASK)), positions.scatter(1, end, next_position)
    )


def counted_from_start(positions: Tensor) -> Tensor:
    """(B, L) basket numbers as they are: the first basket read is number 1, as in the paper."""
    return positions


def counted_from_end(positions: Tensor) -> Tensor:
    """(B, L) basket numbers counted backwards: the last basket is number 1 for everybody.

    Counted from the start the basket to predict has another number for every user, so that
    nothing can be learned about what sells *last*. Padding keeps 0.

        1 1 2 3   ->   3 3 2 1
        1 2 . .        2 1 . .
    """
    last = positions.amax(dim=1, keepdim=True)  # (B, 1)
    return torch.where(positions > 0, last + 1 - positions, 0)


NUMBERINGS = {"start": counted_from_start, "end": counted_from_end}


def similar_lengths(length: np.ndarray, batch_size: int) -> list[np.ndarray]:
    """Users cut into batches of about equal length, the same at every call: for scoring."""
    order = np.argsort(length, kind="stable")
    return [order[i : i + batch_size] for i in range(0, len(order), batch_size)]


def shuffled_batches(length: np.ndarray, batch_size: int, rng: Generator) -> list[np.ndarray]:
    """Users cut into batches of about equal length, in a new order every epoch.

    Padding a random batch of TaFeng to its longest user makes it six times as large; sorted by
    length it grows by a tenth. Lengths are blurred by up to an eighth before sorting, so that
    users meet different neighbours in every epoch.
    """
    blur = 1 + torch.rand(len(length), generator=rng).numpy() / 8
    batches = similar_lengths((length + 1) * blur, batch_size)
    return [batches[i] for i in torch.randperm(len(batches), generator=rng)]
