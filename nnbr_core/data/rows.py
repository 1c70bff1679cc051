"""Reading purchase rows with DuckDB: columns and values are checked, and complaints say where."""

import re
from collections.abc import Sequence
from pathlib import Path

import duckdb

from nnbr_core.data import files as own_files
from nnbr_core.errors import InputError, nearest

MEMORY_LIMIT = "1500MB"  # more rows than that are sorted on disk
MISSING = "('', 'nan', 'NaN', 'NA', 'null', 'NULL', 'None')"  # text that stands for no value
MAX_LISTED = 30  # columns of a file, in a complaint
MAX_SHOWN = 40  # letters of a column's name there


def connect(scratch: Path) -> duckdb.DuckDBPyConnection:
    """A private database in memory that may spill into `scratch`; times are told in UTC."""
    con = duckdb.connect(config={"memory_limit": MEMORY_LIMIT, "temp_directory": str(scratch)})
    con.execute("SET TimeZone = 'UTC'")
    return con


def _scratch(con: duckdb.DuckDBPyConnection) -> Path:
    return Path(con.execute("SELECT current_setting('temp_directory')").fetchone()[0])


def quoted(name: str) -> str:
    """A column name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _shown(names: Sequence[str]) -> list[str]:
    """Column names for a complaint: on one line, and not a whole damaged file of it."""
    return [" ".join(name.split())[:MAX_SHOWN] for name in names]


def _places(path: Path, found: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where the wanted columns stand among those found, each there exactly once."""
    for column in wanted:
        if column not in found:
            shown = _shown(found)
            hint = nearest(column, shown)
            listed = ", ".join(shown[:MAX_LISTED]) + (", ..." if len(shown) > MAX_LISTED else "")
            more = "" if hint.startswith("choose") else f" It has {listed}"
            raise InputError(f"{path} has no column {column!r}: {hint}{more}")
        if list(found).count(column) > 1:
            raise InputError(f"{path} has two columns called {column!r}")
    return [list(found).index(column) for column in wanted]


def _reading(path: Path, error: duckdb.Error) -> InputError:
    """What is wrong with a file, in a sentence, from what the database says about it."""
    text = str(error)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if "utf-8 encoded" in text or "Invalid unicode" in text:
        return InputError(own_files.not_utf8(path, line[1] if line else ""))
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if line and counts:
        return InputError(f"{path}, line {line[1]}: {counts[2]} values in {counts[1]} columns")
    if line and "unterminated quote" in text:
        return InputError(f'{path}, line {line[1]}: a value in " is not closed as it should be')
    return InputError(f"{path} cannot be read: {text.splitlines()[0]}")


def _csv(links: Sequence[Path], n_columns: int, separator: str) -> str:
    """Text files as SQL reads them: nothing is guessed, a row that does not fit is an error."""
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(n_columns))
    return (
        f"read_csv({_listed(links)}, auto_detect = false, columns = {{{columns}}},"
        f" delim = {literal(separator)}, quote = '\"', escape = '\"', header = true, nullstr = '')"
    )


def _listed(links: Sequence[Path]) -> str:
    return f"[{', '.join(literal(str(link)) for link in links)}]"


def _picked(columns: Sequence[str], places: Sequence[str]) -> str:
    return ", ".join(
        f"CASE WHEN {place}::VARCHAR IN {MISSING} THEN NULL ELSE {place}::VARCHAR END"
        f" AS {quoted(column)}"
        for column, place in zip(columns, places, strict=True)
    )


def _parse(
    con: duckdb.DuckDBPyConnection, links: dict[Path, Path], columns: Sequence[str], out: Path
) -> None:
    """Write these columns of text files (link -> the file it stands for) to a parquet file."""
    headers = [own_files.header(link, path, columns) for link, path in links.items()]
    names, separator = headers[0]
    places = _places(next(iter(links.values())), names, columns)
    for path, other in zip(links.values(), headers, strict=True):
        if other != headers[0]:
            raise InputError(f"{path} has other columns than the files before it")
    picked = _picked(columns, [f"c{place}" for place in places])
    source = _csv(list(links), len(names), separator)
    try:
        con.execute(f"COPY (SELECT {picked} FROM {source}) TO {literal(str(out))} (FORMAT parquet)")
    except duckdb.Error as error:
        named = [path for link, path in links.items() if str(link) in str(error)]
        raise _reading((named or list(links.values()))[0], error) from error


def _parsed(
    con: duckdb.DuckDBPyConnection,
    files: Sequence[Path],
    columns: Sequence[str],
    encoding: str | None,
) -> Path:
    """A parquet file with these columns of text files, each of which is parsed once."""
    scratch = _scratch(con)
    out = scratch / f"parsed_{len(list(scratch.glob('parsed_*')))}.parquet"
    try:
        _parse(con, {own_files.as_utf8(f, scratch, encoding): f for f in files}, columns, out)
    except InputError as error:
        if "invalid state" not in str(error.__cause__):
            raise error from None
        # Line ends of two kinds are more than the database can read.
        of = own_files.text_encoding
        copies = {own_files.copied(f, scratch, of(f, encoding)): f for f in files}
        _parse(con, copies, columns, out)
    return out


def read_table(
    con: duckdb.DuckDBPyConnection,
    table: str,
    files: Sequence[Path],
    columns: Sequence[str],
    encoding: str | None = None,
) -> None:
    """View `table`: these columns of CSV (gz or not) or parquet files, all as text.

    Empty text and the usual spellings of "not a number" become NULL.
    """
    for path in files:
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty")
    if files[0].suffix.lower() == ".parquet":
        read = [own_files.linked(path, _scratch(con), ".parquet") for path in files]
    else:
        read = [_parsed(con, files, columns, encoding)]
    source = f"read_parquet({_listed(read)})"
    try:
        found = con.sql(f"SELECT * FROM {source} LIMIT 0").columns
    except duckdb.Error as error:
        raise _reading(files[0], error) from None
    places = [quoted(found[place]) for place in _places(files[0], found, columns)]
    con.execute(f"CREATE VIEW {table} AS SELECT {_picked(columns, places)} FROM {source}")


def scalar(con: duckdb.DuckDBPyConnection, query: str, files: Sequence[Path]) -> tuple | None:
    """The first row of a query; a file that breaks while being read is named."""
    try:
        return con.execute(query).fetchone()
    except duckdb.Error as error:
        raise _reading(files[0], error) from None


def first_bad(
    con: duckdb.DuckDBPyConnection, table: str, column: str, bad: str, files: Sequence[Path]
) -> tuple[int, str] | None:
    """(line, value) of the first row where `bad` holds, counting the header as line 1."""
    value = quoted(column)
    # Numbering rows is slow, so it is done only once something is known to be wrong.
    if scalar(con, f"SELECT 1 FROM {table} WHERE {value} IS NOT NULL AND ({bad}) LIMIT 1", files):
        return con.execute(
            f"SELECT line, {value} FROM (SELECT row_number() OVER () + 1 AS line, {value}"
            f" FROM {table}) WHERE {value} IS NOT NULL AND ({bad}) LIMIT 1"
        ).fetchone()
    return None


def require(
    con: duckdb.DuckDBPyConnection,
    table: str,
    column: str,
    expression: str,
    what: str,
    files: Sequence[Path],
) -> str:
    """`expression`, once no value of the column makes it NULL; otherwise name file and line."""
    bad = first_bad(con, table, column, f"({expression}) IS NULL", files)
    if bad:
        where = str(files[0]) if len(files) == 1 else f"{files[0].parent} ({len(files)} files)"
        raise InputError(f"{where}, column {column}, line {bad[0]}: {bad[1]!r} is not {what}")
    return expression


def whole_number(
    con: duckdb.DuckDBPyConnection, table: str, column: str, files: Sequence[Path]
) -> str:
    """The column as an integer id, none of them negative."""
    cast = f"TRY_CAST({quoted(column)} AS BIGINT)"
    natural = f"CASE WHEN {cast} >= 0 THEN {cast} END"
    return require(con, table, column, natural, "an id of 0 or more", files)


def label(con: duckdb.DuckDBPyConnection, table: str, column: str, files: Sequence[Path]) -> str:
    """The column as an id: a number where all are numbers (so that 9 comes before 10), or text."""
    cast, value = f"TRY_CAST({quoted(column)} AS BIGINT)", quoted(column)
    not_negative = f"CASE WHEN {cast} < 0 THEN NULL ELSE 1 END"
    require(con, table, column, not_negative, "an id of 0 or more", files)
    # Casting back must give the same text: 007 and 7 are two customers.
    as_number = f"CASE WHEN {cast}::VARCHAR = {value} THEN {cast} END"
    return value if first_bad(con, table, column, f"({as_number}) IS NULL", files) else as_number
