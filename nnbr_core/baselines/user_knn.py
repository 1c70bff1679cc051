"""An honest reference: what do similar shoppers buy? Nothing is trained.

A setting left at None is searched on validation users by novel recall@10, over every
combination of the values in USER_GRID.
"""

from dataclasses import dataclass
from itertools import product
from typing import Self

import numpy as np
import scipy.sparse as sp
import torch

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.baselines.counting import bought, item_counts, sequences, tie_break, unit_rows
from nnbr_core.baselines.search import Candidates, combinations, search, values
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.settings import LABELS, Limits, Settings, setting

EVERYBODY = 0  # as a number of neighbours
USERS_AT_ONCE = 64  # bounds memory: cosines are [USERS_AT_ONCE, references]
USER_GRID = {
    "source": ("last", "sequence"),
    "labels": ("all", "explore"),
    "n_neighbours": (100, 300, 1000, EVERYBODY),
    "power": (0.5, 1.0, 1.5, 2.0, 3.0),
}


@dataclass(frozen=True)
class UserKnnSettings(Settings):
    source: str | None = setting(
        None, "what neighbours pass on; None: searched", choices=USER_GRID["source"]
    )
    labels: str | None = setting(
        None, "of a last basket, all or its novel part; None: searched", choices=LABELS
    )
    n_neighbours: int | None = setting(
        None, "nearest ones that count; 0: everybody; None: searched", Limits(low=0)
    )
    power: float | None = setting(  # with 0 all would count alike
        None, "a neighbour's weight is cosine ** this; None: searched", Limits(above=0, high=100)
    )


def nearest_only(similar: np.ndarray, n_neighbours: int) -> np.ndarray:
    """Similarities, float32 [users, references], with 0 for all but the nearest.

    Whoever ties with the last of them counts too: no order among equals has to be made up.
    """
    if n_neighbours == EVERYBODY or n_neighbours >= similar.shape[1]:
        return similar
    last = torch.from_numpy(similar).topk(n_neighbours, dim=1).values[:, -1:].numpy()
    return np.where(similar >= last, similar, np.float32(0))


def neighbours(similar: np.ndarray, n_neighbours: int) -> np.ndarray | sp.csr_matrix:
    """`nearest_only`, sparse unless everybody counts."""
    near = nearest_only(similar, n_neighbours)
    return near if near is similar else sp.csr_matrix(near)


@dataclass(frozen=True)
class Given:
    """What each neighbour recommends, both ways round."""

    by_neighbour: sp.csr_matrix  # float32 [references, items]
    by_item: sp.csr_matrix  # float32 [items, references]
    prior: np.ndarray  # float32 [items], breaks ties


def passed_on(train: Part, source: str, labels: str) -> Given:
    """Neighbours' last baskets, or their novel part, or whole sequences."""
    rows = sequences(train) if source == "sequence" else train.labels(labels)
    rows = rows.astype(np.float32)
    return Given(rows, rows.T.tocsr(), tie_break(item_counts(rows)))


def neighbour_scores(near: np.ndarray | sp.csr_matrix, power: float, given: Given) -> np.ndarray:
    """float32 [users, items] from similarities [users, references], few or all of them.

    Either way a score is added up in the order of the references: the sums are the same.
    """
    if sp.issparse(near):
        return (near.power(power) @ given.by_neighbour).toarray() + given.prior
    scores = given.by_item @ np.ascontiguousarray((near**power).T)  # (items, users)
    return np.ascontiguousarray(scores.T) + given.prior


class UserKnn(BaseRecommender):
    """What training users with similar histories bought, weighted by cosine ** power."""

    def _similar(self, histories: Baskets) -> np.ndarray:
        """Cosines with all training users, float32 [users, references]."""
        asked = np.ascontiguousarray(unit_rows(bought(histories)).toarray().T)  # (items, users)
        return np.ascontiguousarray((self.references @ asked).T)

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> Self:
        self.references = unit_rows(bought(train.histories))  # (references, items)
        tried = values(self.settings, USER_GRID)
        kinds = [
            (kind, passed_on(train, **kind))
            for kind in combinations(tried, "source", "labels")
            # Whole sequences hold no labels: the same numbers again.
            if kind["source"] == "last" or kind["labels"] == tried["labels"][0]
        ]

        def candidates(histories: Baskets) -> Candidates:
            similar = self._similar(histories)
            sizes = combinations(tried, "n_neighbours")
            near = [(size, neighbours(similar, **size)) for size in sizes]
            for (kind, given), (size, some) in product(kinds, near):
                for by in combinations(tried, "power"):
                    yield kind | size | by, neighbour_scores(some, by["power"], given)

        self.chosen = search(
            candidates, tried, validation, progress=progress, users_at_once=USERS_AT_ONCE
        )
        self.given = passed_on(train, self.chosen["source"], self.chosen["labels"])
        return self

    def score(self, histories: Baskets) -> np.ndarray:
        blocks = []
        for at in range(0, histories.n_users, USERS_AT_ONCE):
            some = np.arange(at, min(at + USERS_AT_ONCE, histories.n_users))
            near = neighbours(self._similar(histories.select(some)), self.chosen["n_neighbours"])
            blocks.append(neighbour_scores(near, self.chosen["power"], self.given))
        return np.concatenate(blocks)
