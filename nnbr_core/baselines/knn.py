"""Two honest references: what goes with these items, and what do similar shoppers buy next.

Neither has anything to train. A setting left at None is searched on validation users by
novel recall@10, over every combination of the values in GRID.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch

from nnbr_core.baselines.search import Candidates, combinations, search, values
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError, choose

TIE_BREAK = 1e-6  # popularity decides between items that nothing else tells apart
EVERYBODY = 0  # as a number of neighbours


def bought(histories: Baskets) -> sp.csr_matrix:
    """float32 [users, items]: 1 for everything a user ever bought."""
    return (histories.matrix() > 0).astype(np.float32)


def sequences(train: Part) -> sp.csr_matrix:
    """float32 [users, items]: 1 for everything in a training user's history or last basket."""
    return ((train.histories.matrix() + train.targets.matrix()) > 0).astype(np.float32)


def item_counts(rows: sp.csr_matrix) -> np.ndarray:
    """float32 [items]: column sums."""
    return np.asarray(rows.sum(axis=0), dtype=np.float32).ravel()


def at_least(name: str, value: float | None, least: float) -> None:
    """Raise unless a setting is None or large enough."""
    if value is not None and value < least:
        raise InputError(f"{name} = {value}: {least:g} or more is needed")


ITEM_GRID = {
    "direction": ("directed", "undirected"),
    "labels": ("all", "explore"),
    "shrinkage": (10.0, 100.0, 1000.0),
    "history_power": (0.5, 1.0),
    "target_power": (0.0, 0.2, 0.5),
}


@dataclass(frozen=True)
class ItemKnnSettings:
    direction: str | None = None  # pairs counted: directed (history -> last basket) or undirected
    labels: str | None = None  # last-basket items of a directed pair: all, or explore (novel)
    shrinkage: float | None = None  # doubt about rare history items: added to their count
    history_power: float | None = None  # a history item's pairs / (count + shrinkage) ** this
    target_power: float | None = None  # a scored item's pairs / count ** this

    def __post_init__(self) -> None:
        for name in ("direction", "labels"):
            if getattr(self, name) is not None:
                choose(name, getattr(self, name), ITEM_GRID[name])
        for name in ("shrinkage", "history_power", "target_power"):
            at_least(name, getattr(self, name), 0)


@dataclass(frozen=True)
class Pairs:
    """How often items meet in training users' baskets, and how often they occur at all."""

    count: sp.csr_matrix  # float32 [items, items]: users with i in the history and j as target
    history: np.ndarray  # float32 [items]: users with i in the history
    target: np.ndarray  # float32 [items]: users with j as target


def count_pairs(train: Part, direction: str, labels: str) -> Pairs:
    """Directed: history item, last-basket item. Undirected: any two things one user bought."""
    if direction == "directed":
        before, after = bought(train.histories), train.labels(labels).astype(np.float32)
        return Pairs((before.T @ after).tocsr(), item_counts(before), item_counts(after))
    everything = sequences(train)
    count = (everything.T @ everything).tocsr()
    n_users = count.diagonal()
    count.setdiag(0)  # an item says nothing about itself
    count.eliminate_zeros()
    return Pairs(count, n_users, n_users)


def pair_scores(owned: sp.csr_matrix, pairs: Pairs, chosen: dict) -> np.ndarray:
    """float32 [users, items]: what goes with what they own (float32 [users, items])."""
    # At least one, or an item that no training user bought would divide by zero.
    count = np.maximum(pairs.history, 1) + np.float32(chosen["shrinkage"])
    weighted = owned @ sp.diags(count ** -np.float32(chosen["history_power"]))
    scores = (weighted.tocsr() @ pairs.count).toarray()
    scores /= np.maximum(pairs.target, 1) ** np.float32(chosen["target_power"])
    return scores + np.float32(TIE_BREAK) * pairs.target / max(pairs.target.sum(), 1)


class ItemKnn:
    """Items that training users bought next, after what this user has bought.

    score(u, j) = sum over i in history of pairs[i, j] / (n_i + shrinkage)^a / n_j^b
    """

    def __init__(self, settings: ItemKnnSettings, baskets: Baskets, seed: int) -> None:
        self.settings = settings

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> None:
        tried = values(self.settings, ITEM_GRID)

        def candidates(histories: Baskets) -> Candidates:
            owned = bought(histories)
            for kind in combinations(tried, "direction", "labels"):
                if kind["direction"] == "undirected" and kind["labels"] != tried["labels"][0]:
                    continue  # whole sequences hold no labels: the same numbers again
                pairs = count_pairs(train, **kind)
                for weights in combinations(tried, *list(ITEM_GRID)[2:]):
                    yield kind | weights, pair_scores(owned, pairs, kind | weights)

        self.chosen = search(candidates, tried, validation, progress=progress)
        self.pairs = count_pairs(train, self.chosen["direction"], self.chosen["labels"])

    def score(self, histories: Baskets) -> np.ndarray:
        return pair_scores(bought(histories), self.pairs, self.chosen)


USER_GRID = {
    "source": ("last", "sequence"),
    "labels": ("all", "explore"),
    "n_neighbours": (100, 300, 1000, EVERYBODY),
    "power": (0.5, 1.0, 1.5, 2.0, 3.0),
}


@dataclass(frozen=True)
class UserKnnSettings:
    source: str | None = None  # what neighbours pass on: their last basket or whole sequence
    labels: str | None = None  # of a last basket: all of it, or explore, its novel part
    n_neighbours: int | None = None  # nearest ones that count; 0 is everybody
    power: float | None = None  # a neighbour's weight is cosine ** power

    def __post_init__(self) -> None:
        for name in ("source", "labels"):
            if getattr(self, name) is not None:
                choose(name, getattr(self, name), USER_GRID[name])
        at_least("n_neighbours", self.n_neighbours, 0)
        if self.power is not None and self.power <= 0:
            raise InputError(f"power = {self.power}: more than 0 is needed, or all count alike")


def unit_rows(rows: sp.csr_matrix) -> sp.csr_matrix:
    """The rows at length 1; empty ones stay empty."""
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return (sp.diags(1 / np.maximum(length, 1e-12)) @ rows).tocsr().astype(np.float32)


def nearest_only(similar: np.ndarray, n_neighbours: int) -> np.ndarray:
    """Similarities, float32 [users, references], with 0 for all but the nearest.

    Whoever ties with the last of them counts too: no order among equals has to be made up.
    """
    if n_neighbours == EVERYBODY or n_neighbours >= similar.shape[1]:
        return similar
    last = torch.from_numpy(similar).topk(n_neighbours, dim=1).values[:, -1:].numpy()
    return np.where(similar >= last, similar, np.float32(0))


def passed_on(train: Part, source: str, labels: str) -> sp.csr_matrix:
    """float32 [items, references]: what each neighbour recommends."""
    rows = sequences(train) if source == "sequence" else train.labels(labels)
    return rows.astype(np.float32).T.tocsr()


def neighbour_scores(weights: np.ndarray, given: sp.csr_matrix) -> np.ndarray:
    """float32 [users, items] from weights [users, references] and `passed_on`."""
    scores = (given @ np.ascontiguousarray(weights.T)).T
    popular = np.asarray(given.sum(axis=1), dtype=np.float32).ravel()
    return np.ascontiguousarray(scores) + np.float32(TIE_BREAK) * popular / max(popular.sum(), 1)


class UserKnn:
    """What training users with similar histories bought, weighted by cosine ** power."""

    def __init__(self, settings: UserKnnSettings, baskets: Baskets, seed: int) -> None:
        self.settings = settings

    def _similar(self, histories: Baskets) -> np.ndarray:
        """Cosines with all training users, float32 [users, references]."""
        return (unit_rows(bought(histories)) @ self.references).toarray()

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> None:
        self.references = unit_rows(bought(train.histories)).T.tocsr()  # [items, references]
        tried = values(self.settings, USER_GRID)

        def candidates(histories: Baskets) -> Candidates:
            similar = self._similar(histories)
            for kind in combinations(tried, "source", "labels"):
                if kind["source"] == "sequence" and kind["labels"] != tried["labels"][0]:
                    continue  # whole sequences hold no labels: the same numbers again
                given = passed_on(train, **kind)
                for size in combinations(tried, "n_neighbours"):
                    near = nearest_only(similar, size["n_neighbours"])
                    for by in combinations(tried, "power"):
                        yield kind | size | by, neighbour_scores(near ** by["power"], given)

        self.chosen = search(candidates, tried, validation, progress=progress)
        self.given = passed_on(train, self.chosen["source"], self.chosen["labels"])

    def score(self, histories: Baskets) -> np.ndarray:
        near = nearest_only(self._similar(histories), self.chosen["n_neighbours"])
        return neighbour_scores(near ** self.chosen["power"], self.given)
