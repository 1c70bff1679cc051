"""Which day a text means: one format for a whole column, found in the data or given.

`02/11/13` is three different days. Over a whole column usually one reading is possible, because
a 13th month does not exist; where more than one is, nobody but the file's owner can tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import duckdb

from nnbr_core.data.rows import first_bad, literal, quoted, require
from nnbr_core.errors import InputError

IMPOSSIBLE_YEAR = 1900  # before this nobody kept a till, whatever format is given
FIRST_YEAR = 1990  # earlier purchases were not written down in files like these
N_EXAMPLES = 3
DIGITS = "%Y%m%d"
NUMBERS = ["%d{0}%m{0}%Y", "%m{0}%d{0}%Y", "%d{0}%m{0}%y", "%m{0}%d{0}%y", "%y{0}%m{0}%d"]
NAMES = ["%d{0}%b{0}%Y", "%d{0}%b{0}%y", "%d{0}%B{0}%Y", "%b{0}%d,{0}%Y", "%B{0}%d,{0}%Y"]
FORMATS = [
    *(f"%Y{mark}%m{mark}%d" for mark in "-/."),
    *(form.format(mark) for mark in "-/." for form in NUMBERS),
    *(form.format(mark) for mark in " -" for form in NAMES),
    DIGITS,
]
EIGHT_DIGITS = "^[0-9]{8}$"  # a date written as a number, such as 20240331
WHOLE = r"^\s*[+-]?[0-9]+(\.0*)?\s*$"
DECIMAL = r"^\s*[+-]?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?\s*$"
TIME = r"[ T]+(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?(?: *[AaPp][Mm])?"
ZONE = r"Z|UTC|GMT|[+-][0-9]{2}:?(?:[0-9]{2})?"
WRITTEN = rf"^\s*(.*?)(?:{TIME}(?: *({ZONE}))?)?\s*$"
DAY_GROUP, ZONE_GROUP = 1, 2  # of what is written
WHAT = "an order number or a date such as 2024-03-31"


@dataclass(frozen=True)
class Moments:
    """A column of times as SQL: an order number, or a day in the format that was found."""

    expression: str
    date_format: str | None = None  # None: an order number

    @property
    def is_day(self) -> bool:
        return self.date_format is not None


def _day_text(column: str) -> str:
    return f"regexp_extract({quoted(column)}, {literal(WRITTEN)}, {DAY_GROUP})"


def _read(column: str, date_format: str) -> str:
    """The day in SQL; a given format may also spell out the time of day."""
    text = _day_text(column)
    parsed = f"try_strptime({text}, {literal(date_format)})"
    whole = f"try_strptime({quoted(column)}, {literal(date_format)})"
    # '%Y%m%d' would also take seven digits, and every format the words epoch and infinity.
    shape = EIGHT_DIGITS if date_format == DIGITS else "[0-9]"
    is_date = f"regexp_matches({text}, {literal(shape)})"
    return f"CASE WHEN {is_date} THEN coalesce({parsed}, {whole})::DATE END"


def _one_zone(
    con: duckdb.DuckDBPyConnection, table: str, column: str, files: Sequence[Path]
) -> None:
    """Refuse times of several zones: which day a purchase belongs to would be a guess."""
    value = quoted(column)
    zone = f"regexp_extract({value}, {literal(WRITTEN)}, {ZONE_GROUP})"
    same = f"CASE WHEN {zone} IN ('Z', 'UTC', 'GMT') THEN '+' ELSE {zone} END"
    same = f"rpad(replace({same}, ':', ''), 5, '0')"  # +01, +0100 and +01:00 are one
    found = con.execute(
        f"SELECT min({value}) FROM {table} WHERE {value} IS NOT NULL GROUP BY {same} LIMIT 2"
    ).fetchall()
    if len(found) > 1:
        raise InputError(
            f"{files[0]}, column {column}: times of several time zones, such as {found[0][0]!r} "
            f"and {found[1][0]!r}; write all of them in the shop's own time"
        )


def _spans(
    con: duckdb.DuckDBPyConnection, table: str, column: str
) -> dict[str, tuple[int, date, date]]:
    """For each format: how many of the different values it can read, first and last day."""
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE written AS SELECT DISTINCT {_day_text(column)} AS day"
        f" FROM {table} WHERE {quoted(column)} IS NOT NULL"
    )
    asked = ", ".join(f"count({d}), min({d}), max({d})" for f in FORMATS for d in [_read("day", f)])
    found = con.execute(f"SELECT count(*), {asked} FROM written").fetchone()
    spans = {f: found[1 + 3 * i : 4 + 3 * i] for i, f in enumerate(FORMATS)}
    return {f: span for f, span in spans.items() if span[0] == found[0] > 0}


def _tomorrow() -> date:
    """The last day that may be written: it may be tomorrow already where the file comes from."""
    return date.today() + timedelta(days=1)


def _is_plausible(first: date, last: date) -> bool:
    return first.year >= FIRST_YEAR and last <= _tomorrow()


def _detect(
    con: duckdb.DuckDBPyConnection, table: str, column: str, files: Sequence[Path]
) -> str | None:
    """The one format that fits every value; None if none does, or a sentence if several do."""
    fitting = _spans(con, table, column)
    plausible = [f for f, (_, first, last) in fitting.items() if _is_plausible(first, last)]
    where = f"{files[0]}, column {column}"
    if fitting and not plausible:
        form, (_, first, last) = next(iter(fitting.items()))
        raise InputError(
            f"{where}: read as {form} the days are {first} to {last}, before {FIRST_YEAR} or in "
            "the future; give the right date_format (--date-format), such as %d/%m/%Y"
        )
    different = [
        f
        for f in plausible[1:]
        if con.execute(
            f"SELECT 1 FROM written WHERE {_read('day', f)} != {_read('day', plausible[0])} LIMIT 1"
        ).fetchone()
    ]
    if different:
        rows = con.execute(f"SELECT day FROM written ORDER BY day LIMIT {N_EXAMPLES}").fetchall()
        examples = ", ".join(repr(row[0]) for row in rows)
        raise InputError(
            f"{where}: {examples} can be read as {' or '.join([plausible[0], *different])}; "
            "say which with date_format (--date-format)"
        )
    return plausible[0] if plausible else None


def _checked(con: duckdb.DuckDBPyConnection, date_format: str) -> str:
    """A format that names year, month and day, and nothing unheard of."""
    parts = (("%Y", "%y"), ("%m", "%b", "%B"), ("%d",))
    is_whole = all(any(part in date_format for part in one) for one in parts)
    try:
        con.execute(f"SELECT try_strptime('', {literal(date_format)})")
    except duckdb.Error:
        is_whole = False
    if not is_whole:
        raise InputError(
            f"date_format {date_format!r}: write it with %Y or %y, %m or %b, and %d, as in %d/%m/%Y"
        )
    return date_format


def _given(
    con: duckdb.DuckDBPyConnection,
    table: str,
    column: str,
    files: Sequence[Path],
    date_format: str,
) -> Moments:
    """The column read in the format that its owner gives; impossible years are still refused."""
    day = _read(column, _checked(con, date_format))
    require(con, table, column, day, f"a date written as {date_format}", files)
    impossible = f"{day} > DATE '{_tomorrow()}' OR year({day}) < {IMPOSSIBLE_YEAR}"
    if bad := first_bad(con, table, column, impossible, files):
        raise InputError(
            f"{files[0]}, column {column}, line {bad[0]}: {bad[1]!r} read as {date_format} "
            "lies in the future or centuries ago"
        )
    return Moments(day, date_format)


def _number(
    con: duckdb.DuckDBPyConnection, table: str, column: str, files: Sequence[Path]
) -> Moments:
    """A column of whole numbers: order numbers, or days written like 20240331."""
    no_date = f"NOT regexp_matches({quoted(column)}, {literal(EIGHT_DIGITS)})"
    if not first_bad(con, table, column, no_date, files):
        span = _spans(con, table, column).get(DIGITS)
        if span and _is_plausible(*span[1:]):
            return Moments(_read(column, DIGITS), DIGITS)
    number = f"TRY_CAST({quoted(column)} AS BIGINT)"
    return Moments(require(con, table, column, number, "a whole order number", files))


def moments(
    con: duckdb.DuckDBPyConnection,
    table: str,
    column: str,
    files: Sequence[Path],
    date_format: str | None = None,
) -> Moments:
    """The column as times: whole order numbers stay as they are, dates become days."""
    value = quoted(column)
    if date_format is not None:
        return _given(con, table, column, files, date_format)
    is_whole = f"regexp_matches({value}, {literal(WHOLE)})"
    if not first_bad(con, table, column, f"NOT {is_whole}", files):
        return _number(con, table, column, files)
    if not first_bad(con, table, column, f"NOT regexp_matches({value}, {literal(DECIMAL)})", files):
        whole = f"CASE WHEN {is_whole} THEN 1 END"
        require(con, table, column, whole, "a whole order number", files)
    _one_zone(con, table, column, files)
    found = _detect(con, table, column, files)
    if found is None:
        iso = _read(column, FORMATS[0])
        require(con, table, column, iso, f"{WHAT} (another way of writing: date_format)", files)
        raise InputError(f"{files[0]}, column {column}: no way of writing dates fits all of them")
    return Moments(_read(column, found), found)
