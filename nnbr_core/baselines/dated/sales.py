"""What was sold when: the part of a history that does not depend on who is asked.

A method that reads sales must not read what a shop could not know. So every count ends before a
day of the shopper's own:

    visit day told              sales before the visit
    by calendar                 sales before the cut-off, whatever the day of the visit
    by users, nothing told      sales up to the shopper's last history day
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part

WINDOWS = (1, 3, 7, 14, 28)  # days back that are tried


def last_days(histories: Baskets) -> np.ndarray:
    """int64 [users]: the day of each history's last basket."""
    return histories.dated[histories.user_ptr[1:] - 1].astype(np.int64)


def end_days(histories: Baskets) -> np.ndarray:
    """int64 [users]: the first day of which nothing may be read, as drawn above."""
    if histories.visit_days is not None:
        end = histories.visit_days.astype(np.int64)
    elif histories.cutoff is not None:
        end = np.full(histories.n_users, histories.cutoff, dtype=np.int64)
    else:
        end = last_days(histories) + 1
    return end if histories.cutoff is None else np.minimum(end, histories.cutoff)


@dataclass(frozen=True)
class Sales:
    """Purchases in the order of their days."""

    items: np.ndarray  # int32 [n]
    days: np.ndarray  # int32 [n], never falling
    n_items: int

    @classmethod
    def of(cls, sold: Sequence[Baskets]) -> "Sales":
        """All purchases of these baskets."""
        items = np.concatenate([some.items for some in sold])
        days = np.concatenate([np.repeat(some.dated, some.basket_sizes) for some in sold])
        order = np.argsort(days, kind="stable")
        return cls(items[order], days[order], sold[0].n_items)

    def between(self, first: int, end: int) -> np.ndarray:
        """float32 [items]: how often each was bought from `first` up to, not including, `end`."""
        # In the type of the days: in another one, all of them would be converted for each search.
        start, stop = np.searchsorted(self.days, np.array([first, end], dtype=self.days.dtype))
        return np.bincount(self.items[start:stop], minlength=self.n_items).astype(np.float32)

    def recent(self, histories: Baskets, n_days: int) -> np.ndarray:
        """float32 [users, items]: what sold in the `n_days` before each shopper's end day."""
        days, row = np.unique(end_days(histories), return_inverse=True)
        return np.stack([self.between(day - n_days, day) for day in days.tolist()])[row]


def known_sales(train: Part, validation: Part, context: Baskets) -> Sales:
    """All that may be counted: by calendar the past of everybody, which is the context.

    By users: what training users ever bought, and the others' histories.
    """
    if context.cutoff is not None:
        return Sales.of([context])
    return Sales.of([train.histories, train.targets, validation.histories, context])
