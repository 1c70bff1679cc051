import numpy as np
import pandas as pd
import pytest

from nnbr_core.btbr import Btbr
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part
from nnbr_core.errors import InputError
from nnbr_core.explain import effects, one_person, recommend, why, without_each

CATALOGUE = pd.DataFrame(
    {
        "id": ["m1", "b1", "t1", "c1"],
        "name": ["milk", "bread", "tea", "cocoa"],
        "group": ["dairy", "bakery", "drinks", "drinks"],
    }
)


class Rules:
    """Cocoa: 8 points for milk, 4 for bread, -4 for tea. Every other item has 0 points."""

    catalogue = CATALOGUE

    def score(self, histories):
        owned = (histories.matrix() > 0).toarray()
        scores = np.zeros((histories.n_users, 4), dtype=np.float32)
        scores[:, 3] = owned @ np.array([8, 4, -4, 0], dtype=np.float32)
        return scores


def test_a_recommendation_has_names_and_scores_and_is_novel():
    table = recommend(Rules(), [["m1"], ["m1", "b1"]], k=2)
    assert table["name"].tolist() == ["cocoa", "tea"]
    assert table["score"].tolist() == [8 + 4, 0]
    assert table["id"].tolist() == ["c1", "t1"]


def test_a_list_ends_when_novel_items_do():
    assert recommend(Rules(), [["m1", "b1", "t1"]], k=3)["id"].tolist() == ["c1"]


def test_baskets_of_one_user_do_as_well_as_lists():
    baskets = Baskets.from_lists([[[0], [0, 1]]], catalogue=CATALOGUE)
    expected = recommend(Rules(), [["m1"], ["m1", "b1"]], k=2)
    pd.testing.assert_frame_equal(recommend(Rules(), baskets, k=2), expected)


def test_unknown_items_are_named_and_counted_and_the_rest_is_scored():
    with pytest.warns(UserWarning, match="2 of 3 items are unknown to the model: x9, x8; they"):
        table = recommend(Rules(), [["m1", "x9"], ["x8", "x9"]], k=1)
    assert table["score"].tolist() == [8]


def test_a_history_of_unknown_items_alone_is_refused():
    with pytest.raises(InputError, match="1 of 1 items are unknown to the model: x9"):
        recommend(Rules(), [["x9"]], k=1)


@pytest.mark.parametrize("empty", [[], [[]]])
def test_an_empty_history_is_refused(empty):
    with pytest.raises(InputError, match="the history is empty"):
        recommend(Rules(), empty, k=1)


def test_two_people_are_refused():
    with pytest.raises(InputError, match="one person is needed, and these are 2"):
        recommend(Rules(), Baskets.from_lists([[[0]], [[1]]], catalogue=CATALOGUE))


def test_leaving_an_item_out_takes_every_copy_and_leaves_the_visits():
    items, others = without_each(Baskets.from_lists([[[0], [0, 1], [2]]]))
    assert items.tolist() == [0, 1, 2]
    expected = [[[], [1], [2]], [[0], [0], [2]], [[0], [0, 1], []]]
    assert [others.lists(user) for user in range(3)] == expected


def test_the_effect_is_what_the_score_loses_relative_to_the_mean():
    table = why(Rules(), [["t1"], ["m1", "b1"], ["m1"]], "c1")
    assert table["name"].tolist() == ["milk", "bread", "tea"]
    assert table["effect"].tolist() == [8 * 3 / 4, 4 * 3 / 4, -4 * 3 / 4]


def test_why_refuses_an_unknown_item_and_a_history_of_one():
    with pytest.raises(InputError, match="unknown item 'c11': did you mean 'c1'"):
        why(Rules(), [["m1"], ["b1"]], "c11")
    with pytest.raises(InputError, match="the history is one item"):
        why(Rules(), [["m1"], ["m1"]], "c1")


def test_effects_of_all_items_at_once_are_those_of_why():
    history = one_person(Rules(), [["m1"], ["b1", "t1"]])
    items, effect = effects(Rules(), history)
    assert items.tolist() == [0, 1, 2]
    table = why(Rules(), history, "c1").set_index("name")["effect"]
    assert table[["milk", "bread", "tea"]].tolist() == effect[:, 3].tolist()


def test_the_reason_behind_a_learned_rule_is_found():
    """Whoever bought 0 ends with 10, whoever bought 1 with 11; items 2 to 9 mean nothing."""
    draw = np.random.default_rng(0)
    users = []
    for number in range(200):
        noise = draw.choice(np.arange(2, 10), 4, replace=False).tolist()
        cause = number % 2
        users.append([[noise[0], cause], noise[1:3], [noise[3]], [10 + cause]])
    people = part(Baskets.from_lists(users))
    settings = BtbrSettings(dim=16, heads=2, epochs=15, batch_size=16, learning_rate=5e-3)
    model = Btbr(settings, people.histories, device="cpu").fit(people, people, people.histories)
    for cause in (0, 1):
        reasons = why(model, [[2, cause], [3, 4], [5]], 10 + cause)
        assert reasons["id"][0] == str(cause)
        assert reasons["effect"][0] > 3 * reasons["effect"][1]
