"""Typed baskets: names, parts of names, ids; and users by number or id."""

import pandas as pd
import pytest

from nnbr_core.errors import InputError
from nnbr_core.people import item_number, typed_person, user_of

SHELF = pd.DataFrame(
    {
        "id": ["10", "11", "12", "13", "7"],
        "name": ["Whole Milk", "Oat Milk", "Tea", "Tea", "11 herbs"],
        "group": "",
    }
)


@pytest.mark.parametrize(
    ("text", "number"),
    [("10", 0), (11, 1), ("whole milk", 0), ("OAT", 1), ("Tea (13)", 3), ("herbs", 4), ("11", 1)],
)
def test_an_item_is_meant_by_id_name_or_part_of_a_name(text, number):
    assert item_number(SHELF, text) == number


def test_what_may_mean_several_items_lists_them():
    with pytest.raises(InputError, match="'milk' may be any of 2 items: Whole Milk, Oat Milk"):
        item_number(SHELF, "milk")
    with pytest.raises(InputError, match=r"'tea' may be any of 2 items: Tea \(12\), Tea \(13\)"):
        item_number(SHELF, "tea")


def test_what_means_nothing_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="unknown item 'Whole Mikl': did you mean 'Whole Milk'"):
        item_number(SHELF, "Whole Mikl")
    with pytest.raises(InputError, match="unknown item ''"):
        item_number(SHELF, " ")


def test_one_item_one_basket_or_several_are_a_person():
    assert typed_person(SHELF, "oat").lists(0) == [[1]]
    assert typed_person(SHELF, ["oat", 10, "10"]).lists(0) == [[1, 0]]
    assert typed_person(SHELF, [["oat"], [10, "herbs"]]).lists(0) == [[1], [0, 4]]
    for empty in ([], [[]]):
        with pytest.raises(InputError, match="a typed basket is empty"):
            typed_person(SHELF, empty)


def test_a_user_is_found_by_number_or_id(three):
    assert user_of(three, 1).lists(0) == user_of(three, "B").lists(0) == three.lists(1)
    with pytest.raises(InputError, match="user 3: 0 to 2, or an id as text"):
        user_of(three, 3)
    with pytest.raises(InputError, match="unknown user 'D'"):
        user_of(three, "D")
