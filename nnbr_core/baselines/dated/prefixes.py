"""Every prefix of every sequence as a neighbour: what was bought next, after what, and when.

    user r   {a}   {b, c}   {a, d}        prefix {a}         next {b, c}  on day 2
    day       1      2        9           prefix {a, b, c}   next {a, d}  on day 9

Prefixes of one user overlap, so they are never written out: what a shopper shares with a prefix
is the sum of what they share with its baskets, each item counted where it first appears.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from nnbr_core.baselines.dated.sales import end_days, last_days
from nnbr_core.batching import with_last
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import is_repeat
from nnbr_core.data.folds import Part

NO_KERNEL = 0  # days: all count alike


def _rows(baskets: Baskets, is_kept: np.ndarray) -> sp.csr_matrix:
    """float32 [baskets, items]: 1 for every token that is kept."""
    ptr = np.concatenate([[0], np.cumsum(is_kept)])[baskets.basket_ptr]
    ones = np.ones(ptr[-1], dtype=np.float32)
    shape = (baskets.n_baskets, baskets.n_items)
    return sp.csr_matrix((ones, baskets.items[is_kept], ptr), shape=shape)


def whole_sequences(train: Part, context: Baskets) -> Baskets:
    """Whose prefixes are neighbours: by calendar everybody's past, by users the training users'."""
    if context.cutoff is not None:
        return context
    return with_last(train)


@dataclass(frozen=True)
class Prefixes:
    """All prefixes of some sequences, by the basket that each of them ends with."""

    first: sp.csr_matrix  # float32 [baskets, items], bought for the first time in this basket
    start: np.ndarray  # int64 [baskets], number of the same user's first basket
    ends: np.ndarray  # int64 [prefixes], the last basket of each: all but users' last ones
    is_longest: np.ndarray  # bool [prefixes], is the next basket the user's last?
    size: np.ndarray  # float32 [prefixes], distinct items
    given: dict[str, sp.csr_matrix]  # by labels, float32 [items, prefixes]: bought next
    own_day: np.ndarray  # int64 [prefixes], of the last basket
    next_day: np.ndarray  # int64 [prefixes], of the next one

    @classmethod
    def of(cls, sequences: Baskets) -> "Prefixes":
        is_new = ~is_repeat(sequences)
        first = _rows(sequences, is_new)
        start = np.repeat(sequences.user_ptr[:-1], sequences.baskets_per_user)
        last = np.repeat(sequences.user_ptr[1:] - 1, sequences.baskets_per_user)
        ends = np.flatnonzero(np.arange(sequences.n_baskets) < last)
        everything = _rows(sequences, np.ones(len(is_new), dtype=bool))
        n_new = np.diff(first.indptr)[:, None]
        return cls(
            first=first,
            start=start,
            ends=ends,
            is_longest=ends + 1 == last[ends],
            size=_within_users(n_new, start)[ends, 0].astype(np.float32),
            given={
                "all": everything[ends + 1].T.tocsr(),
                "explore": first[ends + 1].T.tocsr(),
            },
            own_day=sequences.dated[ends].astype(np.int64),
            next_day=sequences.dated[ends + 1].astype(np.int64),
        )

    def shared(self, asked: np.ndarray) -> np.ndarray:
        """float64 [prefixes, users]: summed weights, float [items, users], of shared items."""
        return _within_users((self.first @ asked).astype(np.float64), self.start)[self.ends]

    def kernel(self, histories: Baskets, n_days: float) -> np.ndarray:
        """float32 [prefixes, users]: exp(-days apart / n_days), 0 for what may not be read.

        Where the day that is asked about is known, it is compared with the day on which a
        neighbour bought what came next, and only what was bought before it counts. Where it is
        not, the last day of the shopper's history is compared with that of the prefix. Without
        a kernel (0 days) dates are not read at all; nothing from a cut-off on ever is.
        """
        if n_days == NO_KERNEL:
            limit = np.inf if histories.cutoff is None else histories.cutoff
            is_past = (self.next_day < limit).astype(np.float32)
            return np.repeat(is_past[:, None], histories.n_users, axis=1)
        if histories.visit_days is None and histories.cutoff is None:
            apart = np.abs(self.own_day[:, None] - last_days(histories))
            return np.exp(-apart / n_days).astype(np.float32)
        apart = end_days(histories) - self.next_day[:, None]
        return np.where(apart > 0, np.exp(-np.abs(apart) / n_days), 0).astype(np.float32)


def _within_users(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Sums over the baskets of the same user so far; values are [baskets, n]."""
    total = np.concatenate([np.zeros_like(values[:1]), values])
    np.cumsum(total, axis=0, out=total)
    return total[1:] - total[start]
