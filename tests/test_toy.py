import numpy as np
import pytest

from nnbr_core.baselines.popularity import (
    LastPopularity,
    LastPopularitySettings,
    Popularity,
    PopularitySettings,
)
from nnbr_core.data.describe import statistics
from nnbr_core.data.folds import split
from nnbr_core.data.toy import SEASON, world
from nnbr_core.evaluation import per_user, top_novel


def recall(score, part) -> float:
    return per_user(top_novel(score, part.histories, 10), part, (10,))["recall@10"].mean()


@pytest.fixture(scope="module")
def toy():
    return world()


def test_the_same_seed_gives_the_same_world(toy):
    assert world().baskets.fingerprint == toy.baskets.fingerprint
    assert world(seed=1).baskets.fingerprint != toy.baskets.fingerprint


def test_seasonal_items_are_bought_late(toy):
    def share(baskets):
        return np.mean(toy.taste_of_item[baskets.items] == SEASON)

    assert share(toy.baskets.targets()) > 4 * share(toy.baskets.histories())


def test_shoppers_repeat_and_explore(toy):
    assert 0.4 < statistics(toy.baskets)["repeat_ratio"] < 0.8


def test_the_oracle_beats_late_popularity_which_beats_popularity(toy):
    fold = split(toy.baskets, 0)
    given = (fold.train, fold.validation, fold.test.histories)
    everyone = Popularity(PopularitySettings(), toy.baskets, seed=0)
    everyone.fit(*given)
    late = LastPopularity(LastPopularitySettings(labels="explore"), toy.baskets, seed=0)
    late.fit(*given)
    scores = [recall(score, fold.test) for score in (everyone.score, late.score, toy.oracle)]
    assert 2 * scores[0] < scores[1]
    assert 2 * scores[1] < scores[2]


def test_the_oracle_prefers_items_of_tastes_already_seen(toy):
    history = toy.baskets.histories().select([0])
    scores = toy.oracle(history)[0]
    seen = np.unique(toy.taste_of_item[history.items])
    best = toy.taste_of_item[np.argsort(-scores)[:8]]
    assert set(best) <= set(seen)
