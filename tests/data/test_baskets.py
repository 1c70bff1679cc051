from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnbr_core.data.baskets import Baskets, ragged_rows
from nnbr_core.errors import InputError

N_ITEMS = 12
a_basket = st.sets(st.integers(0, N_ITEMS - 1), min_size=1, max_size=5).map(sorted)
some_users = st.lists(st.lists(a_basket, min_size=2, max_size=6), min_size=1, max_size=8)


def as_lists(baskets: Baskets) -> list:
    return [baskets.lists(user) for user in range(baskets.n_users)]


@given(some_users)
def test_lists_come_back_as_they_went_in(users):
    assert as_lists(Baskets.from_lists(users, N_ITEMS)) == users


@given(some_users)
def test_histories_and_targets_put_together_are_the_baskets(users):
    baskets = Baskets.from_lists(users, N_ITEMS)
    rebuilt = zip(as_lists(baskets.histories()), as_lists(baskets.targets()), strict=True)
    assert [history + target for history, target in rebuilt] == users


@given(some_users, st.data())
def test_select_keeps_the_order_asked_for(users, data):
    chosen = data.draw(st.lists(st.integers(0, len(users) - 1), max_size=6))
    selected = Baskets.from_lists(users, N_ITEMS).select(chosen)
    assert as_lists(selected) == [users[user] for user in chosen]
    assert selected.user_ids.tolist() == [str(user) for user in chosen]


@given(some_users)
def test_save_and_load_give_the_same_baskets_and_fingerprint(tmp_path_factory, users):
    folder = tmp_path_factory.mktemp("baskets")
    baskets = Baskets.from_lists(users, N_ITEMS)
    baskets.save(folder)
    loaded = Baskets.load(folder)
    assert as_lists(loaded) == users
    assert loaded.fingerprint == baskets.fingerprint
    assert loaded.catalogue.equals(baskets.catalogue)


def test_matrix_counts_baskets_per_user(three):
    assert three.matrix().toarray().tolist() == [
        [1, 3, 1, 1, 0],
        [1, 1, 1, 1, 0],
        [2, 0, 0, 0, 2],
    ]
    assert three.item_counts().tolist() == [4, 4, 2, 2, 2]


def test_one_purchase_more_changes_the_fingerprint(three):
    lists = as_lists(three)
    lists[0][0].append(4)
    other = Baskets.from_lists(lists, user_ids=["A", "B", "C"])
    assert other.fingerprint != three.fingerprint


def test_selected_users_carry_their_published_roles(three):
    with_roles = replace(three, splits=np.array([[0, 1, 2], [2, 1, 0]], dtype=np.int8))
    assert with_roles.select([2, 0]).splits.tolist() == [[2, 0], [0, 2]]


def dated(users: list) -> Baskets:
    """Baskets on days 100, 101, ... of each user in turn."""
    days = [[100 * (u + 1) + n for n in range(len(user))] for u, user in enumerate(users)]
    return Baskets.from_lists(users, N_ITEMS, days=days)


@given(some_users, st.data())
def test_days_stay_with_their_baskets(tmp_path_factory, users, data):
    baskets = dated(users)
    chosen = data.draw(st.lists(st.integers(0, len(users) - 1), max_size=6))
    expected = [100 * (u + 1) + n for u in chosen for n in range(len(users[u]))]
    assert baskets.select(chosen).days.tolist() == expected
    last = [100 * (u + 1) + len(user) - 1 for u, user in enumerate(users)]
    assert baskets.targets().days.tolist() == last
    assert set(baskets.histories().days.tolist()) == set(baskets.days.tolist()) - set(last)
    folder = tmp_path_factory.mktemp("baskets")
    baskets.save(folder)
    loaded = Baskets.load(folder)
    assert loaded.days.tolist() == baskets.days.tolist()
    assert loaded.days.dtype == np.int32


def test_days_are_no_part_of_the_fingerprint_but_have_their_own(three):
    early = replace(three, days=np.arange(9, dtype=np.int32))
    late = replace(three, days=np.arange(9, dtype=np.int32) + 1)
    assert three.fingerprint == early.fingerprint == late.fingerprint
    assert early.days_fingerprint != late.days_fingerprint
    with pytest.raises(InputError, match="no dates, only the order"):
        three.days_fingerprint  # noqa: B018 - raises


def test_days_must_rise_within_a_user_and_fit_the_baskets():
    with pytest.raises(InputError, match="days that rise"):
        Baskets.from_lists([[[0], [1]]], days=[[5, 5]])
    assert Baskets.from_lists([[[0]], [[1]]], days=[[5], [4]]).days.tolist() == [5, 4]
    with pytest.raises(InputError, match="days do not fit"):
        Baskets.from_lists([[[0], [1]]], days=[[5]])


def test_the_visit_asked_about_stays_with_its_user(three):
    asked = replace(three, visit_days=np.array([7, 8, 9], dtype=np.int32), cutoff=7)
    assert asked.select([2, 0]).visit_days.tolist() == [9, 7]
    assert asked.select([2, 0]).cutoff == 7


def test_ragged_rows_of_empty_rows_are_empty():
    index, ptr = ragged_rows(np.array([0, 0, 2]), np.array([0, 1, 0]))
    assert index.tolist() == [0, 1]
    assert ptr.tolist() == [0, 0, 2, 2]


@pytest.mark.parametrize(
    ("users", "complaint"),
    [
        ([[[0, -1]]], "item -1 is outside"),
        ([[[0, 7]]], "item 7 is outside 0 to 4"),
        ([[[0], []]], "a basket without items"),
        ([[[0]], []], "a user without baskets"),
        ([[[2, 2]]], "the same item twice"),
        ([], "no user"),
    ],
)
def test_impossible_lists_are_refused(users, complaint):
    with pytest.raises(InputError, match=complaint):
        Baskets.from_lists(users, n_items=5)


def test_pointers_that_do_not_fit_are_refused(three):
    with pytest.raises(InputError, match="do not fit"):
        Baskets(three.items[:-1], three.basket_ptr, three.user_ptr, three.catalogue, three.user_ids)
