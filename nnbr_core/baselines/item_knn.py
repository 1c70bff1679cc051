"""An honest reference: what goes with these items? Pairs are counted, nothing is trained.

A setting left at None is searched on validation users by novel recall@10, over every
combination of the values in ITEM_GRID.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.baselines.counting import bought, item_counts, sequences, tie_break
from nnbr_core.baselines.search import Candidates, combinations, search, values
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.settings import LABELS, Limits, Settings, setting

COLUMNS_AT_ONCE = 64  # of the pair counts: 64 x 30,000 items are 8 MB, which stays in the cache
NOT_NEGATIVE = Limits(low=0, high=10**9)
POWER = Limits(low=0, high=10)
ITEM_GRID = {
    "direction": ("directed", "undirected"),
    "labels": ("all", "explore"),
    "shrinkage": (10.0, 100.0, 1000.0),
    "history_power": (0.5, 1.0),
    "target_power": (0.0, 0.2, 0.5),
}


@dataclass(frozen=True)
class ItemKnnSettings(Settings):
    direction: str | None = setting(
        None,
        "pairs counted: history item -> last-basket item, or any two; None: searched",
        choices=ITEM_GRID["direction"],
    )
    labels: str | None = setting(
        None, "last-basket items of a directed pair; None: searched", choices=LABELS
    )
    shrinkage: float | None = setting(
        None, "doubt about rare history items: added to their count; None: searched", NOT_NEGATIVE
    )
    history_power: float | None = setting(
        None, "history items' pairs / (count + shrinkage) ** this; None: searched", POWER
    )
    target_power: float | None = setting(
        None, "scored items' pairs / count ** this; None: searched", POWER
    )


@dataclass(frozen=True)
class Pairs:
    """How often items meet in training users' baskets, and how often they occur at all."""

    count: sp.csc_matrix  # float32 [items, items]: users with i in the history and j as target
    history: np.ndarray  # float32 [items]: users with i in the history
    target: np.ndarray  # float32 [items]: users with j as target


def count_pairs(train: Part, direction: str, labels: str) -> Pairs:
    """Directed: history item, last-basket item. Undirected: any two things one user bought."""
    if direction == "directed":
        before, after = bought(train.histories), train.labels(labels).astype(np.float32)
        return Pairs(before.T @ after, item_counts(before), item_counts(after))
    everything = sequences(train)
    count = everything.T @ everything
    n_users = count.diagonal()
    count.setdiag(0)  # an item says nothing about itself
    count.eliminate_zeros()
    return Pairs(count, n_users, n_users)


def times_columns(rows: sp.csr_matrix, table: sp.csc_matrix) -> np.ndarray:
    """float32 [n, m]: rows [n, k] @ table [k, m], a few columns of the table dense at a time.

    The result is nearly full, and scipy's product of two sparse matrices takes two to three
    times as long for it. Both add up a row in the order it is stored: the sums are the same.
    """
    found = np.empty((rows.shape[0], table.shape[1]), dtype=np.float32)
    for at in range(0, table.shape[1], COLUMNS_AT_ONCE):
        some = slice(at, at + COLUMNS_AT_ONCE)
        found[:, some] = rows @ table[:, some].toarray()
    return found


def pair_sums(owned: sp.csr_matrix, pairs: Pairs, chosen: dict) -> np.ndarray:
    """float32 [users, items]: pairs with what they own (float32 [users, items]), weighted."""
    # At least one, or an item that no training user bought would divide by zero.
    count = np.maximum(pairs.history, 1) + np.float32(chosen["shrinkage"])
    weighted = owned @ sp.diags(count ** -np.float32(chosen["history_power"]))
    return times_columns(weighted.tocsr(), pairs.count)


def pair_scores(sums: np.ndarray, pairs: Pairs, target_power: float) -> np.ndarray:
    """float32 [users, items]: what goes with what they own, from `pair_sums`."""
    popular = np.maximum(pairs.target, 1) ** np.float32(target_power)
    return sums / popular + tie_break(pairs.target)


class ItemKnn(BaseRecommender):
    """Items that training users bought next, after what this user has bought.

    score(u, j) = sum over i in history of pairs[i, j] / (n_i + shrinkage)^a / n_j^b
    """

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> Self:
        tried = values(self.settings, ITEM_GRID)

        def candidates(histories: Baskets) -> Candidates:
            owned = bought(histories)
            for kind in combinations(tried, "direction", "labels"):
                if kind["direction"] == "undirected" and kind["labels"] != tried["labels"][0]:
                    continue  # whole sequences hold no labels: the same numbers again
                pairs = count_pairs(train, **kind)
                for weights in combinations(tried, "shrinkage", "history_power"):
                    sums = pair_sums(owned, pairs, weights)
                    for power in combinations(tried, "target_power"):
                        yield kind | weights | power, pair_scores(sums, pairs, **power)

        self.chosen = search(candidates, tried, validation, progress=progress)
        self.pairs = count_pairs(train, self.chosen["direction"], self.chosen["labels"])
        return self

    def score(self, histories: Baskets) -> np.ndarray:
        sums = pair_sums(bought(histories), self.pairs, self.chosen)
        return pair_scores(sums, self.pairs, self.chosen["target_power"])
