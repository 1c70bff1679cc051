import duckdb
import pandas as pd
import pytest

from nnbr_core.data.recipe import Recipe, cook
from nnbr_core.errors import InputError

KEEP_ALL = {"min_item_count": 1}


def cooked(rows: list[tuple], row_weeks: list | None = None, names: list | None = None, **settings):
    """Cook (user, time, item) rows; weeks and names as a source would give them."""
    con = duckdb.connect()
    raw = pd.DataFrame(rows, columns=["user", "time", "item"])
    raw["week"] = pd.array(row_weeks or [None] * len(rows), dtype="Int64")
    labels = pd.DataFrame(names or [("", "", "")], columns=["item", "name", "group"])
    con.register("rows", raw)
    con.register("names", labels)
    return cook(con, Recipe(**settings), "these rows")


def visits(user: str, *baskets: str) -> list[tuple]:
    """visits("ann", "ab", "c"): ann bought a and b at time 1, c at time 2."""
    return [(user, time, item) for time, items in enumerate(baskets, 1) for item in items]


def lists(baskets) -> list:
    return [baskets.lists(user) for user in range(baskets.n_users)]


def test_rows_become_baskets_numbered_in_the_order_of_ids():
    baskets, _ = cooked(visits("bob", "c", "b", "a") + visits("ann", "ab", "b", "c"), **KEEP_ALL)
    assert baskets.user_ids.tolist() == ["ann", "bob"]
    assert baskets.catalogue["id"].tolist() == ["a", "b", "c"]
    assert lists(baskets) == [[[0, 1], [1], [2]], [[2], [1], [0]]]


def test_an_item_bought_twice_at_one_time_counts_once():
    baskets, notes = cooked(visits("ann", "aab", "a", "b"), **KEEP_ALL)
    assert lists(baskets) == [[[0, 1], [0], [1]]]
    assert (notes["rows"], notes["purchases"]) == (5, 4)


def test_rows_without_an_id_are_dropped():
    rows = [*visits("ann", "a", "b", "ab"), (None, 1, "a"), ("ann", None, "z"), ("ann", 9, None)]
    baskets, _ = cooked(rows, **KEEP_ALL)
    assert lists(baskets) == [[[0], [1], [0, 1]]]


def test_users_with_too_few_or_too_many_baskets_go():
    rows = visits("few", "a", "b") + visits("fit", "a", "b", "ab") + visits("many", *"abcab")
    baskets, notes = cooked(rows, max_baskets=4, **KEEP_ALL)
    assert baskets.user_ids.tolist() == ["fit"]
    assert notes["sequences"] == 1


def test_items_are_counted_in_history_baskets_only():
    # x lies in two history baskets, y in two baskets of which one is a last one.
    rows = visits("ann", "xy", "x", "y") + visits("bob", "x", "x", "x", "x")
    baskets, _ = cooked(rows, min_item_count=2, min_baskets=2)
    assert baskets.catalogue["id"].tolist() == ["x"]


def test_baskets_and_users_that_a_rare_item_leaves_empty_go():
    rows = visits("ann", "a", "r", "a", "a") + visits("bob", "a", "q", "a")
    baskets, _ = cooked(rows, min_item_count=2)
    assert baskets.user_ids.tolist() == ["ann"]
    assert lists(baskets) == [[[0], [0], [0]]]


def test_the_item_threshold_depends_on_how_many_sequences_there_are(monkeypatch):
    monkeypatch.setattr("nnbr_core.data.recipe.MANY_SEQUENCES", 1)
    assert cooked(visits("ann", *"aaaaaa"))[1]["min_item_count"] == 5
    two = visits("ann", *("a" * 20)) + visits("bob", *("a" * 20))
    assert cooked(two)[1]["min_item_count"] == 17


def test_the_first_users_are_the_lowest_ids():
    rows = [row for user in range(1, 11) for row in visits(user, "a", "b", "ab")]
    baskets, notes = cooked(rows, first_users=0.2, **KEEP_ALL)
    assert baskets.user_ids.tolist() == ["1", "2"]
    assert notes["first_users"] == 0.2


def test_names_and_groups_stay_attached_and_default_to_the_id():
    names = [("a", "apple", "fruit")]
    baskets, _ = cooked(visits("ann", "a", "b", "a"), names=names, **KEEP_ALL)
    assert baskets.catalogue.to_numpy().tolist() == [["a", "apple", "fruit"], ["b", "b", ""]]


def test_windows_make_one_sequence_per_user_and_window():
    rows = visits("ann", *"abacbc") + visits("bob", "a", "b", "a")
    weeks = [1, 1, 2, 3, 3, 4, 1, 2, 2]
    baskets, _ = cooked(rows, row_weeks=weeks, window_weeks=2, **KEEP_ALL)
    assert baskets.user_ids.tolist() == ["ann", "ann", "bob"]
    assert lists(baskets)[:2] == [[[0], [1], [0]], [[2], [1], [2]]]


def test_dates_become_days_and_order_numbers_do_not():
    dates = [pd.Timestamp("1970-01-01") + pd.Timedelta(days=d) for d in (4, 2, 9)]
    con = duckdb.connect()
    raw = pd.DataFrame({"user": "ann", "time": dates, "item": list("aba"), "week": 1})
    con.register("raw", raw)
    con.execute("CREATE VIEW rows AS SELECT user, time::DATE AS time, item, week FROM raw")
    con.register("names", pd.DataFrame([("", "", "")], columns=["item", "name", "group"]))
    baskets, _ = cook(con, Recipe(**KEEP_ALL), "these rows")
    assert (lists(baskets), baskets.days.tolist()) == ([[[1], [0], [0]]], [2, 4, 9])
    assert cooked(visits("ann", "a", "b", "a"), **KEEP_ALL)[0].days is None


def test_an_unfinished_last_window_is_left_out():
    rows = visits("ann", *"abaxyx")
    baskets, _ = cooked(rows, row_weeks=[1, 1, 2, 3, 3, 3], window_weeks=2, **KEEP_ALL)
    assert lists(baskets) == [[[0], [1], [0]]]


def test_only_the_weeks_asked_for_are_read():
    rows = visits("ann", *"abcbef")
    baskets, _ = cooked(rows, row_weeks=[1, 2, 2, 3, 4, 5], weeks="2-3", **KEEP_ALL)
    assert baskets.catalogue["id"].tolist() == ["b", "c"]


def test_a_source_without_dates_has_no_windows():
    with pytest.raises(InputError, match="no dates to cut windows from"):
        cooked(visits("ann", "a", "b", "c"), window_weeks=2)


def test_nothing_left_says_which_filter_did_it():
    with pytest.raises(InputError, match="no user has 3 to 50 baskets"):
        cooked(visits("ann", "a", "b"))
    with pytest.raises(InputError, match="3 baskets once items in fewer than 5 history"):
        cooked(visits("ann", "a", "b", "c"))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"min_baskets": 1}, "min_baskets = 1"),
        ({"min_baskets": 9, "max_baskets": 8}, "not more than max_baskets = 8"),
        ({"min_item_count": 0}, "min_item_count = 0"),
        ({"first_users": 1.5}, "first_users = 1.5"),
        ({"window_weeks": -1}, "window_weeks = -1"),
        ({"weeks": "early"}, "weeks 'early'"),
        ({"weeks": "²"}, "weeks '²'"),
        ({"weeks": "1-٣"}, "weeks '1-٣'"),
        ({"weeks": "9-3"}, "first comes after the last"),
    ],
)
def test_impossible_settings_are_refused(settings, complaint):
    with pytest.raises(InputError, match=complaint):
        Recipe(**settings)


def test_changed_names_only_what_is_not_the_default():
    assert Recipe(weeks="1-17", min_baskets=3).changed() == {"weeks": "1-17"}
