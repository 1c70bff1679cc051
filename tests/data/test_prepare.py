"""Own files through the whole preparation, the cache, and the real datasets' statistics."""

import json
import os

import pandas as pd
import pytest

from nnbr_core.data.describe import statistics
from nnbr_core.data.prepare import load, load_with_notes, notes_line
from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError
from nnbr_core.paths import project_root

COLUMNS = {"user_column": "who", "time_column": "when", "item_column": "what"}
RECIPE = Recipe(**COLUMNS, min_item_count=1)
ROWS = [("ann", d, item) for d in ("2024-01-01", "2024-01-02", "2024-01-09") for item in "ab"]


def write(folder, rows=ROWS, name="shop.csv", columns=("who", "when", "what")):
    path = folder / name
    table = pd.DataFrame(rows, columns=columns)
    table.to_parquet(path) if name.endswith(".parquet") else table.to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("name", ["shop.csv", "shop.csv.gz", "shop.parquet"])
def test_a_file_of_your_own_becomes_baskets(elsewhere, name):
    baskets = load(write(elsewhere, name=name), RECIPE)
    assert baskets.lists(0) == [[0, 1], [0, 1], [0, 1]]
    assert baskets.user_ids.tolist() == ["ann"]


def test_a_day_is_one_basket_and_an_order_number_too(elsewhere):
    times = ["2024-01-01 09:00", "2024-01-01 18:00", "2024-01-02 09:00", "2024-01-03 09:00"]
    days = [("ann", time, item) for time, item in zip(times, "abca", strict=True)]
    assert load(write(elsewhere, days), RECIPE).lists(0) == [[0, 1], [2], [0]]
    orders = [("ann", number, item) for number, item in zip([10, 9, 100, 9], "abba", strict=True)]
    baskets = load(write(elsewhere, orders, "orders.csv"), RECIPE)
    assert baskets.lists(0) == [[0, 1], [0], [1]]  # 9, 10, 100: as numbers, not as text


def test_numbers_sort_as_numbers_and_leading_zeros_make_another_id(elsewhere):
    numbers = [(user, day, 1) for user in (10, 9) for day in (1, 2, 3)]
    assert load(write(elsewhere, numbers), RECIPE).user_ids.tolist() == ["9", "10"]
    zeros = [(user, day, 1) for user in ("7", "007") for day in (1, 2, 3)]
    found = load(write(elsewhere, zeros, "zeros.csv"), RECIPE)
    assert found.user_ids.tolist() == ["007", "7"]


def test_item_names_and_groups_of_your_own(elsewhere):
    rows = [(*row, {"a": "apple", "b": "bread"}[row[2]], "food") for row in ROWS]
    path = write(elsewhere, rows, columns=["who", "when", "what", "label", "kind"])
    recipe = Recipe(**COLUMNS, min_item_count=1, name_column="label", group_column="kind")
    assert load(path, recipe).catalogue["name"].tolist() == ["apple", "bread"]
    assert load(path, recipe).catalogue["group"].tolist() == ["food", "food"]


def test_missing_users_and_duplicate_rows_do_no_harm(elsewhere):
    rows = [*ROWS, *ROWS, (None, "2024-01-01", "a"), ("nan", "2024-01-01", "a")]
    baskets, notes = load_with_notes(write(elsewhere, rows), RECIPE)
    assert baskets.user_ids.tolist() == ["ann"]
    assert (notes["rows"], notes["purchases"]) == (14, 6)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([("ann", "2024-01-01", "a"), ("ann", "soon", "a")], "column when, line 3: 'soon' is not"),
        ([("ann", "2024-01-01", "a"), (-4, "2024-01-01", "a")], "column who, line 3: '-4' is not"),
        ([("ann", "2024-01-01", "-1")], "column what, line 2: '-1' is not"),
        ([("ann", "2024-01-01", "a")], "no user has 3 to 50 baskets"),
    ],
)
def test_bad_rows_are_named_by_column_and_line(elsewhere, rows, complaint):
    with pytest.raises(InputError, match=complaint):
        load(write(elsewhere, rows), RECIPE)
    assert not list(elsewhere.glob("prepared/*"))


def test_a_missing_column_gets_the_nearest_name(elsewhere):
    recipe = Recipe(user_column="whom", time_column="when", item_column="what")
    with pytest.raises(InputError, match="no column 'whom': did you mean 'who'"):
        load(write(elsewhere), recipe)

    with pytest.raises(InputError, match="It has who, when, what"):
        load(write(elsewhere), recipe)


HOSTILE = ["g[1].csv", "a'b.csv", 'q"q.csv', "back\\slash.csv", "new\nline.csv", "s*?.csv"]


@pytest.mark.parametrize("name", [*HOSTILE, "g[1].parquet", "x'); DROP TABLE rows; --.csv"])
def test_a_name_is_read_letter_by_letter(elsewhere, name):
    write(elsewhere, [("bob", *row[1:]) for row in ROWS], "g1.csv")
    write(elsewhere, [("bob", *row[1:]) for row in ROWS], "s1.csv")
    assert load(write(elsewhere, name=name), RECIPE).user_ids.tolist() == ["ann"]


def test_a_folder_name_runs_no_sql(elsewhere):
    out = elsewhere / "written"
    folder = elsewhere / f"x') TO '{out}'; --".replace("/", "_")
    folder.mkdir()
    assert load(write(folder), RECIPE).user_ids.tolist() == ["ann"]
    assert not out.exists()


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"item_column": "who"}, "column 'who' cannot be both user and item"),
        ({"time_column": "what"}, "column 'what' cannot be both time and item"),
        ({"group_column": "when"}, "column 'when' cannot be both time and group"),
    ],
)
def test_a_column_serves_once(elsewhere, changes, complaint):
    with pytest.raises(InputError, match=complaint):
        load(write(elsewhere), Recipe(**COLUMNS | changes, min_item_count=1))


def test_an_items_column_may_also_be_its_name(elsewhere):
    recipe = Recipe(**COLUMNS, min_item_count=1, name_column="what")
    assert load(write(elsewhere), recipe).catalogue["name"].tolist() == ["a", "b"]


def test_days_formats_and_spans_are_noted(elsewhere):
    rows = [("ann", d, "a") for d in ("13/02/13", "28/02/13", "01/03/13")]
    baskets, notes = load_with_notes(write(elsewhere, rows), RECIPE)
    assert notes["date_format"] == "%d/%m/%y"
    assert (notes["first_day"], notes["last_day"]) == ("2013-02-13", "2013-03-01")
    assert baskets.days.tolist() == [15749, 15764, 15765]
    assert "date_format %d/%m/%y, first_day 2013-02-13, last_day 2013-03-01" in notes_line(notes)


def test_columns_must_be_named(elsewhere):
    with pytest.raises(InputError, match="time_column, item_column not given"):
        load(write(elsewhere), Recipe(user_column="who"))


def test_an_empty_file_and_a_file_that_is_none_are_named(elsewhere):
    (elsewhere / "empty.csv").touch()
    with pytest.raises(InputError, match="empty.csv is empty"):
        load(str(elsewhere / "empty.csv"), RECIPE)
    (elsewhere / "broken.parquet").write_bytes(b"not parquet at all")
    with pytest.raises(InputError, match="broken.parquet cannot be read"):
        load(str(elsewhere / "broken.parquet"), RECIPE)
    with pytest.raises(InputError, match="gone.csv does not exist"):
        load(str(elsewhere / "gone.csv"), RECIPE)


def test_a_header_without_rows_is_refused(elsewhere):
    with pytest.raises(InputError, match="none of the 0 rows is left"):
        load(write(elsewhere, []), RECIPE)


def test_prepared_baskets_are_built_once_and_again_after_a_change(elsewhere, monkeypatch):
    path = write(elsewhere)
    first = load(path, RECIPE)
    built = []
    cook = __import__("nnbr_core.data.prepare", fromlist=["cook"]).cook
    monkeypatch.setattr(
        "nnbr_core.data.prepare.cook", lambda *args: built.append(args) or cook(*args)
    )
    assert load(path, RECIPE).fingerprint == first.fingerprint
    assert len(built) == 0
    load(path, Recipe(**COLUMNS, min_item_count=2))  # another setting
    assert len(built) == 1
    write(elsewhere, [*ROWS, ("ann", "2024-01-11", "a")])  # another file
    assert load(path, RECIPE).fingerprint != first.fingerprint
    assert len(built) == 2


def test_an_interrupted_build_leaves_nothing(elsewhere, monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, "to_parquet", stop)
    path = str(elsewhere / "shop.csv")
    pd.DataFrame(ROWS, columns=["who", "when", "what"]).to_csv(path, index=False)
    with pytest.raises(KeyboardInterrupt):
        load(path, RECIPE)
    assert list((elsewhere / "prepared").iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(elsewhere, monkeypatch):
    (elsewhere / "a_file").touch()
    monkeypatch.setattr("nnbr_core.paths.prepared_data", lambda: elsewhere / "a_file")
    with pytest.raises(InputError, match="cannot be written"):
        load(write(elsewhere), RECIPE)


def test_ready_made_datasets_refuse_a_recipe(elsewhere):
    with pytest.raises(InputError, match="toy: min_baskets cannot be set"):
        load("toy", Recipe(min_baskets=4))
    with pytest.raises(InputError, match="completejourney: user_column cannot be set"):
        load("completejourney", Recipe(user_column="who"))


def test_without_a_change_the_key_does_not_depend_on_the_day(elsewhere):
    path = write(elsewhere)
    load(path, RECIPE)
    (folder,) = (elsewhere / "prepared").iterdir()
    os.utime(folder, (0, 0))
    load(path, RECIPE)
    assert list((elsewhere / "prepared").iterdir()) == [folder]


REAL = {
    "tafeng": {"items": 11_997, "users": 13_858, "repeat_ratio": 0.188},
    "dunnhumby": {"items": 3_644, "users": 2_320, "repeat_ratio": 0.405},
    "instacart": {"items": 9_401, "users": 2_918, "repeat_ratio": 0.609},
    "completejourney": {"items": 13_951, "users": 1_945, "repeat_ratio": 0.377},
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs(name)) for name in REAL]
)
def test_real_datasets_have_the_expected_statistics(name):
    found = statistics(load(name))
    assert {k: round(found[k], 3) for k in REAL[name]} == REAL[name]


RECORDED = ("tafeng", "dunnhumby", "dunnhumby_windows", "instacart", "completejourney")


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.needs(n)) for n in RECORDED])
def test_baskets_are_still_those_of_the_records(name):
    facts = json.loads((project_root() / "reports" / "datasets" / f"{name}.json").read_text())
    baskets = load(name)
    assert baskets.fingerprint == facts["fingerprint"]
    assert (baskets.days is None) == (name in ("tafeng", "instacart"))


@pytest.mark.needs("tafeng")
def test_published_tafeng_has_the_papers_means():
    found = statistics(load("tafeng"))
    assert round(found["avg_basket_size"], 2) == 6.27
    assert round(found["avg_baskets_per_user"], 2) == 6.58


@pytest.mark.needs("tafeng_raw")
def test_raw_tafeng_is_read_whole_and_with_the_large_threshold():
    baskets, notes = load_with_notes("tafeng_raw")
    assert notes["rows"] == 817_741
    assert notes["min_item_count"] == 17
    assert baskets.n_users == 13_635


@pytest.mark.needs("dunnhumby")
def test_dunnhumby_in_windows_reaches_the_papers_scale():
    windows, notes = load_with_notes("dunnhumby", Recipe(window_weeks=8))
    found = statistics(windows)
    assert (windows.n_users, windows.n_items) == (25_637, 4_979)
    assert notes["min_item_count"] == 17
    assert round(found["avg_basket_size"], 2) == 7.25
    assert round(found["avg_baskets_per_user"], 2) == 9.73
    assert round(found["repeat_ratio"], 3) == 0.409
    assert len(set(windows.user_ids)) < windows.n_users / 4
