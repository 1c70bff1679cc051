"""The paper's filters: purchase rows -> Baskets.

Everything runs inside DuckDB, which spills to disk: 32 million rows need no 32 million row frame.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import duckdb
import numpy as np

from nnbr_core.data.baskets import LABELS, Baskets
from nnbr_core.errors import InputError
from nnbr_core.settings import Limits, Settings, setting

MANY_SEQUENCES = 10_000  # above this a dataset counts as large
MIN_ITEM_COUNT = {"large": 17, "small": 5}
Step = Callable[[str], None]  # is told what is being done

FIRST_USERS = 0.1  # share of user ids kept of a large source that asks for it, as in the paper


def changed(settings: Any) -> dict:
    """The fields of a settings dataclass that differ from their defaults."""
    return {
        f.name: getattr(settings, f.name)
        for f in fields(settings)
        if getattr(settings, f.name) != f.default
    }


@dataclass(frozen=True)
class Recipe(Settings):
    """How rows become baskets. None means: as the paper does for this source and size."""

    min_baskets: int = setting(3, "users with fewer are dropped", Limits(low=2))
    max_baskets: int = setting(50, "users with more are dropped", Limits(low=2))
    min_item_count: int | None = setting(
        None, "history baskets an item must lie in; None: 17 or 5 by size", Limits(low=1)
    )
    first_users: float | None = setting(
        None, "share of user ids kept, lowest first; None: by source", Limits(above=0, high=1)
    )
    weeks: str | None = setting(None, "such as 200609-200616, in the source's own numbers")
    window_weeks: int = setting(
        0, "cut into windows of so many weeks, each a sequence; 0: do not", Limits(low=0)
    )
    user_column: str | None = setting(None, "of a file of your own: who")
    time_column: str | None = setting(None, "a date (one basket a day) or an order number")
    item_column: str | None = setting(None, "of a file of your own: what")
    name_column: str | None = setting(None, "optional: the item's name")
    group_column: str | None = setting(None, "optional: the item's group")
    date_format: str | None = setting(
        None, "how your file writes days, such as %%d/%%m/%%Y; None: found out"
    )
    encoding: str | None = setting(
        None, "of your file's text, such as cp1252; None: UTF-8 or UTF-16"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_baskets > self.max_baskets:
            raise InputError(
                f"min_baskets = {self.min_baskets}: not more than max_baskets = {self.max_baskets}"
            )
        self.week_range  # noqa: B018 - raises if `weeks` cannot be read

    @property
    def week_range(self) -> tuple[int, int] | None:
        if self.weeks is None:
            return None
        first, dash, last = str(self.weeks).partition("-")
        is_number = [part.isascii() and part.isdigit() for part in (first, last)]
        if not (is_number[0] and (is_number[1] if dash else True)):
            raise InputError(f"weeks {self.weeks!r}: write them as first-last, such as 1-17")
        first, last = int(first), int(last or first)
        if first > last:
            raise InputError(f"weeks {self.weeks!r}: the first comes after the last")
        return first, last

    def changed(self) -> dict:
        """The settings that are not the default."""
        return changed(self)


def _drop_incomplete(con: duckdb.DuckDBPyConnection, recipe: Recipe) -> dict:
    """Table `bought`: distinct purchases (user, win, time, item), rows without an id dropped.

    `win` numbers the window; a last window with fewer weeks than asked for is left out.
    """
    n_rows = con.execute("SELECT count(*) FROM rows").fetchone()[0]
    complete = "user IS NOT NULL AND time IS NOT NULL AND item IS NOT NULL"
    if recipe.week_range:
        complete += " AND week BETWEEN {} AND {}".format(*recipe.week_range)
    win = "0"
    if recipe.window_weeks:
        if con.execute("SELECT count(week) FROM rows").fetchone()[0] == 0:
            raise InputError("window_weeks: this source has no dates to cut windows from")
        size = recipe.window_weeks
        win = f"(SELECT (number - 1) // {size} FROM numbered n WHERE n.week = rows.week)"
        con.execute(
            "CREATE TEMP TABLE numbered AS SELECT week, row_number() OVER (ORDER BY week) AS number"
            f" FROM (SELECT DISTINCT week FROM rows WHERE {complete} AND week IS NOT NULL)"
        )
        con.execute(
            "DELETE FROM numbered"
            f" WHERE number > (SELECT count(*) // {size} * {size} FROM numbered)"
        )
        complete += " AND week IN (SELECT week FROM numbered)"
    con.execute(
        f"CREATE TEMP TABLE bought AS SELECT DISTINCT user, {win} AS win, time, item"
        f" FROM rows WHERE {complete}"
    )
    return {"rows": n_rows, "purchases": con.execute("SELECT count(*) FROM bought").fetchone()[0]}


def _keep_sequences(
    con: duckdb.DuckDBPyConnection, recipe: Recipe, first_users_if_large: float
) -> dict:
    """Table `sequences` (user, win, last): users with a fitting number of baskets."""
    con.execute(
        "CREATE TEMP TABLE sequences AS SELECT user, win, max(time) AS last FROM bought"
        " GROUP BY user, win"
        f" HAVING count(DISTINCT time) BETWEEN {recipe.min_baskets} AND {recipe.max_baskets}"
    )
    n_sequences = con.execute("SELECT count(*) FROM sequences").fetchone()[0]
    size = "large" if n_sequences > MANY_SEQUENCES else "small"
    share = recipe.first_users or (first_users_if_large if size == "large" else 1.0)
    if share < 1:
        n_ids = con.execute("SELECT count(DISTINCT user) FROM bought").fetchone()[0]
        con.execute(
            "DELETE FROM sequences WHERE user NOT IN (SELECT DISTINCT user FROM bought"
            f" ORDER BY user LIMIT {math.ceil(share * n_ids)})"
        )
    return {
        "sequences": n_sequences,
        "first_users": share,
        "min_item_count": recipe.min_item_count or MIN_ITEM_COUNT[size],
    }


def _keep_items(con: duckdb.DuckDBPyConnection, recipe: Recipe, min_item_count: int) -> None:
    """Table `kept`: items bought often enough, then users who still have enough baskets.

    Items are counted in history baskets, never in a last basket. Both filters run once:
    a user dropped at the end is not taken off the item counts again.
    """
    con.execute(
        "CREATE TEMP TABLE kept AS SELECT b.* FROM bought b JOIN sequences USING (user, win)"
        " WHERE item IN (SELECT item FROM bought JOIN sequences USING (user, win)"
        f" WHERE time < last GROUP BY item HAVING count(*) >= {min_item_count})"
    )
    con.execute(
        "DELETE FROM kept WHERE (user, win) IN (SELECT (user, win) FROM kept GROUP BY user, win"
        f" HAVING count(DISTINCT time) < {recipe.min_baskets})"
    )


def _to_baskets(con: duckdb.DuckDBPyConnection) -> Baskets:
    """Number users, baskets and items in the order of their ids and read them out."""
    con.execute(
        "CREATE TEMP TABLE numbers AS SELECT item, row_number() OVER (ORDER BY item) - 1 AS number"
        " FROM (SELECT DISTINCT item FROM kept)"
    )
    # Sorted and grouped, not ranked: a window over 30 million rows does not fit into memory.
    items = con.execute(
        "SELECT number::INTEGER AS item FROM kept JOIN numbers USING (item)"
        " ORDER BY user, win, time, number"
    ).fetchnumpy()["item"]
    size = con.execute(
        "SELECT count(*) AS size FROM kept GROUP BY user, win, time ORDER BY user, win, time"
    ).fetchnumpy()["size"]
    catalogue = con.execute(
        "SELECT item::VARCHAR AS id, coalesce(name, item::VARCHAR) AS name,"
        ' coalesce("group", \'\') AS "group"'
        " FROM numbers LEFT JOIN names USING (item) ORDER BY number"
    ).df()
    users = con.execute(
        "SELECT user::VARCHAR AS id, count(DISTINCT time) AS n_baskets FROM kept"
        " GROUP BY user, win ORDER BY user, win"
    ).fetchnumpy()
    return Baskets(
        items=items,
        basket_ptr=np.cumsum(np.append(0, size), dtype=np.int64),
        user_ptr=np.cumsum(np.append(0, users["n_baskets"]), dtype=np.int64),
        catalogue=catalogue[LABELS],
        user_ids=users["id"].astype(str),
    )


def _days(con: duckdb.DuckDBPyConnection) -> np.ndarray | None:
    """int32 [n_baskets]: when each basket was bought; None if `time` is an order number."""
    baskets = "SELECT DISTINCT user, win, time FROM kept"
    if con.sql(f"SELECT time FROM ({baskets})").types[0] != "DATE":
        return None
    day = "(time - DATE '1970-01-01')::INTEGER"
    ordered = f"SELECT {day} AS day FROM ({baskets}) ORDER BY user, win, time"
    return con.execute(ordered).fetchnumpy()["day"].astype(np.int32)


def cook(
    con: duckdb.DuckDBPyConnection,
    recipe: Recipe,
    where: str,
    first_users_if_large: float = 1.0,
    step: Step = lambda name: None,
) -> tuple[Baskets, dict]:
    """Baskets, and notes on what was dropped, from the tables `rows` and `names`.

    `rows` has the columns user, time, item, week; `names` has item, name, group. In order:
    rows without an id go; a basket is what a user bought at one time, each item once; users
    with too few or too many baskets go; items in too few history baskets go; baskets and
    users that this empties go. Users and items are numbered in the order of their ids.
    """
    step("reading rows")
    notes = _drop_incomplete(con, recipe)
    step("counting baskets")
    notes |= _keep_sequences(con, recipe, first_users_if_large)
    if notes["sequences"] == 0:
        raise InputError(
            f"{where}: none of the {notes['rows']} rows is left, because no user has "
            f"{recipe.min_baskets} to {recipe.max_baskets} baskets"
        )
    step("counting items")
    _keep_items(con, recipe, notes["min_item_count"])
    if con.execute("SELECT count(*) FROM kept").fetchone()[0] == 0:
        raise InputError(
            f"{where}: none of the {notes['sequences']} users keeps {recipe.min_baskets} baskets "
            f"once items in fewer than {notes['min_item_count']} history baskets are dropped; "
            "a lower min_item_count would keep more"
        )
    step("numbering")
    return replace(_to_baskets(con), days=_days(con)).check(where), notes


def whole(
    con: duckdb.DuckDBPyConnection, recipe: Recipe, where: str, step: Step = lambda name: None
) -> tuple[Baskets, dict]:
    """Every basket there is, from the tables `rows` and `names`; only rows without an id go.

    Each of the filters in `cook` looks at all that a user or an item will ever do. A protocol
    with a cut-off day (calendar.py) may not know that, and filters at the cut-off itself.
    """
    step("reading rows")
    notes = _drop_incomplete(con, recipe)
    con.execute("CREATE TEMP VIEW kept AS SELECT * FROM bought")
    days = _days(con)
    if days is None:
        raise InputError(f"{where} has no dates, only the order of baskets: no day to cut at")
    if len(days) == 0:
        raise InputError(f"{where}: none of the {notes['rows']} rows is left")
    step("numbering")
    return replace(_to_baskets(con), days=days).check(where), notes
