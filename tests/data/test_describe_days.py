import numpy as np
import pandas as pd
import pytest

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe_days import (
    best_sellers_by_week,
    days_between_visits,
    last_basket_days,
    last_basket_distances,
    repeat_by_gap,
    visits_per_week,
)
from nnbr_core.errors import InputError

MONDAY = 19723  # 2024-01-01


@pytest.fixture
def dated() -> Baskets:
    """A comes on days 0, 1 and 15, B on 0, 7 and 21, C on 6 and 21."""
    days = [[0, 1, 15], [0, 7, 21], [6, 21]]
    return Baskets.from_lists(
        [[[0, 1], [1], [1, 2]], [[0], [0, 3], [0]], [[2], [3]]],
        user_ids=["A", "B", "C"],
        days=[[MONDAY + day for day in user] for user in days],
    )


def test_visits_are_counted_by_week_and_an_empty_week_is_a_row(dated):
    table = visits_per_week(dated.select([0, 2]))
    assert [str(day.date()) for day in table["week"]] == [
        *("2024-01-01", "2024-01-08", "2024-01-15", "2024-01-22")
    ]
    assert table["visits"].tolist() == [3, 0, 1, 1]
    assert table["shoppers"].tolist() == [2, 0, 1, 1]
    assert table["items_per_visit"].tolist()[0] == 4 / 3
    assert np.isnan(table["items_per_visit"][1])


def test_windows_of_one_person_are_one_shopper(dated):
    twice = Baskets.from_lists([[[0], [1]], [[0], [1]]], user_ids=["A", "A"], days=[[0, 1], [2, 3]])
    assert visits_per_week(twice)["shoppers"].tolist() == [1]


def test_days_between_visits_are_counted(dated):
    table = days_between_visits(dated)
    assert table["days"].tolist() == [1, 7, 14, 15]
    assert table["visits"].tolist() == [1, 1, 2, 1]
    assert table["share"].tolist() == [1 / 5, 1 / 5, 2 / 5, 1 / 5]


def test_repeats_are_averaged_by_gap(dated):
    table = repeat_by_gap(dated, edges=(1, 7, 15))
    assert table["from_days"].tolist() == [1, 7, 15]
    assert table["to_days"].tolist() == [6, 14, 15]
    assert table["visits"].tolist() == [1, 3, 1]
    assert table["repeat_ratio"].tolist() == [1, (1 / 2 + 1 / 2 + 1) / 3, 0]


def test_best_sellers_have_a_share_in_every_week_and_stand_in_the_order_of_their_peaks(dated):
    table = best_sellers_by_week(dated, n=3)
    # Week 1: {0, 1}, {1}, {0}, {2}; week 2: {0, 3}; week 3: {1, 2}; week 4: {0}, {3}.
    assert table["name"].tolist() == ["0"] * 4 + ["1"] * 4 + ["2"] * 4
    assert table["share"].tolist() == [
        *(2 / 5, 1 / 2, 0, 1 / 2),
        *(2 / 5, 0, 1 / 2, 0),
        *(1 / 5, 0, 1 / 2, 0),
    ]
    assert table["week"][1] == pd.Timestamp("2024-01-08")
    late_first = Baskets.from_lists([[[1], [1], [0], [0], [0]]], days=[[0, 1, 7, 8, 9]])
    assert best_sellers_by_week(late_first)["name"].tolist() == ["1", "1", "0", "0"]


def test_last_baskets_know_how_many_lie_before_them(dated):
    table = last_basket_days(dated)
    assert [str(day.date()) for day in table["day"]] == ["2024-01-16", "2024-01-22"]
    assert table["last_baskets"].tolist() == [1, 2]
    assert table["share_before"].tolist() == [0, 1 / 3]


def test_every_pair_of_last_baskets_has_a_distance(dated):
    table = last_basket_distances(dated)
    assert table["days"].tolist() == [0, 6]
    assert table["pairs"].tolist() == [1, 2]
    assert table["share"].tolist() == [1 / 3, 2 / 3]


@pytest.mark.parametrize(
    "table",
    [
        *(visits_per_week, days_between_visits, repeat_by_gap),
        *(best_sellers_by_week, last_basket_days, last_basket_distances),
    ],
)
def test_without_dates_it_is_one_sentence(three, table):
    with pytest.raises(InputError, match="this dataset has no dates, only the order of baskets"):
        table(three)
