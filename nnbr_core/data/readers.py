"""One small reader per raw format. Each leaves two views behind, which `recipe.cook` reads:

rows(user, time, item, week) and names(item, name, group). What a reader found out on the way,
such as how dates are written, is what it returns.
"""

import zipfile
from pathlib import Path

import duckdb

from nnbr_core.data.dates import moments
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.rows import label, quoted, read_table, require, whole_number
from nnbr_core.errors import InputError

Connection = duckdb.DuckDBPyConnection


def _define(con: Connection, rows: str, names: str = "") -> None:
    nothing = 'SELECT NULL AS item, NULL AS name, NULL AS "group" WHERE false'
    con.execute(f"CREATE VIEW rows AS {rows}")
    con.execute(f"CREATE VIEW names AS {names or nothing}")


def _week(day: str, table: str) -> str:
    """Weeks counted from 1 at the first day there is."""
    return f"({day} - (SELECT min({day}) FROM {table})) // 7 + 1"


def tafeng_raw(con: Connection, files: list[Path], recipe: Recipe, scratch: Path) -> None:
    """Ta-Feng's four months in one CSV, zipped or not."""
    if files[0].suffix == ".zip":
        with zipfile.ZipFile(files[0]) as archive:
            members = [name for name in archive.namelist() if name.endswith(".csv")]
            if not members:
                raise InputError(f"{files[0]} holds no CSV file")
            unzipped = Path(archive.extract(members[0], scratch))
    else:
        unzipped = files[0]
    columns = ["TRANSACTION_DT", "CUSTOMER_ID", "PRODUCT_ID", "PRODUCT_SUBCLASS"]
    read_table(con, "raw", [unzipped], columns)
    day = "try_strptime(TRANSACTION_DT, '%m/%d/%Y')::DATE"
    require(con, "raw", "TRANSACTION_DT", day, "a date such as 11/30/2000", files)
    _define(
        con,
        f"SELECT CUSTOMER_ID AS user, {day} AS time, PRODUCT_ID AS item,"
        f" {_week(day, 'raw')} AS week FROM raw",
        "SELECT PRODUCT_ID AS item, NULL AS name, 'subclass ' || min(PRODUCT_SUBCLASS) AS \"group\""
        " FROM raw GROUP BY item",
    )


def dunnhumby(con: Connection, files: list[Path], recipe: Recipe, scratch: Path) -> None:
    """Let's Get Sort-of-Real: one file a week; many rows have no customer."""
    columns = ["CUST_CODE", "SHOP_DATE", "PROD_CODE", "PROD_CODE_10", "SHOP_WEEK"]
    read_table(con, "raw", files, columns)
    day = "try_strptime(SHOP_DATE, '%Y%m%d')::DATE"
    require(con, "raw", "SHOP_DATE", day, "a date such as 20060430", files)
    _define(
        con,
        f"SELECT CUST_CODE AS user, {day} AS time, PROD_CODE AS item,"
        " TRY_CAST(SHOP_WEEK AS BIGINT) AS week FROM raw",
        'SELECT PROD_CODE AS item, NULL AS name, min(PROD_CODE_10) AS "group"'
        " FROM raw GROUP BY item",
    )


def instacart(con: Connection, files: list[Path], recipe: Recipe, scratch: Path) -> None:
    """The 2017 files: orders of the test set have no products and drop out of the join."""
    orders, prior, train, products, aisles, departments = files
    read_table(con, "orders", [orders], ["order_id", "user_id", "order_number"])
    read_table(con, "ordered", [prior, train], ["order_id", "product_id"])
    named = ["product_id", "product_name", "aisle_id", "department_id"]
    read_table(con, "products", [products], named)
    read_table(con, "aisles", [aisles], ["aisle_id", "aisle"])
    read_table(con, "departments", [departments], ["department_id", "department"])
    user = whole_number(con, "orders", "user_id", [orders])
    time = whole_number(con, "orders", "order_number", [orders])
    item = whole_number(con, "ordered", "product_id", [prior, train])
    _define(
        con,
        f"SELECT {user} AS user, {time} AS time, {item} AS item, NULL::BIGINT AS week"
        " FROM ordered JOIN orders USING (order_id)",
        "SELECT TRY_CAST(product_id AS BIGINT) AS item, min(product_name) AS name,"
        " min(department || ' / ' || aisle) AS \"group\" FROM products"
        " LEFT JOIN aisles USING (aisle_id) LEFT JOIN departments USING (department_id)"
        " GROUP BY item",
    )


def completejourney(con: Connection, files: list[Path], recipe: Recipe, scratch: Path) -> None:
    """A year of a grocer's loyalty-card rows, with product names."""
    transactions, products = files
    columns = ["household_id", "transaction_timestamp", "product_id", "week"]
    read_table(con, "raw", [transactions], columns)
    named = ["product_id", "product_type", "package_size", "department"]
    read_table(con, "products", [products], named)
    user = whole_number(con, "raw", "household_id", [transactions])
    item = whole_number(con, "raw", "product_id", [transactions])
    _define(
        con,
        f"SELECT {user} AS user, TRY_CAST(transaction_timestamp AS TIMESTAMP)::DATE AS time,"
        f" {item} AS item, TRY_CAST(week AS BIGINT) AS week FROM raw",
        "SELECT TRY_CAST(product_id AS BIGINT) AS item,"
        " min(regexp_replace(concat_ws(', ', lower(product_type), lower(package_size)),"
        " ' +', ' ', 'g')) AS name,"
        ' min(lower(department)) AS "group" FROM products GROUP BY item',
    )


def _own_columns(recipe: Recipe, path: Path) -> tuple[dict[str, str], dict[str, str | None]]:
    """Which column is which; three are needed, and none may serve as two of them."""
    wanted = {"user": recipe.user_column, "time": recipe.time_column, "item": recipe.item_column}
    unnamed = [f"{name}_column" for name, column in wanted.items() if not column]
    if unnamed:
        raise InputError(f"{path}: say which column is which: {', '.join(unnamed)} not given")
    labels = {"name": recipe.name_column, "group": recipe.group_column}
    taken = {}
    for name, column in [*wanted.items(), *((n, c) for n, c in labels.items() if c)]:
        first = taken.setdefault(column, name)
        if first != name and {first, name} - {"item", "name", "group"}:
            raise InputError(f"{path}: column {column!r} cannot be both {first} and {name}")
    return wanted, labels


def own_file(con: Connection, files: list[Path], recipe: Recipe, scratch: Path) -> dict:
    """Any CSV or parquet file with a user, a time and an item column."""
    wanted, labels = _own_columns(recipe, files[0])
    columns = filter(None, [*wanted.values(), *labels.values()])
    read_table(con, "raw", files, list(dict.fromkeys(columns)), recipe.encoding)
    user = label(con, "raw", recipe.user_column, files)
    item = label(con, "raw", recipe.item_column, files)
    time = moments(con, "raw", recipe.time_column, files, recipe.date_format)
    week = _week(time.expression, "raw") if time.is_day else "NULL::BIGINT"
    picked = ", ".join(
        f"{f'min({quoted(column)})' if column else 'NULL'} AS {quoted(name)}"
        for name, column in labels.items()
    )
    _define(
        con,
        f"SELECT {user} AS user, {time.expression} AS time, {item} AS item, {week} AS week"
        " FROM raw",
        f"SELECT {item} AS item, {picked} FROM raw GROUP BY 1",
    )
    return {"date_format": time.date_format} if time.is_day else {}
