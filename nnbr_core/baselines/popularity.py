"""What everybody buys: the two rankings every other method has to beat."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.settings import LABELS, Settings, setting


def _same_for_everyone(counts: np.ndarray, histories: Baskets) -> np.ndarray:
    return np.tile(counts.astype(np.float32), (histories.n_users, 1))


@dataclass(frozen=True)
class PopularitySettings(Settings):
    scope: str = setting(
        "all_users", "whose histories count; the paper's: all", choices=["all_users", "train_users"]
    )


class Popularity(BaseRecommender):
    """G-TopFreq: items by how many history baskets they lie in.

    Last baskets are never counted; counting them would lift TaFeng's recall@10 by a quarter.
    Test users' histories are inputs, not labels, and do count, as in the paper.
    """

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> Self:
        counted = [train.histories]
        if self.settings.scope == "all_users":
            by_users = [*counted, validation.histories, context]
            counted = by_users if context.cutoff is None else [context]
        self.counts = sum(histories.item_counts() for histories in counted)
        return self

    def score(self, histories: Baskets) -> np.ndarray:
        return _same_for_everyone(self.counts, histories)


@dataclass(frozen=True)
class LastPopularitySettings(Settings):
    labels: str = setting("all", "count all of a last basket, or its novel items", choices=LABELS)


class LastPopularity(BaseRecommender):
    """Items by how many training users' last baskets hold them: what is bought *late*."""

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> Self:
        self.counts = np.asarray(train.labels(self.settings.labels).sum(axis=0)).ravel()
        return self

    def score(self, histories: Baskets) -> np.ndarray:
        return _same_for_everyone(self.counts, histories)
