import numpy as np
import pytest

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import (
    basket_table,
    is_repeat,
    last_basket_table,
    lateness,
    popular_overlap,
    popularity_shift,
    statistics,
)


def test_an_item_is_a_repeat_from_its_second_basket_on(three):
    assert is_repeat(three).tolist() == [
        *(False, False, True, False, True, False),  # A: {0, 1}, {1, 2}, {1, 3}
        *(False, False, False, False),  # B: {1}, {3}, {0, 2}
        *(False, False, True, True),  # C: {0}, {4}, {0, 4}
    ]


def test_each_basket_has_its_number_size_and_repeat_ratio(three):
    table = basket_table(three)
    assert table["number"].tolist() == [1, 2, 3] * 3
    assert table["size"].tolist() == [2, 2, 2, 1, 1, 2, 1, 1, 2]
    assert table["repeat_ratio"].tolist() == [0, 1 / 2, 1 / 2, 0, 0, 0, 0, 0, 1]
    assert table.loc[table["is_last"], "number"].tolist() == [3, 3, 3]


def test_statistics_are_about_the_last_basket(three):
    found = statistics(three)
    assert found["repeat_ratio"] == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert found["explore_ratio"] == pytest.approx(1 / 2)
    assert found["avg_basket_size"] == 14 / 9
    assert found["avg_baskets_per_user"] == 3


def test_the_last_basket_table_counts_novel_items(three):
    table = last_basket_table(three)
    assert table["n_novel"].tolist() == [1, 2, 0]
    assert table["n_history"].tolist() == [2, 2, 2]


def test_overlap_is_the_share_of_best_sellers_in_both_lists():
    # Histories sell 0 and 1, last baskets 1 and 2.
    users = [[[0, 1], [0, 1], [1, 2]]] * 4
    table = popular_overlap(Baskets.from_lists(users), ns=(1, 2, 3, 9))
    assert table["n"].tolist() == [1, 2, 3]  # nine items are not there
    assert table["overlap"].tolist() == [0, 1 / 2, 1]


def test_the_largest_shift_comes_first():
    users = [[[0, 1], [0, 1], [1, 2]]] * 4
    table = popularity_shift(Baskets.from_lists(users), n=2)
    assert table["name"].tolist() == ["2", "1"]
    assert np.allclose(table["change"], [50, 0])


def test_lateness_compares_last_baskets_with_what_histories_let_expect():
    users = [[[0, 1], [0, 2], [1, 3]], [[0], [0], [1, 3]]]  # histories: 0 four times, 1, 2 once
    people = Baskets.from_lists(users, n_items=5)
    found = lateness(people.histories(), people.targets())  # 6 purchases, then 4
    expected = np.log([1 / (8 / 3 + 1), 3 / (2 / 3 + 1), 1 / (2 / 3 + 1), 3, 1])
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert found.dtype == np.float32
