"""The split by calendar: worked by hand, and nothing from the cut-off on can matter before it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnbr_core.data import calendar
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.calendar import as_date, as_day, cutoffs, split_at
from nnbr_core.data.prepare import load_whole
from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError

KEEP = Recipe(min_item_count=1)
CUTOFF, HORIZON = 100, 10


def ids(baskets: Baskets) -> list[str]:
    """Each user's baskets as text: "0 1,2" bought 0, then 1 and 2, whatever items are numbered."""
    name = baskets.catalogue["id"].to_numpy()
    users = [baskets.lists(user) for user in range(baskets.n_users)]
    return [" ".join(",".join(name[basket]) for basket in user) for user in users]


@pytest.fixture
def drawn() -> Baskets:
    """The shoppers of the module's picture, and dora, who bought everything once, early."""
    return Baskets.from_lists(
        [
            [[0], [1], [2], [3], [4], [5], [6], [7]],
            [[0], [1], [2]],
            [[0], [1], [2]],
            [[4, 5, 6, 7]],
        ],
        user_ids=["ann", "bob", "cleo", "dora"],
        days=[[10, 20, 40, 80, 91, 97, 104, 109], [15, 30, 101], [85, 92, 98], [5]],
    )


def test_the_picture_in_the_module_is_what_happens(drawn):
    fold = split_at(drawn, CUTOFF, HORIZON, KEEP)
    found = [(ids(part.histories), ids(part.targets)) for part in vars(fold).values()]
    assert found == [
        (["0 1 2"], ["3"]),  # ann
        (["0 1 2 3"], ["4"]),
        (["0 1 2 3 4 5", "0 1"], ["6", "2"]),  # ann and bob
    ]
    assert [part.rows.tolist() for part in vars(fold).values()] == [[0], [0], [0, 1]]


def test_the_past_of_everybody_is_at_hand(drawn):
    fold = split_at(drawn, CUTOFF, HORIZON, KEEP)
    assert ids(fold.validation.past) == ["0 1 2 3", "0 1", "0", "4,5,6,7"]
    assert ids(fold.test.past) == ["0 1 2 3 4 5", "0 1", "0 1 2", "4,5,6,7"]
    assert fold.test.past.days.max() < fold.test.past.cutoff == CUTOFF
    assert fold.validation.past.days.max() < fold.validation.past.cutoff == CUTOFF - HORIZON


def test_the_day_of_the_visit_is_told_in_one_track_alone(drawn):
    told = split_at(drawn, CUTOFF, HORIZON, KEEP, visit="known")
    assert told.test.histories.visit_days.tolist() == [104, 101]
    assert told.validation.histories.visit_days.tolist() == [91]
    untold = split_at(drawn, CUTOFF, HORIZON, KEEP)
    for part in (untold.validation, untold.test):
        assert part.histories.visit_days is None
        assert part.targets.days is None
    assert untold.test.histories.days[untold.test.histories.user_ptr[1:] - 1].tolist() == [97, 30]


def test_an_item_hardly_sold_before_the_cutoff_is_neither_candidate_nor_target(drawn):
    without_dora = drawn.select([0, 1, 2])
    fold = split_at(without_dora, CUTOFF, HORIZON, KEEP)
    assert fold.test.histories.catalogue["id"].tolist() == list("012345")
    assert fold.test.histories.user_ids.tolist() == ["bob"]  # ann bought 6 and 7, new ones
    fold = split_at(drawn, CUTOFF, HORIZON, Recipe(min_item_count=2, min_baskets=2))
    assert fold.test.histories.catalogue["id"].tolist() == list("01245")  # 4, 5: ann and dora


def test_a_shopper_needs_as_many_earlier_baskets_as_the_recipe_says(drawn):
    fold = split_at(drawn, CUTOFF, HORIZON, Recipe(min_item_count=1, min_baskets=2))
    assert fold.validation.histories.user_ids.tolist() == ["ann", "cleo"]
    with pytest.raises(InputError, match="nobody has 9 baskets before 1970-04-01"):
        split_at(drawn, CUTOFF, HORIZON, Recipe(min_item_count=1, min_baskets=9))


def test_the_item_threshold_depends_on_how_many_shoppers_have_a_history(drawn, monkeypatch):
    many = drawn.select(np.repeat([0, 1, 2, 3], 6))
    assert split_at(many, CUTOFF, HORIZON).test.histories.n_items == 8
    monkeypatch.setattr(calendar, "MANY_SEQUENCES", 3)
    # 17 baskets: 0 and 1 have ann's, bob's and cleo's eighteen, others twelve.
    with pytest.raises(InputError, match="no validation user|nobody"):
        split_at(many, CUTOFF, HORIZON)


@st.composite
def worlds(draw) -> tuple[Baskets, int]:
    """Some shoppers around a cut-off day, and a seed for what becomes of the time after it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_users, n_items = draw(st.integers(6, 12)), draw(st.integers(12, 24))
    users, days = [], []
    for _ in range(n_users):
        when = np.sort(rng.choice(np.arange(60, 125), rng.integers(1, 16), replace=False))
        days.append(when.tolist())
        sizes = rng.integers(1, 4, len(when))
        users.append([np.sort(rng.choice(n_items, n, replace=False)).tolist() for n in sizes])
    return Baskets.from_lists(users, n_items + 1, days=days), draw(st.integers(0, 2**32 - 1))


def another_future(baskets: Baskets, seed: int) -> Baskets:
    """The same up to the cut-off; from it on other baskets on other days, of other people."""
    rng = np.random.default_rng(seed)
    users, days = [], []
    for user in range(baskets.n_users):
        when = baskets.days[baskets.user_ptr[user] : baskets.user_ptr[user + 1]]
        n_past = int((when < CUTOFF).sum())
        later = np.sort(rng.choice(np.arange(CUTOFF, 125), rng.integers(0, 4), replace=False))
        if n_past == 0 and len(later) == 0:
            later = np.array([CUTOFF])
        sizes = rng.integers(1, 4, len(later))
        fresh = [np.sort(rng.choice(baskets.n_items, n, replace=False)).tolist() for n in sizes]
        users.append(baskets.lists(user)[:n_past] + fresh)
        days.append([*when[:n_past].tolist(), *later.tolist()])
    return Baskets.from_lists(users, baskets.n_items, days=days)


def or_nothing(baskets: Baskets, visit: str):
    try:
        return split_at(baskets, CUTOFF, HORIZON, KEEP, visit)
    except InputError:
        return None


def arrays(baskets: Baskets) -> list:
    own = [baskets.items, baskets.basket_ptr, baskets.user_ptr, baskets.user_ids, baskets.days]
    own += [baskets.visit_days, baskets.catalogue["id"].to_numpy()]
    return [None if array is None else array.tolist() for array in own]


@given(worlds(), st.sampled_from(["unknown", "known"]))
def test_another_future_changes_nothing_that_a_model_is_given(world, visit):
    before = or_nothing(world[0], visit)
    after = or_nothing(another_future(*world), visit)
    if before is None or after is None:
        return
    for part in ("train", "validation"):
        one, other = getattr(before, part), getattr(after, part)
        assert arrays(one.histories) == arrays(other.histories)
        assert arrays(one.targets) == arrays(other.targets)
        assert one.rows.tolist() == other.rows.tolist()
    assert arrays(before.validation.past) == arrays(after.validation.past)
    assert arrays(before.test.past) == arrays(after.test.past)
    # Who comes back is the future; what they had bought before is not.
    both = np.intersect1d(before.test.rows, after.test.rows)
    for fold in (before, after):
        assert (fold.test.histories.days < CUTOFF).all()
    shared = [
        fold.test.histories.select(np.flatnonzero(np.isin(fold.test.rows, both)))
        for fold in (before, after)
    ]
    assert arrays(replace(shared[0], visit_days=None)) == arrays(
        replace(shared[1], visit_days=None)
    )


@given(worlds())
def test_targets_lie_within_the_horizon_and_training_before_validation(world):
    fold = or_nothing(world[0], "known")
    if fold is None:
        return
    assert (fold.train.targets.days < CUTOFF - HORIZON).all()
    for part, first in ((fold.validation, CUTOFF - HORIZON), (fold.test, CUTOFF)):
        visits = part.histories.visit_days
        assert ((visits >= first) & (visits < first + HORIZON)).all()
        assert (part.histories.days < first).all()
        assert (part.histories.baskets_per_user >= 2).all()


def spread(n_days: int) -> Baskets:
    """Two shoppers who come every day."""
    days = list(range(1000, 1000 + n_days))
    return Baskets.from_lists([[[0]] * n_days, [[1]] * n_days], days=[days, days])


def test_cutoffs_are_equally_spaced_and_end_a_horizon_before_the_data():
    assert cutoffs(spread(120)) == [1057, 1092]
    found = cutoffs(spread(651))
    assert len(found) == 5
    assert set(np.diff(found)) == {140}
    assert found[-1] == 1000 + 651 - 28
    assert found[0] - 28 >= 1000 + 28
    assert cutoffs(spread(84)) == [1056]


@given(st.integers(30, 800), st.integers(1, 40), st.integers(1, 9))
def test_horizons_never_overlap_nor_leave_the_data(n_days, horizon, n):
    if n_days < 3 * horizon:
        with pytest.raises(InputError, match=f"{n_days} days are too few"):
            cutoffs(spread(n_days), horizon, n)
        return
    found = cutoffs(spread(n_days), horizon, n)
    assert 1 <= len(found) <= n
    assert (np.diff(found) >= horizon).all()
    assert (np.diff(found) % 7 == 0).all()
    assert found[0] >= 1000 + 2 * horizon
    assert found[-1] + horizon == 1000 + n_days


def test_days_are_dates():
    assert str(as_date(11262)) == "2000-11-01"
    assert as_day("2000-11-01") == 11262
    with pytest.raises(InputError, match="cut-off 'soon': write it as a date"):
        as_day("soon")


@pytest.mark.parametrize(
    ("cutoff", "horizon", "complaint"),
    [
        (0, 10, "cut-off 1970-01-01 leaves no day before the validation cut-off 10 days earlier"),
        (15, 10, "leaves no day before the validation cut-off"),
        (200, 10, "cut-off 1970-07-20 lies after the last day: .* 1970-01-06 to 1970-04-20"),
        (100, 0, "horizon 0: at least one day"),
        (70, 3, "nobody with 2 baskets before 1970-03-09 bought anything in the 3 days"),
    ],
)
def test_an_impossible_cutoff_is_one_sentence(drawn, cutoff, horizon, complaint):
    with pytest.raises(InputError, match=complaint):
        split_at(drawn, cutoff, horizon, KEEP)


def test_one_visit_each_or_no_dates_or_an_unknown_track_is_one_sentence(drawn, three):
    once = Baskets.from_lists([[[0]], [[1]]], days=[[1], [90]])
    with pytest.raises(InputError, match="every shopper came once"):
        split_at(once, 50, HORIZON, KEEP)
    with pytest.raises(InputError, match="no dates, only the order"):
        split_at(three, 50, HORIZON, KEEP)
    with pytest.raises(InputError, match="no dates, only the order"):
        cutoffs(three)
    with pytest.raises(InputError, match="unknown visit 'sometimes'"):
        split_at(drawn, CUTOFF, HORIZON, KEEP, visit="sometimes")


def test_nothing_novel_is_one_sentence():
    same = Baskets.from_lists([[[0, 1]] * 6] * 3, days=[[10, 20, 30, 92, 101, 105]] * 3)
    with pytest.raises(InputError, match="no validation user has a novel item"):
        split_at(same, CUTOFF, HORIZON, KEEP)


def test_a_fold_is_a_cutoff(drawn):
    with pytest.raises(InputError, match="fold 9 does not exist: choose 0 to"):
        calendar.split(drawn, 9, horizon=10)


@pytest.mark.parametrize(
    ("dataset", "changes", "complaint"),
    [
        ("toy", {}, "toy has no dates, only the order of baskets"),
        ("completejourney", {"window_weeks": 8}, "window_weeks cannot be combined with cut-off"),
        ("completejourney", {"first_users": 0.5}, "first_users cannot be combined"),
        ("completejourney", {"max_baskets": 9}, "max_baskets cannot be combined"),
    ],
)
def test_what_the_calendar_cannot_use_is_refused(elsewhere, dataset, changes, complaint):
    with pytest.raises(InputError, match=complaint):
        load_whole(dataset, Recipe(**changes))


@pytest.mark.needs("tafeng_raw")
def test_raw_tafeng_has_two_cutoffs():
    baskets = load_whole("tafeng_raw")
    assert [str(as_date(day)) for day in cutoffs(baskets)] == ["2000-12-28", "2001-02-01"]
    fold = calendar.split(baskets, 1)
    assert (fold.train.n_users, fold.validation.n_users, fold.test.n_users) == (7106, 7500, 9958)
    assert fold.test.past.n_users == 28_246


@pytest.mark.needs("tafeng")
@pytest.mark.needs("instacart")
def test_sources_without_dates_say_so():
    for name in ("tafeng", "instacart"):
        with pytest.raises(InputError, match=f"{name} has no dates"):
            load_whole(name)
