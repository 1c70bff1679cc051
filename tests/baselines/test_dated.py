"""Methods that read dates, on shoppers worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from nnbr_core.baselines.counting import bought
from nnbr_core.baselines.dated.knn import (
    TimeItemKnn,
    TimeItemKnnSettings,
    TimeUserKnn,
    TimeUserKnnSettings,
)
from nnbr_core.baselines.dated.prefixes import NO_KERNEL, Prefixes, whole_sequences
from nnbr_core.baselines.dated.prior import choose_prior, with_prior
from nnbr_core.baselines.dated.recent_popularity import RecentPopularity, RecentPopularitySettings
from nnbr_core.baselines.dated.sales import Sales, end_days, known_sales
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import known_visits, part, split
from nnbr_core.data.toy import season_world
from nnbr_core.errors import InputError
from nnbr_core.training import validation_metrics


@pytest.fixture
def shoppers() -> Baskets:
    """A buys {0}, {0, 1}, {2} on days 10, 12, 19; B buys {1}, {3} on days 11 and 20."""
    days = [[10, 12, 19], [11, 20]]
    return Baskets.from_lists([[[0], [0, 1], [2]], [[1], [3]]], n_items=5, days=days)


def test_sales_are_counted_by_day_and_end_before_the_last_one(shoppers):
    sales = Sales.of([shoppers])
    assert sales.between(10, 13).tolist() == [2, 2, 0, 0, 0]
    assert sales.between(10, 12).tolist() == [1, 1, 0, 0, 0]
    assert sales.between(19, 21).tolist() == [0, 0, 1, 1, 0]
    assert sales.between(30, 40).tolist() == [0] * 5


def test_each_shopper_reads_sales_up_to_a_day_of_their_own(shoppers):
    histories = shoppers.histories()
    assert end_days(histories).tolist() == [13, 12]  # the last history day is over
    assert end_days(known_visits(part(shoppers)).histories).tolist() == [19, 20]
    assert end_days(replace(histories, cutoff=15)).tolist() == [15, 15]
    told = replace(histories, cutoff=15, visit_days=np.array([14, 18]))
    assert end_days(told).tolist() == [14, 15]  # never beyond the cut-off


def test_recent_sales_follow_each_shoppers_day(shoppers):
    sales, told = Sales.of([shoppers]), known_visits(part(shoppers)).histories
    assert sales.recent(told, 8).tolist() == [[2 - 1, 2, 0, 0, 0], [1, 1, 1, 0, 0]]
    assert sales.recent(told, 1).tolist() == [[0] * 5, [0, 0, 1, 0, 0]]


def test_by_users_training_targets_are_sales_and_other_targets_are_not(shoppers):
    train, others = part(shoppers.select([0])), part(shoppers.select([1]))
    sales = known_sales(train, others, others.histories)
    assert sales.between(0, 99).tolist() == [2, 1 + 2, 1, 0, 0]  # item 3 is B's target
    cut = replace(shoppers.histories(), cutoff=15)
    assert known_sales(train, others, cut).between(0, 99).tolist() == [2, 2, 0, 0, 0]


def test_recent_popularity_ranks_what_sold_before_the_visit(shoppers):
    given = part(shoppers)
    model = RecentPopularity(RecentPopularitySettings(days=1), shoppers)
    model.fit(given, given, given.histories)
    scores = model.score(known_visits(given).histories)
    assert scores[1].argmax() == 2  # sold on day 19, the day before B's visit
    assert scores[0].tolist() == scores[0, [1, 0, 2, 3, 4]].tolist()  # 0 and 1 sold twice each,
    assert scores[0, 1] > scores[0, 2] == 0  # not on day 18, but within four weeks
    assert model.chosen == {"days": 1}


def test_the_window_is_searched_on_validation():
    fold = split(season_world(200), 0)
    fold = replace(fold, validation=known_visits(fold.validation), test=known_visits(fold.test))
    model = RecentPopularity(RecentPopularitySettings(), fold.train.histories)
    model.fit(fold.train, fold.validation, fold.test.histories)
    best = validation_metrics(model.score, fold.validation)["recall@10"]
    for days in (1, 3, 7, 14, 28):
        other = RecentPopularity(RecentPopularitySettings(days=days), fold.train.histories)
        other.fit(fold.train, fold.validation, fold.test.histories)
        assert validation_metrics(other.score, fold.validation)["recall@10"] <= best
    assert model.chosen["days"] < 14  # best-sellers change every week


def test_every_prefix_is_a_neighbour(shoppers):
    found = Prefixes.of(shoppers)
    assert found.size.tolist() == [1, 2, 1]  # {0}, {0, 1}, {1}
    assert found.is_longest.tolist() == [False, True, True]
    assert found.own_day.tolist() == [10, 12, 11]
    assert found.next_day.tolist() == [12, 19, 20]
    assert found.given["all"].T.toarray().tolist() == [
        [1, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 1, 0],
    ]
    assert found.given["explore"].T.toarray()[0].tolist() == [0, 1, 0, 0, 0]


def test_what_a_prefix_shares_is_summed_over_its_baskets():
    baskets = season_world(30)
    found, asked = Prefixes.of(baskets), bought(baskets.select([3, 8])).toarray().T
    sizes = []
    for user in range(baskets.n_users):
        lists, seen = baskets.lists(user), set()
        for basket in lists[:-1]:
            seen |= set(basket)
            sizes.append([sum(asked[list(seen), column]) for column in (0, 1)])
    assert found.shared(np.ascontiguousarray(asked)).tolist() == sizes


def test_the_kernel_compares_days_and_reads_nothing_from_the_visit_on(shoppers):
    found, given = Prefixes.of(shoppers), part(shoppers)
    untold = found.kernel(given.histories, 4)  # last history days 12 and 11, prefixes' own days
    assert untold == pytest.approx(np.exp(-np.array([[2, 1], [0, 1], [1, 0]]) / 4))
    told = found.kernel(known_visits(given).histories, 4)  # visits on 19 and 20
    assert told == pytest.approx(np.exp([[-7 / 4, -8 / 4], [-np.inf, -1 / 4], [-np.inf, -np.inf]]))
    cut = replace(given.histories, cutoff=20)
    assert found.kernel(cut, NO_KERNEL).tolist() == [[1, 1], [1, 1], [0, 0]]
    assert found.kernel(given.histories, NO_KERNEL).tolist() == [[1, 1]] * 3


def test_by_calendar_everybodys_past_are_the_neighbours(shoppers):
    train = part(shoppers.select([0]))
    assert whole_sequences(train, train.histories).lists(0) == [[0], [0, 1], [2]]
    assert whole_sequences(train, train.histories).days.tolist() == [10, 12, 19]
    cut = replace(shoppers, cutoff=50)
    assert whole_sequences(train, cut) is cut


KNN = {
    "user": (TimeUserKnn, TimeUserKnnSettings(EVERY := "every", "all", 4, 1.0, 1, 0.0)),
    "item": (TimeItemKnn, TimeItemKnnSettings(EVERY, "all", 4, 1.0, 1.0, 1, 0.0)),
}


@pytest.mark.parametrize("kind", KNN)
def test_neighbours_pass_on_what_they_bought_next(shoppers, kind):
    make, settings = KNN[kind]
    given = part(shoppers)
    model = make(settings, shoppers).fit(given, given, given.histories)
    asked = Baskets.from_lists([[[1]]], n_items=5, days=[[12]])
    scores = np.exp(model.score(asked))[0]
    # {1} is B's whole prefix, a day away; of A's {0, 1} it is a half, on the same day; A's {0}
    # shares nothing.
    shared = {"user": [0, np.sqrt(1 / 2), 1], "item": [0, 1 / 3, 1 / 3]}[kind]
    weight = np.array(shared) * np.exp([-2 / 4, 0, -1 / 4])
    share = 0.99 * np.array([0, 0, weight[1], weight[2], 0]) / weight.sum()
    assert scores == pytest.approx(share + 0.01 * np.array([2, 2, 2, 2, 1]) / 9, rel=1e-5)


def test_the_prior_adds_the_log_of_recent_sales(shoppers):
    sales, told = Sales.of([shoppers]), known_visits(part(shoppers)).histories
    chosen = {"recent_days": 8, "strength": 2.0}
    scores = with_prior(np.ones((2, 5), np.float32), sales, told, chosen)
    assert scores[1] == pytest.approx(1 + 2 * np.log([2, 2, 2, 1, 1]))


def test_the_prior_may_be_left_out():
    fold = split(season_world(200), 0)
    validation = known_visits(fold.validation)
    sales = known_sales(fold.train, validation, fold.test.histories)
    wanted = validation.labels("explore").toarray().astype(np.float32)
    by_user = {name: row for name, row in zip(validation.histories.user_ids, wanted, strict=True)}

    def knows(histories: Baskets) -> np.ndarray:
        return 100 * np.stack([by_user[name] for name in histories.user_ids])

    settings = TimeUserKnnSettings()
    assert choose_prior(knows, sales, settings, validation)["strength"] == 0

    def says_nothing(histories: Baskets) -> np.ndarray:
        return np.zeros((histories.n_users, histories.n_items), np.float32)

    assert choose_prior(says_nothing, sales, settings, validation)["strength"] > 0


def test_a_method_that_reads_dates_says_so_where_there_are_none(three):
    given = part(three)
    with pytest.raises(InputError, match="no dates, only the order"):
        RecentPopularity(RecentPopularitySettings(), three).fit(given, given, given.histories)
