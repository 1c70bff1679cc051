import numpy as np
import pandas as pd
import pytest

from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import InputError
from nnbr_core.figures.recommend import (
    NO_REASON,
    ONLY_REASON,
    item_labels,
    novel_list,
    novel_lists,
    overlap_figure,
    recommendation_page,
    typed_basket,
)

CATALOGUE = pd.DataFrame(
    {
        "id": ["m1", "b1", "t1", "c1", "m2"],
        "name": ["milk", "bread", "tea", "cocoa", "milk"],
        "group": ["dairy", "bakery", "drinks", "drinks", "dairy"],
    }
)
MILK, BREAD, TEA, COCOA, OTHER_MILK = range(5)


class Rules:
    """Cocoa: 8 points for milk, 4 for bread. Tea: 6 for bread. Nothing for the rest."""

    def score(self, histories):
        owned = (histories.matrix() > 0).toarray()
        scores = np.zeros((histories.n_users, 5), dtype=np.float32)
        scores[:, COCOA] = 8 * owned[:, MILK] + 4 * owned[:, BREAD]
        scores[:, TEA] = 6 * owned[:, BREAD]
        return scores


class Bestsellers:
    """The same for everybody: other milk, tea, bread, milk, cocoa."""

    def score(self, histories):
        return np.tile(np.array([2, 3, 4, 1, 5], dtype=np.float32), (histories.n_users, 1))


MODELS = {"rules": Rules(), "bestsellers": Bestsellers()}


@pytest.fixture
def person() -> Baskets:
    return Baskets.from_lists([[[MILK], [MILK, BREAD]]], user_ids=["P"], catalogue=CATALOGUE)


def test_labels_are_names_and_ids_where_names_are_shared():
    assert item_labels(CATALOGUE).tolist() == ["milk (m1)", "bread", "tea", "cocoa", "milk (m2)"]


def test_a_typed_basket_is_a_person():
    typed = typed_basket(CATALOGUE, ["tea", "milk (m2)", "tea"])
    assert typed.lists(0) == [[TEA, OTHER_MILK]]
    with pytest.raises(InputError, match="unknown item 'coca': did you mean 'cocoa'"):
        typed_basket(CATALOGUE, ["coca"])


def test_a_list_is_novel_and_says_why(person):
    table = novel_list(Rules(), person, k=3)
    assert table["name"].tolist() == ["cocoa", "tea", "milk (m2)"]
    assert table["why"][1] == "because of milk (m1) and bread"
    assert table["why"][2] == "because of bread"
    assert novel_list(Bestsellers(), person, k=1)["why"].tolist() == [NO_REASON]


def test_a_history_of_one_item_is_its_own_reason():
    one = Baskets.from_lists([[[MILK]]], catalogue=CATALOGUE)
    assert set(novel_list(Rules(), one, k=2)["why"]) == {ONLY_REASON}


def test_a_group_limits_the_list_and_not_the_reasons(person):
    table = novel_list(Rules(), person, k=5, group="drinks")
    assert table["name"].tolist() == ["cocoa", "tea"]
    assert table["why"][1] == "because of milk (m1) and bread"
    assert len(novel_list(Rules(), person, k=5, group="bakery")) == 0


def test_lists_name_the_others_that_hold_an_item(person):
    lists = novel_lists(MODELS, person, k=2)  # cocoa, tea; other milk, tea
    assert lists["rules"]["also_in"].tolist() == ["", "bestsellers"]
    assert lists["bestsellers"]["also_in"].tolist() == ["", "rules"]


def test_the_page_has_a_list_per_model_and_says_when_one_is_empty(person):
    page = recommendation_page(MODELS, person, k=2)
    assert page.count('class="nnbr-list"') == 2 and page.count("nnbr-item") == 4
    assert page.count("1 of 2 also in another list") == 2
    assert "User P" in page and "≡ also in bestsellers" in page
    assert "Nothing novel is left here." in recommendation_page(MODELS, person, 2, "bakery")


def test_overlap_is_the_mean_number_of_shared_items(person):
    people = Baskets.from_lists([[[MILK], [BREAD]], [[MILK, TEA, COCOA]]], catalogue=CATALOGUE)
    drawn = overlap_figure(MODELS, people, k=2)
    # First person: {cocoa, tea} and {other milk, tea}. Second: both {bread, other milk}.
    assert np.array(drawn.data[0].z).tolist() == [[2, 3 / 2], [3 / 2, 2]]


def test_places_that_nobody_takes_are_not_shared():
    full = Baskets.from_lists([[[MILK, BREAD, TEA, COCOA]]], catalogue=CATALOGUE)
    assert overlap_figure(MODELS, full, k=3).data[0].z[0][1] == 1
