"""The paper's filters: purchase rows -> Baskets.

Everything runs inside DuckDB, which spills to disk: 32 million rows need no 32 million row frame.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import duckdb
import numpy as np

from nnbr_core.data.baskets import LABELS, Baskets
from nnbr_core.errors import InputError

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
class Recipe:
    """How rows become baskets. None means: as the paper does for this source and size."""

    min_baskets: int = 3  # users with fewer are dropped
    max_baskets: int = 50  # users with more are dropped
    min_item_count: int | None = None  # history baskets an item must lie in; None: 17 or 5 by size
    first_users: float | None = None  # share of user ids kept, lowest first; None: by source
    weeks: str | None = None  # such as "200609-200616", in the source's own numbers
    window_weeks: int = 0  # cut into windows of this many weeks, each a sequence; 0: do not
    user_column: str | None = None  # the three columns of a file of your own
    time_column: str | None = None  # a date (one basket a day) or an order number
    item_column: str | None = None
    name_column: str | None = None  # optional: the item's name
    group_column: str | None = None  # optional: the item's group

    def __post_init__(self) -> None:
        if not 2 <= self.min_baskets <= self.max_baskets:
            raise InputError(
                f"min_baskets {self.min_baskets} and max_baskets {self.max_baskets}: "
                "at least 2, and not more than the maximum"
            )
        if self.min_item_count is not None and self.min_item_count < 1:
            raise InputError(f"min_item_count {self.min_item_count}: at least 1")
        if self.first_users is not None and not 0 < self.first_users <= 1:
            raise InputError(f"first_users {self.first_users}: a share above 0, at most 1")
        if self.window_weeks < 0:
            raise InputError(f"window_weeks {self.window_weeks}: 0 for one window, or more")
        self.week_range  # noqa: B018 - raises if `weeks` cannot be read

    @property
    def week_range(self) -> tuple[int, int] | None:
        if self.weeks is None:
            return None
        first, dash, last = str(self.weeks).partition("-")
        if not (first.isdigit() and (last.isdigit() if dash else True)):
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
    tokens = con.execute(
        "SELECT number::INTEGER AS item, dense_rank() OVER (ORDER BY user, win, time) AS basket,"
        " dense_rank() OVER (ORDER BY user, win) AS sequence"
        " FROM kept JOIN numbers USING (item) ORDER BY basket, number"
    ).fetchnumpy()
    first_token = np.flatnonzero(np.diff(tokens["basket"], prepend=0))
    sequence = tokens["sequence"][first_token]  # of each basket
    catalogue = con.execute(
        "SELECT item::VARCHAR AS id, coalesce(name, item::VARCHAR) AS name,"
        ' coalesce("group", \'\') AS "group"'
        " FROM numbers LEFT JOIN names USING (item) ORDER BY number"
    ).df()
    users = con.execute(
        "SELECT user::VARCHAR AS id FROM (SELECT DISTINCT user, win FROM kept) ORDER BY user, win"
    ).fetchnumpy()
    return Baskets(
        items=tokens["item"].astype(np.int32),
        basket_ptr=np.append(first_token, len(tokens["item"])).astype(np.int64),
        user_ptr=np.append(np.flatnonzero(np.diff(sequence, prepend=0)), len(sequence)),
        catalogue=catalogue[LABELS],
        user_ids=users["id"].astype(str),
    )


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
    return _to_baskets(con).check(where), notes
