"""The one data structure: ragged integer arrays of who bought what, in which order."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from nnbr_core.errors import InputError

LABELS = ["id", "name", "group"]  # what the catalogue knows of an item


def ragged_rows(ptr: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the values of some rows of a ragged array sit, and the pointers of the result.

    >>> index, new_ptr = ragged_rows(np.array([0, 2, 3, 6]), np.array([2, 0]))
    >>> index.tolist(), new_ptr.tolist()
    ([3, 4, 5, 0, 1], [0, 3, 5])
    """
    start = ptr[rows]
    length = ptr[rows + 1] - start
    new_ptr = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    return np.arange(new_ptr[-1]) + np.repeat(start - new_ptr[:-1], length), new_ptr


@dataclass(frozen=True, eq=False)
class Baskets:
    """Users' baskets, oldest first, flattened.

    User 0 bought {3, 5} and then {5}; user 1 bought {2}:

        items      = [3, 5, 5, 2]
        basket_ptr = [0, 2, 3, 4]   basket b holds items[basket_ptr[b]:basket_ptr[b + 1]]
        user_ptr   = [0, 2, 3]      user u owns baskets user_ptr[u] to user_ptr[u + 1] - 1
        days       = [19723, 19730, 19731]   or None: the source has order numbers, not dates

    Two rows may share a user id: with windows, one person has one row per window.
    """

    items: np.ndarray  # int32 [n_tokens], distinct inside a basket
    basket_ptr: np.ndarray  # int64 [n_baskets + 1]
    user_ptr: np.ndarray  # int64 [n_users + 1]
    catalogue: pd.DataFrame  # one row per item: id, name, group, all text
    user_ids: np.ndarray  # text [n_users], the source's own ids
    splits: np.ndarray | None = None  # int8 [n_splits, n_users], published roles if there are any
    days: np.ndarray | None = None  # int32 [n_baskets], days since 1970-01-01
    # What a list may be made from, on histories alone: see data/calendar.py.
    visit_days: np.ndarray | None = None  # int32 [n_users], the visit asked about, if it is told
    cutoff: int | None = None  # nothing on or after this day may be read

    def __post_init__(self) -> None:
        fits = (
            self.basket_ptr[-1] == len(self.items)
            and self.user_ptr[-1] == len(self.basket_ptr) - 1
            and len(self.user_ids) == len(self.user_ptr) - 1
            and (self.days is None or len(self.days) == len(self.basket_ptr) - 1)
            and (self.visit_days is None or len(self.visit_days) == len(self.user_ptr) - 1)
        )
        if not fits:
            raise InputError("Baskets: items, basket_ptr, user_ptr, user_ids and days do not fit")

    @property
    def n_items(self) -> int:
        return len(self.catalogue)

    @property
    def n_users(self) -> int:
        return len(self.user_ptr) - 1

    @property
    def n_baskets(self) -> int:
        return len(self.basket_ptr) - 1

    @property
    def basket_sizes(self) -> np.ndarray:
        return np.diff(self.basket_ptr)

    @property
    def baskets_per_user(self) -> np.ndarray:
        return np.diff(self.user_ptr)

    @property
    def user_of_basket(self) -> np.ndarray:
        return np.repeat(np.arange(self.n_users), self.baskets_per_user)

    @property
    def user_of_token(self) -> np.ndarray:
        return np.repeat(self.user_of_basket, self.basket_sizes)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the contents: the same baskets give the same runs, on any machine."""
        digest = hashlib.sha256()
        for array in (self.items, self.basket_ptr, self.user_ptr, self.splits):
            digest.update(b"none" if array is None else np.ascontiguousarray(array).tobytes())
        for labels in (self.user_ids, self.catalogue["id"]):
            digest.update("\x1f".join(map(str, labels)).encode() + b"\x1e")
        return digest.hexdigest()[:16]

    @property
    def dated(self) -> np.ndarray:
        """`days`, for a caller that cannot do without; raises where there are none."""
        if self.days is None:
            raise InputError("this dataset has no dates, only the order of baskets")
        return self.days

    @cached_property
    def days_fingerprint(self) -> str:
        """A hash of the days: part of a run that reads them, and of no other run."""
        return hashlib.sha256(np.ascontiguousarray(self.dated).tobytes()).hexdigest()[:16]

    def item_counts(self) -> np.ndarray:
        """int64 [n_items]: in how many baskets each item lies."""
        return np.bincount(self.items, minlength=self.n_items)

    def matrix(self) -> sp.csr_matrix:
        """float32 [n_users, n_items]: in how many of a user's baskets an item lies."""
        ptr = self.basket_ptr[self.user_ptr]  # where each user's tokens start
        ones = np.ones(len(self.items), dtype=np.float32)
        items = self.items.copy()  # summing duplicates rewrites them in place
        counts = sp.csr_matrix((ones, items, ptr), shape=(self.n_users, self.n_items))
        counts.sum_duplicates()
        return counts

    def take(self, baskets: np.ndarray, user_ptr: np.ndarray, users: np.ndarray) -> "Baskets":
        """These baskets, regrouped by `user_ptr`, owned by these users."""
        tokens, basket_ptr = ragged_rows(self.basket_ptr, baskets)
        return replace(
            self,
            items=self.items[tokens],
            basket_ptr=basket_ptr,
            user_ptr=user_ptr.astype(np.int64),
            user_ids=self.user_ids[users],
            splits=None if self.splits is None else self.splits[:, users],
            days=None if self.days is None else self.days[baskets],
            visit_days=None if self.visit_days is None else self.visit_days[users],
        )

    def select(self, users: np.ndarray) -> "Baskets":
        """Some users, in the order given, with everything they bought."""
        users = np.asarray(users, dtype=np.int64)
        baskets, user_ptr = ragged_rows(self.user_ptr, users)
        return self.take(baskets, user_ptr, users)

    def histories(self) -> "Baskets":
        """Every user without the last basket."""
        is_last = np.zeros(self.n_baskets, dtype=bool)
        is_last[self.user_ptr[1:] - 1] = True
        everyone = np.arange(self.n_users)
        user_ptr = self.user_ptr - np.arange(self.n_users + 1)
        return self.take(np.flatnonzero(~is_last), user_ptr, everyone)

    def targets(self) -> "Baskets":
        """Every user's last basket alone."""
        return self.take(
            self.user_ptr[1:] - 1, np.arange(self.n_users + 1), np.arange(self.n_users)
        )

    def lists(self, user: int) -> list[list[int]]:
        """One user's baskets as lists of item numbers."""
        first, last = self.user_ptr[user], self.user_ptr[user + 1]
        ptr = self.basket_ptr
        return [self.items[ptr[b] : ptr[b + 1]].tolist() for b in range(first, last)]

    def check(self, where: str) -> "Baskets":
        """Self, if every id is an item, every basket has items and repeats none; else raise."""
        if self.n_users == 0:
            raise InputError(f"{where}: no user is left")
        if self.items.min() < 0 or self.items.max() >= self.n_items:
            wrong = self.items[(self.items < 0) | (self.items >= self.n_items)][0]
            raise InputError(f"{where}: item {wrong} is outside 0 to {self.n_items - 1}")
        if (self.basket_sizes < 1).any() or (self.baskets_per_user < 1).any():
            raise InputError(f"{where}: a user without baskets or a basket without items")
        key = np.repeat(np.arange(self.n_baskets), self.basket_sizes) * self.n_items + self.items
        is_sorted = (key[1:] > key[:-1]).all()  # as prepared baskets are: no need to sort again
        if not is_sorted and len(np.unique(key)) < len(key):
            raise InputError(f"{where}: a basket holds the same item twice")
        if self.days is not None:
            is_first = np.diff(self.user_of_basket, prepend=-1) != 0
            if (np.diff(self.days, prepend=0)[~is_first] <= 0).any():
                raise InputError(f"{where}: a user's baskets must lie on days that rise")
        return self

    def save(self, folder: Path) -> None:
        """Write arrays, labels and fingerprint into an existing empty folder."""
        for name in ("items", "basket_ptr", "user_ptr", "user_ids", "splits", "days"):
            if getattr(self, name) is not None:
                np.save(folder / f"{name}.npy", getattr(self, name), allow_pickle=False)
        self.catalogue.to_parquet(folder / "catalogue.parquet", index=False)
        (folder / "baskets.json").write_text(json.dumps({"fingerprint": self.fingerprint}))

    @classmethod
    def load(cls, folder: Path) -> "Baskets":
        """Memory-map what `save` wrote; nothing is read until it is used."""
        arrays = {path.stem: np.load(path, mmap_mode="r") for path in folder.glob("*.npy")}
        baskets = cls(**arrays, catalogue=pd.read_parquet(folder / "catalogue.parquet"))
        # The content is hashed once, when it is written, not at every load.
        fingerprint = json.loads((folder / "baskets.json").read_text())["fingerprint"]
        baskets.__dict__["fingerprint"] = fingerprint
        return baskets

    @classmethod
    def from_lists(
        cls,
        users: Sequence[Sequence[Sequence[int]]],
        n_items: int | None = None,
        user_ids: Sequence[str] | None = None,
        catalogue: pd.DataFrame | None = None,
        days: Sequence[Sequence[int]] | None = None,
    ) -> "Baskets":
        """Baskets from nested lists: users of baskets of item numbers, and the baskets' days.

        >>> Baskets.from_lists([[[3, 5], [5]], [[2]]]).user_ptr.tolist()
        [0, 2, 3]
        """
        baskets = [basket for user in users for basket in user]
        items = np.array([item for basket in baskets for item in basket], dtype=np.int32)
        if catalogue is None:
            size = n_items if n_items is not None else int(items.max(initial=-1)) + 1
            catalogue = numbered_catalogue(size)
        ids = user_ids if user_ids is not None else range(len(users))
        return cls(
            items=items,
            basket_ptr=np.cumsum([0, *map(len, baskets)], dtype=np.int64),
            user_ptr=np.cumsum([0, *map(len, users)], dtype=np.int64),
            catalogue=catalogue,
            user_ids=np.array([str(i) for i in ids], dtype=str),
            days=None if days is None else np.array([d for user in days for d in user], np.int32),
        ).check("these lists")


def numbered_catalogue(n_items: int) -> pd.DataFrame:
    """Labels for a source that has none: the numbers themselves."""
    ids = pd.Series(range(n_items)).astype(str)
    return pd.DataFrame({"id": ids, "name": ids, "group": ""}, columns=LABELS)
