"""A source shaped like the full Instacart, of any number of users: for measuring growth.

Orders per user, items per order, popularity and the share of repeats follow the real files; who
likes what does not, so that no score on it means anything.
"""

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

REAL_USERS = 206_209  # of the full Instacart
PRODUCTS = 49_688
ORDERS = {"median": 10, "deviation": 0.95, "least": 3, "most": 100}  # per user
SIZES = {"median": 8, "deviation": 0.75, "least": 1, "most": 80}  # items per order
POPULARITY = {"shift": 2, "power": 0.75, "cut_off": 10_000}  # share ~ (rank + shift)^-power e^..
MOST_REPEATS = 0.78  # share of repeats in the orders of a user who has been here for long
FORGETTING = 1.5  # orders until the share of repeats has come half the way


def _skewed(shape: dict, n: int, rng: np.random.Generator) -> np.ndarray:
    """int64 [n]: whole numbers with many small ones and a long tail."""
    drawn = rng.lognormal(np.log(shape["median"]), shape["deviation"], n)
    return drawn.round().clip(shape["least"], shape["most"]).astype(np.int64)


def _popular(n: int, rng: np.random.Generator) -> np.ndarray:
    """int64 [n]: products drawn by popularity; which number is popular is random."""
    rank = np.arange(PRODUCTS)
    share = (rank + POPULARITY["shift"]) ** -POPULARITY["power"]
    total = np.cumsum(share * np.exp(-rank / POPULARITY["cut_off"]))
    drawn = np.searchsorted(total, rng.random(n) * total[-1])
    return rng.permutation(PRODUCTS)[drawn.clip(max=PRODUCTS - 1)]


def purchases(n_users: int, seed: int = 0) -> pd.DataFrame:
    """One row per item of an order: user, number (of the order, from 1), order, product.

    Whoever repeats buys something from a random place of all earlier orders: what was bought
    often is bought again.
    """
    rng = np.random.default_rng(seed)
    n_orders = _skewed(ORDERS, n_users, rng)
    first_order = np.cumsum(n_orders) - n_orders
    user = np.repeat(np.arange(n_users), n_orders)  # of each order
    number = np.arange(len(user)) - first_order[user]  # of each order, from 0
    size = _skewed(SIZES, len(user), rng)
    end = np.cumsum(size)
    start = end - size
    before = start - start[first_order][user]  # items of earlier orders
    product = _popular(end[-1], rng)
    for n in range(1, n_orders.max()):
        some = np.flatnonzero(number == n)
        order = np.repeat(some, size[some])
        row = np.arange(len(order)) - np.repeat(np.cumsum(size[some]) - size[some], size[some])
        row += start[order]
        is_repeat = rng.random(len(order)) < MOST_REPEATS * n / (n + FORGETTING)
        order, row = order[is_repeat], row[is_repeat]
        earlier = start[order] - before[order] + (rng.random(len(row)) * before[order]).astype(int)
        product[row] = product[earlier]
    key = np.unique(np.repeat(np.arange(len(user)), size) * PRODUCTS + product)
    order = key // PRODUCTS
    return pd.DataFrame(
        {
            "user": user[order],
            "number": number[order] + 1,
            "order": order,
            "product": key % PRODUCTS,
        }
    )


def write_instacart(folder: Path, n_users: int, seed: int = 0) -> int:
    """Write the six files of Instacart into a new `folder`; returns how many rows were bought."""
    folder.mkdir(parents=True)
    bought = purchases(n_users, seed)
    named = (
        f"SELECT range AS product_id, 'product ' || range AS product_name FROM range({PRODUCTS})"
    )
    files = {
        "orders": 'SELECT DISTINCT "order" AS order_id, user AS user_id, number AS order_number'
        " FROM bought",
        "order_products__prior": 'SELECT "order" AS order_id, product AS product_id FROM bought',
        "order_products__train": "SELECT 0 AS order_id, 0 AS product_id WHERE false",
        "products": f"SELECT *, 1 AS aisle_id, 1 AS department_id FROM ({named})",
        "aisles": "SELECT 1 AS aisle_id, 'an aisle' AS aisle",
        "departments": "SELECT 1 AS department_id, 'a department' AS department",
    }
    with duckdb.connect() as con:
        con.register("bought", bought)
        for name, query in files.items():
            con.execute(f"COPY ({query}) TO '{folder / name}.csv' (HEADER)")
    return len(bought)
