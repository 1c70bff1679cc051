"""Generated files of one's own: no traceback, and no statistic that plain pandas does not find.

NNBR_FUZZ multiplies the number of cases.
"""

import csv
import gzip
import io
import os
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nnbr_core.data.dates import FORMATS
from nnbr_core.data.describe import statistics
from nnbr_core.data.prepare import build
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import find_source
from nnbr_core.errors import InputError

N_CASES = 150 * int(os.environ.get("NNBR_FUZZ", "1"))
MISSING = ["", "nan", "NaN", "NA", "null", "NULL", "None"]
COLUMNS = {"user_column": "who", "time_column": "when", "item_column": "what"}
FUZZ = settings(
    max_examples=N_CASES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
LETTERS = st.text("abcé7 ,;|\t\"'\n=<%\\[*.-", min_size=1, max_size=5)
NUMBERS = st.integers(0, 12).map(str)
ZEROS = st.sampled_from(["7", "07", "007", "0", "1.0", "1e3", "10"])
WORDS = st.sampled_from(["ann", "Bob", "bob ", "Zoë", "=1+1", "<b>", "x" * 300, *MISSING])


def is_id(text: str) -> bool:
    """Negative numbers are refused by name; that has a test of its own."""
    return not text.strip().startswith("-")


IDS = [kind.filter(is_id) for kind in (LETTERS, NUMBERS, ZEROS, WORDS)]


def written(rows: list[tuple], draw) -> tuple[bytes, str, Recipe]:
    """A file's bytes and name, and how to read it."""
    text = io.StringIO()
    style = {
        "delimiter": draw(st.sampled_from(",;\t|")),
        "quoting": draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        "lineterminator": draw(st.sampled_from(["\n", "\r\n"])),
    }
    csv.writer(text, **style).writerows([("what", "extra", "who", "when"), *rows])
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    content = text.getvalue().encode(encoding)
    is_zipped = draw(st.booleans())
    given = {"encoding": "cp1252"} if encoding == "cp1252" else {}
    recipe = Recipe(
        **COLUMNS,
        **given,
        min_baskets=draw(st.integers(2, 3)),
        max_baskets=draw(st.integers(4, 9)),
        min_item_count=draw(st.integers(1, 3)),
    )
    name = draw(st.sampled_from(["shop", "g[1]", "a'b", "ü \n"])) + ".csv"
    return (gzip.compress(content), f"{name}.gz", recipe) if is_zipped else (content, name, recipe)


def by_pandas(table: pd.DataFrame, recipe: Recipe) -> dict[str, float] | None:
    """The recipe once more, in another language; None if nothing is left."""
    table = table[~table.isin(MISSING).any(axis=1)].drop_duplicates()
    n_baskets = table.groupby("who")["when"].nunique()
    fits = n_baskets[n_baskets.between(recipe.min_baskets, recipe.max_baskets)].index
    table = table[table["who"].isin(fits)]
    last = table.groupby("who")["when"].transform("max")
    counts = table[table["when"] < last]["what"].value_counts()
    table = table[table["what"].isin(counts[counts >= recipe.min_item_count].index)]
    left = table.groupby("who")["when"].transform("nunique") >= recipe.min_baskets
    table = table[left]
    if table.empty:
        return None
    ratios = []
    for _, rows in table.groupby("who"):
        is_last = rows["when"] == rows["when"].max()
        ratios.append(rows[is_last]["what"].isin(rows[~is_last]["what"]).mean())
    baskets = table.groupby(["who", "when"]).ngroups
    return {
        "items": table["what"].nunique(),
        "users": table["who"].nunique(),
        "avg_basket_size": len(table) / baskets,
        "avg_baskets_per_user": baskets / table["who"].nunique(),
        "repeat_ratio": sum(ratios) / len(ratios),
        "explore_ratio": 1 - sum(ratios) / len(ratios),
    }


def by_us(path: Path, recipe: Recipe) -> dict[str, float]:
    return statistics(build(find_source(str(path)), [path], recipe)[0])


def compare(folder: Path, rows: list[tuple], times: list, draw) -> None:
    """Write the rows, read them back, and compare; `times` are the rows' real ones."""
    content, name, recipe = written(rows, draw)
    path = folder / name
    path.write_bytes(content)
    table = pd.DataFrame(
        {"who": [row[2] for row in rows], "what": [row[0] for row in rows], "when": times}
    )
    expected = by_pandas(table.astype({"who": object, "what": object}), recipe)
    if expected is None:
        with pytest.raises(InputError, match="left|keeps"):
            by_us(path, recipe)
    else:
        assert by_us(path, recipe) == pytest.approx(expected)


@FUZZ
@given(st.data())
def test_statistics_of_files_with_order_numbers_are_those_of_pandas(tmp_path, data):
    user, item = data.draw(st.sampled_from(IDS)), data.draw(st.sampled_from(IDS))
    few = [data.draw(st.lists(kind, min_size=2, max_size=4)) for kind in (user, item)]
    row = st.tuples(*map(st.sampled_from, few[::-1]), st.integers(-3, 9))
    drawn = data.draw(st.lists(row, min_size=1, max_size=40))
    rows = [(item, "x", user, number) for item, user, number in drawn]
    compare(tmp_path, rows, [row[3] for row in rows], data.draw)


@FUZZ
@given(st.data())
def test_dates_are_read_as_they_were_meant_or_the_way_of_writing_is_asked_for(tmp_path, data):
    form = data.draw(st.sampled_from(FORMATS))
    clock = "" if form == "%Y%m%d" else data.draw(st.sampled_from(["", " 9:30", "T23:59:59"]))
    row = st.tuples(st.sampled_from("abcd"), st.sampled_from("uvw"), st.integers(0, 400))
    rows = data.draw(st.lists(row, min_size=1, max_size=40))
    days = [date(2009, 12, 1) + timedelta(days=day) for _, _, day in rows]
    path = tmp_path / "shop.csv"
    lines = [
        f"{item};{user};{day.strftime(form)}{clock}\n"
        for (item, user, _), day in zip(rows, days, strict=True)
    ]
    path.write_text("what;who;when\n" + "".join(lines))
    recipe = Recipe(**COLUMNS, min_baskets=2, min_item_count=1)
    table = pd.DataFrame(rows, columns=["what", "who", "when"]).assign(when=days)
    expected = by_pandas(table, recipe)
    try:
        found = by_us(path, recipe)
    except InputError as error:
        if expected is None and "date_format" not in str(error):
            return
        assert "say which with date_format" in str(error)
        if expected is None:
            return
        found = by_us(path, Recipe(**COLUMNS, min_baskets=2, min_item_count=1, date_format=form))
    assert found == pytest.approx(expected)


def damaged(draw) -> bytes:
    """A good file with some bytes overwritten, cut out or put in."""
    rows = "".join(f"u{n % 3},2024-01-{n % 9 + 1:02},i{n % 4}\n" for n in range(60))
    content = bytearray(("who,when,what\n" + rows).encode())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        width = draw(st.integers(0, 3))
        content[at : at + width] = draw(
            st.binary(max_size=3) | st.sampled_from([b'"', b"\n", b","])
        )
    return bytes(content)


@FUZZ
@given(st.data())
def test_a_damaged_file_is_read_or_refused_in_a_sentence(tmp_path, data):
    path = tmp_path / "shop.csv"
    path.write_bytes(damaged(data.draw))
    recipe = Recipe(**COLUMNS, min_item_count=1)
    try:
        found = by_us(path, recipe)
    except InputError as error:
        assert len(str(error)) < 400 + len(str(path))
        assert str(tmp_path) in str(error) or "own-shop" in str(error)
    else:
        assert 1 <= found["users"] <= 60


@FUZZ
@given(st.binary(max_size=200))
def test_bytes_that_are_no_file_at_all_are_refused_in_a_sentence(tmp_path, content):
    for name in ("shop.csv", "shop.csv.gz", "shop.parquet"):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InputError, match="shop"):
            by_us(path, Recipe(**COLUMNS))
