import numpy as np
import pytest

from nnbr_core.baselines.popularity import (
    LastPopularity,
    LastPopularitySettings,
    Popularity,
    PopularitySettings,
)
from nnbr_core.data import calendar
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import statistics
from nnbr_core.data.folds import Fold, part, split
from nnbr_core.data.prepare import load_whole
from nnbr_core.data.toy import N_WEEKS, SEASON, TASTES, season_world, world
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


@pytest.fixture(scope="module")
def season() -> Baskets:
    return load_whole("toy_season")


def test_the_season_is_dated_and_the_same_every_time(season):
    assert season_world().fingerprint == season.fingerprint
    assert season_world().days_fingerprint == season.days_fingerprint
    assert calendar.as_date(season.days.min()).isoformat() == "2024-01-01"
    assert season.days.max() - season.days.min() == 20 * 7 - 1


def test_each_week_has_its_own_best_sellers(season):
    week = np.repeat((season.days - season.days.min()) // 7, season.basket_sizes)
    for number in range(20):
        counts = np.bincount(season.items[week == number], minlength=season.n_items)
        best = season.catalogue["group"].iloc[np.argsort(-counts)[:8]]
        assert best.tolist() == [list(TASTES)[number]] * 8


def found_by_last_baskets(fold: Fold) -> float:
    """Recall@10 of the items most often in training shoppers' last baskets, by counting."""
    best = fold.train.targets.item_counts().astype(np.float32)
    return recall(lambda histories: np.tile(best, (histories.n_users, 1)), fold.test)


def test_the_leak_is_worth_a_half(season):
    by_users = [found_by_last_baskets(split(season, fold)) for fold in range(5)]
    n_cutoffs = len(calendar.cutoffs(season))
    by_calendar = [found_by_last_baskets(calendar.split(season, f)) for f in range(n_cutoffs)]
    # The share of novel items that are best-sellers of the last week, by counting alone.
    everybody = part(season).labels("explore")
    is_best = (season.catalogue["group"] == list(TASTES)[N_WEEKS - 1]).to_numpy()
    n_novel = everybody.getnnz(axis=1)
    share = (everybody @ is_best.astype(int))[n_novel > 0] / n_novel[n_novel > 0]
    assert np.mean(by_users) == pytest.approx(share.mean(), abs=0.02)
    assert np.mean(by_users) - np.mean(by_calendar) == pytest.approx(1 / 2, abs=0.05)
    assert np.mean(by_calendar) < 0.05
