"""Own files through the whole preparation, the cache, and the real datasets' statistics."""

import os

import pandas as pd
import pytest

from nnbr_core.data.describe import statistics
from nnbr_core.data.prepare import count_rows, load, load_with_notes
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import SOURCES
from nnbr_core.errors import InputError

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
    "instacart": {"items": 7_189, "users": 1_932, "repeat_ratio": 0.610},
    "completejourney": {"items": 13_951, "users": 1_945, "repeat_ratio": 0.377},
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs(name)) for name in REAL]
)
def test_real_datasets_have_the_expected_statistics(name):
    found = statistics(load(name))
    assert {k: round(found[k], 3) for k in REAL[name]} == REAL[name]


@pytest.mark.needs("tafeng")
def test_published_tafeng_has_the_papers_means():
    found = statistics(load("tafeng"))
    assert round(found["avg_basket_size"], 2) == 6.27
    assert round(found["avg_baskets_per_user"], 2) == 6.58


@pytest.mark.needs("tafeng_raw")
def test_raw_tafeng_is_read_whole_and_with_the_large_threshold():
    baskets, notes = load_with_notes("tafeng_raw")
    assert count_rows(SOURCES["tafeng_raw"]) == notes["rows"] == 817_741
    assert notes["min_item_count"] == 17
    assert baskets.n_users == 13_635


@pytest.mark.needs("dunnhumby")
def test_dunnhumby_in_windows_has_four_times_the_sequences():
    windows = load("dunnhumby", Recipe(window_weeks=8))
    assert windows.n_users == 9_272
    assert len(set(windows.user_ids)) < windows.n_users / 2
