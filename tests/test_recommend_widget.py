from dataclasses import replace

import numpy as np
import pytest

from nnbr_core.errors import InputError
from nnbr_core.show.recommend_view import recommendation_page
from nnbr_core.show.recommend_widget import NO_MODEL, recommender, someone


class Backwards:
    """Items by number, the last one first."""

    def score(self, histories):
        return np.tile(np.arange(5, dtype=np.float32), (histories.n_users, 1))


MODELS = {"backwards": Backwards()}


def test_a_typed_basket_stands_in_for_the_user(three):
    assert someone(three, 1, []).user_ids.tolist() == ["B"]
    assert someone(three, 1, ["4", "0"]).lists(0) == [[4, 0]]
    with pytest.raises(InputError, match="user 3 does not exist"):
        someone(three, 3, [])


def test_in_batch_the_plain_result_is_shown(three, shown, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME")
    monkeypatch.delenv("VSCODE_PID", raising=False)
    recommender(three, MODELS, user=1, k=2)
    recommender(three, MODELS, typed=["4"], k=2)
    assert shown[0].data == recommendation_page(MODELS, someone(three, 1, []), 2)
    assert "User you" in shown[1].data


def test_user_length_and_models_change_the_page(three, shown):
    recommender(three, MODELS, k=2)
    choices, ticks, page = shown[0].children
    picker, _, _, length = choices.children  # the fixture's items have no groups to choose from
    assert "User A" in page.value and page.value.count("nnbr-item") == 1  # 4 alone is novel
    picker.value = 2
    assert "User C" in page.value and page.value.count("nnbr-item") == 2
    length.value = 3
    assert page.value.count("nnbr-item") == 3
    ticks.children[0].value = False
    assert NO_MODEL in page.value


def test_items_are_added_until_the_basket_is_emptied(three, shown):
    recommender(three, MODELS, user=1)
    choices, _, page = shown[0].children
    picker, item, clear, _ = choices.children
    item.value = "4"
    item.value = "3"
    assert "User you" in page.value and page.value.count("nnbr-chip") == 2
    assert item.value == ""
    item.value = "seven"
    assert "unknown item &#x27;seven&#x27;" in page.value
    item.value = "2"
    assert page.value.count("nnbr-chip") == 3
    clear.click()
    assert "User B" in page.value
    item.value = "2"
    picker.value = 0  # whoever picks a user wants to see them
    assert "User A" in page.value


def test_groups_can_be_chosen_where_there_are_any(three, shown):
    grouped = three.catalogue.assign(group=["", "food", "drinks", "drinks", ""])
    recommender(replace(three, catalogue=grouped), MODELS, user=1, k=5)
    first, *_, page = shown[0].children
    group = first.children[4]
    assert group.options == ("all groups", "drinks", "food")
    group.value = "food"
    assert "Nothing novel is left here." in page.value  # the user has bought item 1
