"""How long the methods that only count take on TaFeng: popularity and neighbours."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from nnbr_core.baselines.item_knn import ItemKnn, ItemKnnSettings
from nnbr_core.baselines.popularity import (
    LastPopularity,
    LastPopularitySettings,
    Popularity,
    PopularitySettings,
)
from nnbr_core.baselines.tifuknn import PUBLISHED, Tifuknn, TifuknnSettings
from nnbr_core.baselines.user_knn import UserKnn, UserKnnSettings
from nnbr_core.data.folds import split
from nnbr_core.data.prepare import load

SCORED = 1_000  # users


def _measure(make: Callable, settings: Any) -> dict:
    """Search settings on all validation users, then score a thousand users."""
    baskets = load("tafeng")
    fold = split(baskets, 0)
    model = make(settings, baskets, seed=0)
    started = time.perf_counter()
    model.fit(fold.train, fold.validation, fold.test.histories)
    fitted = time.perf_counter()
    model.score(fold.test.histories.select(np.arange(SCORED)))
    return {
        "settings_tried": model.chosen.get("n_tried", 1),
        "seconds_to_fit": round(fitted - started, 1),
        "seconds_per_1000_users": round(time.perf_counter() - fitted, 2),
    }


def popularity() -> dict:
    """Popularity of everybody's histories."""
    return _measure(Popularity, PopularitySettings())


def last_popularity() -> dict:
    """Popularity of training users' last baskets."""
    return _measure(LastPopularity, LastPopularitySettings())


def tifuknn() -> dict:
    """TIFUKNN: one neighbour list read at four lengths, of the 48 lists of a whole search."""
    decays = {name: PUBLISHED[name] for name in ("n_groups", "within_decay", "group_decay")}
    return _measure(Tifuknn, TifuknnSettings("explore", **decays))


def item_knn() -> dict:
    """Item neighbours, the whole search."""
    return _measure(ItemKnn, ItemKnnSettings())


def user_knn() -> dict:
    """User neighbours, the whole search."""
    return _measure(UserKnn, UserKnnSettings())
