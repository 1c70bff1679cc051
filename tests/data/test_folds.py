from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import (
    TEST,
    TRAIN,
    VALIDATION,
    first_rows,
    known_visits,
    n_folds,
    part,
    roles,
    split,
)
from nnbr_core.errors import InputError


def people(n: int, ids: list | None = None) -> Baskets:
    return Baskets.from_lists([[[0], [1]]] * n, user_ids=ids or list(range(n)))


def test_explore_labels_are_the_target_without_the_history(three):
    labels = part(three).labels("explore").toarray()
    assert labels.tolist() == [
        [False, False, False, True, False],  # A: {1, 3} without 1
        [True, False, True, False, False],  # B: {0, 2}, all novel
        [False, False, False, False, False],  # C: nothing novel
    ]


def test_all_labels_are_the_whole_target(three):
    assert part(three).labels("all").getnnz(axis=1).tolist() == [2, 2, 2]


def test_unknown_label_mode_is_refused(three):
    with pytest.raises(InputError, match="did you mean 'explore'"):
        part(three).labels("explor")


@given(st.integers(5, 200))
def test_five_folds_test_everybody_once(n):
    role = np.stack([roles(people(n), fold) for fold in range(5)])
    assert ((role == TEST).sum(axis=0) == 1).all()
    assert ((role == VALIDATION).sum(axis=1) >= 1).all()
    assert ((role == TRAIN).sum(axis=1) >= 1).all()


def test_shares_are_72_8_20():
    role = roles(people(1000), 3)
    assert [(role == r).sum() for r in (TRAIN, VALIDATION, TEST)] == [720, 80, 200]


def test_folds_are_the_same_every_time_and_differ_from_each_other():
    assert np.array_equal(roles(people(100), 2), roles(people(100), 2))
    assert not np.array_equal(roles(people(100), 2), roles(people(100), 3))


@given(st.lists(st.integers(0, 30), min_size=40, max_size=80))
def test_windows_of_one_person_share_a_role(ids):
    if len(set(ids)) < 5:
        return
    role = roles(people(len(ids), ids), 1)
    assert all(len(set(role[np.array(ids) == person])) == 1 for person in set(ids))


def test_windows_stand_under_the_first_row_of_their_person():
    assert first_rows(people(5, [7, 7, 3, 9, 9])).tolist() == [0, 0, 2, 3, 3]
    assert first_rows(people(3)).tolist() == [0, 1, 2]


def test_published_roles_are_used_where_there_are_some(three):
    published = replace(three, splits=np.array([[2, 1, 0]], dtype=np.int8))
    fold = split(published, 0)
    assert n_folds(published) == 1
    assert [p.histories.user_ids.tolist() for p in (fold.train, fold.validation, fold.test)] == [
        ["C"],
        ["B"],
        ["A"],
    ]


def test_split_cuts_the_last_basket_off():
    fold = split(people(10), 0)
    assert fold.test.n_users == 2
    assert fold.test.histories.lists(0) == [[0]]
    assert fold.test.targets.lists(0) == [[1]]


@pytest.mark.parametrize("fold", [-1, 5])
def test_a_fold_that_does_not_exist_is_refused(fold):
    with pytest.raises(InputError, match="choose 0 to 4"):
        roles(people(10), fold)


def test_four_users_cannot_be_split():
    with pytest.raises(InputError, match="4 users cannot be split"):
        roles(people(4), 0)


def test_a_user_with_one_basket_is_named():
    baskets = Baskets.from_lists([[[0], [1]], [[0]]] * 5, user_ids=list("abcdefghij"))
    with pytest.raises(InputError, match="user b has one basket"):
        split(baskets, 0)


def test_parts_without_a_novel_item_are_refused_for_every_model(three):
    published = replace(three, splits=np.array([[2, 0, 1]], dtype=np.int8))  # C buys nothing new
    with pytest.raises(InputError, match="no validation user has a novel item in the basket"):
        split(published, 0)
    only_test = replace(three, splits=np.array([[0, 1, 2]], dtype=np.int8))
    with pytest.raises(InputError, match="no test user has a novel item in the basket"):
        split(only_test, 0)


def test_parts_know_the_rows_of_their_people():
    baskets = people(20, [n // 2 for n in range(20)])
    fold = split(baskets, 2)
    assert np.array_equal(fold.test.rows, first_rows(baskets)[roles(baskets, 2) == TEST])


def test_known_visits_say_when_and_need_dates(three):
    dated = replace(three, days=np.array([1, 2, 3, 1, 5, 9, 2, 3, 4], dtype=np.int32))
    told = known_visits(part(dated))
    assert told.histories.visit_days.tolist() == [3, 9, 4]
    assert told.histories.days.tolist() == [1, 2, 1, 5, 2, 3]
    with pytest.raises(InputError, match="no dates"):
        known_visits(part(three))
