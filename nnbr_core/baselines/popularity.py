"""What everybody buys: the two rankings every other method has to beat."""

from dataclasses import dataclass

import numpy as np

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import choose


def _same_for_everyone(counts: np.ndarray, histories: Baskets) -> np.ndarray:
    return np.tile(counts.astype(np.float32), (histories.n_users, 1))


@dataclass(frozen=True)
class PopularitySettings:
    scope: str = "all_users"  # whose histories count: all_users (as the paper) or train_users

    def __post_init__(self) -> None:
        choose("scope", self.scope, ["all_users", "train_users"])


class Popularity:
    """G-TopFreq: items by how many history baskets they lie in.

    Last baskets are never counted; counting them would lift TaFeng's recall@10 by a quarter.
    Test users' histories are inputs, not labels, and do count, as in the paper.
    """

    def __init__(self, settings: PopularitySettings, baskets: Baskets, seed: int) -> None:
        self.settings = settings

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> None:
        counted = [train.histories]
        if self.settings.scope == "all_users":
            counted += [validation.histories, context]
        self.counts = sum(histories.item_counts() for histories in counted)

    def score(self, histories: Baskets) -> np.ndarray:
        return _same_for_everyone(self.counts, histories)


@dataclass(frozen=True)
class LastPopularitySettings:
    labels: str = "all"  # count all of a last basket, or explore: its novel items only

    def __post_init__(self) -> None:
        choose("labels", self.labels, ["all", "explore"])


class LastPopularity:
    """Items by how many training users' last baskets hold them: what is bought *late*."""

    def __init__(self, settings: LastPopularitySettings, baskets: Baskets, seed: int) -> None:
        self.settings = settings

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> None:
        self.counts = np.asarray(train.labels(self.settings.labels).sum(axis=0)).ravel()

    def score(self, histories: Baskets) -> np.ndarray:
        return _same_for_everyone(self.counts, histories)
