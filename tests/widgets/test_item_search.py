"""Searching items for an own basket: what is found, what Enter does, what can be removed."""

from dataclasses import replace

import pandas as pd
import pytest

from nnbr_core.widgets._search import HINT, MOST_LISTED, ItemSearch, matching
from nnbr_core.widgets.recommend import NO_MODEL, YOURS, recommender

CATALOGUE = pd.DataFrame(
    {
        "id": ["m1", "b1", "b2", "c1", "m2"],
        "name": ["milk", "Beer", "ginger beer", "cocoa", "milk"],
        "group": ["dairy", "drinks", "drinks", "drinks", "dairy"],
    }
)


class Backwards:
    """Items by number, the last one first."""

    def score(self, histories):
        return pd.Series(range(5), dtype="float32").to_numpy()[None].repeat(histories.n_users, 0)


MODELS = {"backwards": Backwards()}


@pytest.fixture
def search() -> ItemSearch:
    return ItemSearch(CATALOGUE)


@pytest.fixture
def page(three, shown):
    """The recommender of three users, with five named items."""
    recommender(replace(three, catalogue=CATALOGUE), MODELS, user=1, k=2)
    choices, search, ticks, page, _ = shown[0].children
    named = {control.description: control for control in (*choices.children, *ticks.children)}
    return page, search, named


def test_typing_lists_what_contains_the_words_and_begins_with_them_first(search):
    assert matching(["beer, light", "light beer", "bread"], "beer LIGHT") == [
        "beer, light",
        "light beer",
    ]
    search.query = "beer"
    assert search.matches == [["Beer", "drinks"], ["ginger beer", "drinks"]]
    assert search.message == "2 items contain 'beer': choose one."
    search.query = ""
    assert search.matches == [] and search.message == HINT


def test_items_that_share_a_name_are_told_apart_by_their_ids(search):
    search.query = "milk"
    assert search.matches == [["milk (m1)", "dairy"], ["milk (m2)", "dairy"]]


def test_enter_on_an_ambiguous_text_adds_nothing_and_keeps_the_list(search):
    search.answer({"do": "enter", "text": "milk"})
    assert search.chosen == [] and len(search.matches) == 2
    search.answer({"do": "enter", "text": "dragon"})
    assert search.chosen == [] and search.message == "No item contains 'dragon'."
    search.answer({"do": "enter", "text": "coca"})
    assert search.message == "No item contains 'coca': did you mean 'cocoa'?"


def test_enter_adds_the_only_match_or_the_one_of_that_name(search):
    search.answer({"do": "enter", "text": "coc"})
    search.answer({"do": "enter", "text": "beer"})  # ginger beer contains it, Beer is it
    assert search.chosen == ["cocoa", "Beer"] and search.query == ""


def test_items_are_added_once_and_removed_one_by_one(search):
    for label in ("cocoa", "milk (m2)", "cocoa"):
        search.answer({"do": "add", "text": label})
    assert search.chosen == ["cocoa", "milk (m2)"]
    search.answer({"do": "remove", "text": "cocoa"})
    assert search.chosen == ["milk (m2)"]


def test_long_lists_end_and_say_so():
    n_items = MOST_LISTED + 1
    numbers = [str(n) for n in range(n_items)]
    many = pd.DataFrame({"id": numbers, "name": [f"tea {n}" for n in numbers], "group": ""})
    search = ItemSearch(many)
    search.query = "tea"
    assert len(search.matches) == MOST_LISTED
    assert f"{n_items} items contain 'tea', the first {MOST_LISTED} are listed" in search.message


def test_the_page_follows_the_basket_and_the_picked_row(page):
    page, search, control = page
    assert "Row 1: user B" in page.value and control["Empty the basket"].disabled
    search.add("cocoa")
    search.add("Beer")
    assert YOURS in page.value and page.value.count('"nnbr-chip"') == 2
    search.remove("cocoa")
    assert page.value.count('"nnbr-chip"') == 1 and ">Beer<" in page.value
    search.enter("milk")  # two of them: the page stays
    assert YOURS in page.value and page.value.count("nnbr-item") == 2
    control["Empty the basket"].click()
    assert "Row 1: user B" in page.value
    search.add("Beer")
    control["Row"].value = 0  # whoever picks a user wants to see them
    assert "Row 0: user A" in page.value and search.chosen == []


def test_length_group_and_models_change_the_lists(page):
    page, _, control = page
    assert page.value.count("nnbr-item") == 1  # of five items the user bought four
    control["Row"].value = 2
    control["K"].value = 3
    assert page.value.count("nnbr-item") == 3
    assert control["Group"].options == ("all groups", "dairy", "drinks")
    control["Group"].value = "dairy"
    assert "Nothing novel is left here." in page.value
    control["backwards"].value = False
    assert NO_MODEL in page.value


def test_choices_are_kept_until_a_parameter_is_changed(page, three, shown):
    _, _, control = page
    control["Row"].value = 2
    again = replace(three, catalogue=CATALOGUE)
    recommender(again, MODELS, user=1, k=2)
    recommender(again, MODELS, user=0, k=2)
    assert [one.children[0].children[0].value for one in shown] == [2, 2, 0]
