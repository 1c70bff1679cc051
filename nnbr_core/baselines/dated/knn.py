"""Neighbours in time: what was bought next after similar purchases, the more recent the better.

Both methods add up what neighbours bought next, and differ in what makes a neighbour similar:

    time_user_knn   (cosine of everything bought) ** power
    time_item_knn   sum over shared items of 1 / (buyers + shrinkage) ** history_power

A setting left at None is searched on validation users by novel recall@10: first the neighbours,
over every combination of the grid, then the prior of recent sales (prior.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.baselines.counting import bought
from nnbr_core.baselines.dated.prefixes import NO_KERNEL, Prefixes, whole_sequences
from nnbr_core.baselines.dated.prior import (
    choose_prior,
    recent_days_setting,
    strength_setting,
    with_prior,
)
from nnbr_core.baselines.dated.sales import known_sales
from nnbr_core.baselines.search import Candidates, combinations, search, values
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.settings import LABELS, Limits, Settings, setting

USERS_AT_ONCE = 32  # bounds memory: similarities are [prefixes, USERS_AT_ONCE]
POPULAR = 0.01  # of every score is popularity, so that items without a neighbour have an order
LONGEST, EVERY = "longest", "every"
NEIGHBOUR_GRID = {
    "prefixes": (LONGEST, EVERY),
    "labels": ("all", "explore"),
    "kernel_days": (NO_KERNEL, 7, 28),
}


def _kernel_setting() -> int | None:
    limits = Limits(low=0, high=100_000)
    return setting(None, "weight exp(-days apart / this); 0: all alike; None: searched", limits)


def _prefix_setting() -> str | None:
    return setting(
        None,
        "neighbours: each user's longest prefix, or every one; None: searched",
        choices=NEIGHBOUR_GRID["prefixes"],
    )


def _label_setting() -> str | None:
    return setting(
        None, "of the next basket, all or its novel part; None: searched", choices=LABELS
    )


@dataclass(frozen=True)
class TimeUserKnnSettings(Settings):
    prefixes: str | None = _prefix_setting()
    labels: str | None = _label_setting()
    kernel_days: int | None = _kernel_setting()
    power: float | None = setting(
        None, "a neighbour's weight is cosine ** this; None: searched", Limits(above=0, high=100)
    )
    recent_days: int | None = recent_days_setting()
    strength: float | None = strength_setting()


@dataclass(frozen=True)
class TimeItemKnnSettings(Settings):
    prefixes: str | None = _prefix_setting()
    labels: str | None = _label_setting()
    kernel_days: int | None = _kernel_setting()
    shrinkage: float | None = setting(
        None, "doubt about rare items: added to their buyers; None: searched", Limits(0, 10**9)
    )
    history_power: float | None = setting(
        None, "shared items count 1 / (buyers + shrinkage) ** this; None: searched", Limits(0, 10)
    )
    recent_days: int | None = recent_days_setting()
    strength: float | None = strength_setting()


class TimeKnn(BaseRecommender):
    """What both share; a method adds `grid`, and `_similar` for the settings in it."""

    reads_days = True
    grid: ClassVar[dict[str, tuple]]

    def _similar(self, histories: Baskets, tried: dict[str, tuple]) -> Candidates:
        """Settings, and float32 [prefixes, users]: how near each prefix is to each history."""
        raise NotImplementedError

    def _passed_on(self, weights: np.ndarray, given: sp.csr_matrix) -> np.ndarray:
        """float32 [users, items]: log shares of what neighbours bought next.

        `weights` are [prefixes, users], `given` [items, prefixes].
        """
        sums = (given @ weights).T
        popular = np.diff(given.indptr) + 1.0
        share = sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-12)
        mixed = (1 - POPULAR) * share + POPULAR * popular / popular.sum()
        return np.log(mixed).astype(np.float32)

    def _candidates(self, histories: Baskets, tried: dict[str, tuple]) -> Candidates:
        kernels = {days: self.neighbours.kernel(histories, days) for days in tried["kernel_days"]}
        for near, similar in self._similar(histories, tried):
            for prefixes in tried["prefixes"]:
                rows, given = self.given[prefixes]
                for kind in combinations(tried, "labels", "kernel_days"):
                    weights = similar[rows] * kernels[kind["kernel_days"]][rows]
                    found = self._passed_on(weights, given[kind["labels"]])
                    yield near | {"prefixes": prefixes} | kind, found

    def _blocks(self, histories: Baskets) -> Iterator[Baskets]:
        for at in range(0, histories.n_users, USERS_AT_ONCE):
            yield histories.select(np.arange(at, min(at + USERS_AT_ONCE, histories.n_users)))

    def _neighbour_scores(self, histories: Baskets) -> np.ndarray:
        tried = {name: (self.chosen[name],) for name in (*self.grid, *NEIGHBOUR_GRID)}
        found = [next(iter(self._candidates(some, tried)))[1] for some in self._blocks(histories)]
        return np.concatenate(found)

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> Self:
        self.neighbours = Prefixes.of(whole_sequences(train, context))
        longest = np.flatnonzero(self.neighbours.is_longest)
        given = self.neighbours.given
        self.given = {
            LONGEST: (longest, {labels: one[:, longest] for labels, one in given.items()}),
            EVERY: (slice(None), given),
        }
        self.sales = known_sales(train, validation, context)
        tried = values(self.settings, self.grid | NEIGHBOUR_GRID)
        self.chosen = search(
            lambda histories: self._candidates(histories, tried),
            tried,
            validation,
            progress=progress,
            users_at_once=USERS_AT_ONCE,
        )
        prior = choose_prior(
            self._neighbour_scores, self.sales, self.settings, validation, progress
        )
        n_tried = self.chosen.get("n_tried", 0) + prior.get("n_tried", 0)
        self.chosen |= prior | ({"n_tried": n_tried} if n_tried else {})
        return self

    def score(self, histories: Baskets) -> np.ndarray:
        return with_prior(self._neighbour_scores(histories), self.sales, histories, self.chosen)


class TimeUserKnn(TimeKnn):
    """What shoppers with similar histories bought next, and when."""

    grid: ClassVar = {"power": (1.0, 2.0)}

    def _similar(self, histories: Baskets, tried: dict[str, tuple]) -> Candidates:
        asked = np.ascontiguousarray(bought(histories).toarray().T)  # (items, users)
        length = np.sqrt(np.maximum(asked.sum(axis=0), 1)) * np.sqrt(self.neighbours.size)[:, None]
        cosine = (self.neighbours.shared(asked) / length).astype(np.float32)
        for power in tried["power"]:
            yield {"power": power}, cosine ** np.float32(power)


class TimeItemKnn(TimeKnn):
    """What was bought next after the items of this history, by anybody, and when."""

    grid: ClassVar = {"shrinkage": (10.0, 100.0), "history_power": (0.5, 1.0)}

    def _similar(self, histories: Baskets, tried: dict[str, tuple]) -> Candidates:
        n_buyers = np.bincount(self.neighbours.first.indices, minlength=histories.n_items)
        owned = bought(histories).toarray()
        for near in combinations(tried, *self.grid):
            doubt = np.maximum(n_buyers, 1) + np.float32(near["shrinkage"])
            weights = (doubt ** -np.float32(near["history_power"])).astype(np.float32)
            asked = np.ascontiguousarray((owned * weights).T)  # (items, users)
            yield near, self.neighbours.shared(asked).astype(np.float32)
