import pytest

from nnbr_core.data.baskets import Baskets
from nnbr_core.figures.mask_tables import (
    RATIOS,
    first_users,
    masker_table,
    novel_by_ratio,
    swap_table,
)
from nnbr_core.masking import MASKERS


def test_first_users_are_as_many_as_there_are(three):
    assert first_users(three, 2).user_ids.tolist() == ["A", "B"]
    assert first_users(three, 10).n_users == 3


def test_numbers_of_basket_level_maskers_can_be_worked_out(three):
    table = masker_table(three, mask_ratio=0.5)
    assert list(table.index) == list(MASKERS)
    # Last baskets {1, 3}, {0, 2} and {0, 4}; novel in them: 3, then 0 and 2, then nothing.
    assert table.loc["basket_all"].tolist() == [3, 2, 2, 1, 1 / 2]
    assert table.loc["basket_explore"].tolist() == [2, 3 / 2, 3 / 2, 3 / 2, 1]


def test_select_leaves_no_copy_and_random_does():
    people = Baskets.from_lists([[[0, 1], [0, 1], [0, 1], [2]]] * 50)
    table = masker_table(people, mask_ratio=0.5)
    assert table.loc["item_select", "novel_share"] == 1
    assert table.loc["item_random", "novel_share"] < 1 / 2


def test_the_figure_has_a_line_per_item_level_masker(three):
    drawn = novel_by_ratio(three)
    assert [line.name for line in drawn.data] == ["item_random", "item_select"]
    assert list(drawn.data[1].x) == RATIOS
    assert set(drawn.data[1].y) == {1}


def test_shares_of_swaps_add_up_and_differ_in_how_far_they_reach():
    people = Baskets.from_lists([[[n] for n in range(9)]] * 200)
    table = swap_table(people, ratio=1.0, hop=2)
    assert table.sum(axis=1).tolist() == pytest.approx([1, 1])
    # Of eight baskets, code moves only the seventh by one, to the end, and half the time.
    assert table.loc["code", 1] == pytest.approx(1 / 8 / 2, abs=0.02)
    assert table.loc["within", 1] > 1 / 5
    assert table.loc["within", 0] == 0
