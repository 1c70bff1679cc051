"""Reading purchase rows with DuckDB: columns and values are checked, and complaints say where."""

from collections.abc import Sequence
from pathlib import Path

import duckdb

from nnbr_core.errors import InputError, nearest

MEMORY_LIMIT = "4GB"
MISSING = "('', 'nan', 'NaN', 'NA', 'null', 'NULL', 'None')"  # text that stands for no value


def connect(scratch: Path) -> duckdb.DuckDBPyConnection:
    """A private database in memory that may spill into `scratch`."""
    return duckdb.connect(config={"memory_limit": MEMORY_LIMIT, "temp_directory": str(scratch)})


def quoted(name: str) -> str:
    """A column name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def read_table(
    con: duckdb.DuckDBPyConnection, table: str, files: Sequence[Path], columns: Sequence[str]
) -> None:
    """View `table`: these columns of CSV (gz or not) or parquet files, all as text.

    Empty text and the usual spellings of "not a number" become NULL.
    """
    paths = [str(path) for path in files]
    for path in files:
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty")
    if files[0].suffix == ".parquet":
        source = f"read_parquet({paths})"
    else:
        source = f"read_csv({paths}, all_varchar = true, header = true, nullstr = '')"
    try:
        found = con.sql(f"SELECT * FROM {source} LIMIT 0").columns
    except duckdb.Error as error:
        raise InputError(f"{files[0]} cannot be read: {str(error).splitlines()[0]}") from None
    found_as = {name.lstrip("\ufeff").strip('"'): name for name in found}
    for column in columns:
        if column not in found_as:
            raise InputError(f"{files[0]} has no column {column!r}: {nearest(column, found_as)}")
    picked = ", ".join(
        f"CASE WHEN {quoted(found_as[c])}::VARCHAR IN {MISSING} THEN NULL"
        f" ELSE {quoted(found_as[c])}::VARCHAR END AS {quoted(c)}"
        for c in columns
    )
    con.execute(f"CREATE VIEW {table} AS SELECT {picked} FROM {source}")


def scalar(con: duckdb.DuckDBPyConnection, query: str, files: Sequence[Path]) -> tuple | None:
    """The first row of a query; a file that breaks while being read is named."""
    try:
        return con.execute(query).fetchone()
    except duckdb.Error as error:
        raise InputError(f"{files[0]} cannot be read: {str(error).splitlines()[0]}") from None


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


def moment(
    con: duckdb.DuckDBPyConnection, table: str, column: str, files: Sequence[Path]
) -> tuple[str, bool]:
    """The column as a time, and whether it is a day: order numbers stay, dates become days."""
    value = quoted(column)
    number = f"TRY_CAST({value} AS BIGINT)"
    if not first_bad(con, table, column, f"{number} IS NULL", files):
        return number, False
    day = f"TRY_CAST({value} AS TIMESTAMP)::DATE"
    what = "an order number or a date such as 2024-03-31"
    return require(con, table, column, day, what, files), True
