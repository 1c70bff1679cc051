from types import SimpleNamespace

import numpy as np
import pytest

from nnbr_core.baselines.search import combinations, search, values
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part
from nnbr_core.errors import InputError

TRAIN = part(Baskets.from_lists([[[0], [0, 1], [2, 0]], [[0], [2]], [[1], [3]]], n_items=5))


def test_a_search_returns_the_first_of_the_best_and_how_many_there_were():
    best = Baskets.from_lists([[[2]], [[2]], [[3]]], n_items=5).matrix().toarray()

    def candidates(histories):
        for number, scores in enumerate((-best, best, 2 * best)):
            wide = np.hstack([scores, np.full((3, 10), 0.5, dtype=np.float32)])
            yield {"number": number}, wide

    wide = part(Baskets.from_lists([[[0], [0, 1], [2, 0]], [[0], [2]], [[1], [3]]], n_items=15))
    assert search(candidates, {"number": (0, 1, 2)}, wide) == {"number": 1, "n_tried": 3}


def test_a_search_in_blocks_of_users_chooses_as_one_of_all():
    rng = np.random.default_rng(0)
    users = [[[0], [int(i)]] for i in rng.integers(1, 30, size=40)]
    validation = part(Baskets.from_lists(users, n_items=30))
    scores = {str(u): rng.random((3, 30), dtype=np.float32) for u in range(40)}

    def candidates(histories):
        rows = [scores[user] for user in histories.user_ids]
        return [({"number": n}, np.stack([row[n] for row in rows])) for n in range(3)]

    tried = {"number": (0, 1, 2)}
    once = search(candidates, tried, validation)
    assert search(candidates, tried, validation, users_at_once=7) == once
    assert once["n_tried"] == 3


def test_nothing_is_scored_when_there_is_no_choice():
    assert search(None, {"power": (2.0,)}, TRAIN) == {"power": 2.0}


def test_validation_users_without_novel_items_cannot_choose():
    repeats = part(Baskets.from_lists([[[0], [0]]], n_items=5))
    with pytest.raises(InputError, match="no validation user has anything to find"):
        search(lambda histories: [], {"power": (1.0, 2.0)}, repeats)


def test_what_is_set_is_not_searched():
    tried = values(SimpleNamespace(a=None, b=7), {"a": (1, 2), "b": (3, 4)})
    assert tried == {"a": (1, 2), "b": (7,)}
    assert list(combinations(tried, "a", "b")) == [{"a": 1, "b": 7}, {"a": 2, "b": 7}]
