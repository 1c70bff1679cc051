"""What a dataset looks like: the paper's table, and how much of a basket is novel."""

import numpy as np
import pandas as pd

from nnbr_core.data.baskets import Baskets


def is_repeat(baskets: Baskets) -> np.ndarray:
    """bool [n_tokens]: has this user bought this item in an earlier basket?

    {3, 5}, {5, 2} gives no, no, yes, no.
    """
    key = baskets.user_of_token * np.int64(baskets.n_items) + baskets.items
    _, first = np.unique(key, return_index=True)
    repeat = np.ones(len(key), dtype=bool)
    repeat[first] = False
    return repeat


def basket_table(baskets: Baskets) -> pd.DataFrame:
    """One row per basket: user, number (from 1), size, repeat_ratio, is_last."""
    n_before = np.repeat(baskets.user_ptr[:-1], baskets.baskets_per_user)
    last = np.repeat(baskets.user_ptr[1:], baskets.baskets_per_user) - 1
    n_repeat = np.add.reduceat(is_repeat(baskets).astype(np.int64), baskets.basket_ptr[:-1])
    here = np.arange(baskets.n_baskets)
    return pd.DataFrame(
        {
            "user": baskets.user_of_basket,
            "number": here - n_before + 1,
            "size": baskets.basket_sizes,
            "repeat_ratio": n_repeat / baskets.basket_sizes,
            "is_last": here == last,
        }
    )


def statistics(baskets: Baskets) -> dict[str, float]:
    """The paper's dataset table: one row, every ratio about the last basket."""
    table = basket_table(baskets)
    repeat = table.loc[table["is_last"], "repeat_ratio"]
    return {
        "items": baskets.n_items,
        "users": baskets.n_users,
        "avg_basket_size": len(baskets.items) / baskets.n_baskets,
        "avg_baskets_per_user": baskets.n_baskets / baskets.n_users,
        "repeat_ratio": repeat.mean(),
        "explore_ratio": 1 - repeat.mean(),
    }


def last_basket_table(baskets: Baskets) -> pd.DataFrame:
    """One row per user: history length, and how much of the last basket is novel."""
    table = basket_table(baskets)
    last = table[table["is_last"]].set_index("user")
    return pd.DataFrame(
        {
            "n_history": last["number"] - 1,
            "size": last["size"],
            "repeat_ratio": last["repeat_ratio"],
            "n_novel": (last["size"] * (1 - last["repeat_ratio"])).round().astype(int),
        }
    )


def popular_overlap(baskets: Baskets, ns: tuple[int, ...] = (10, 20, 50, 100, 200)) -> pd.DataFrame:
    """How many of the n most bought items of histories are also among those of last baskets.

    Far below 1 means that last baskets are drawn from another season or shelf than histories:
    then knowing the season is worth more than knowing the shopper.
    """
    ns = tuple(n for n in ns if n <= baskets.n_items)
    best = [
        np.argsort(-part.item_counts(), kind="stable")
        for part in (baskets.histories(), baskets.targets())
    ]
    shared = [len(np.intersect1d(best[0][:n], best[1][:n])) / n for n in ns]
    return pd.DataFrame({"n": ns, "overlap": shared})


def popularity_shift(baskets: Baskets, n: int = 10) -> pd.DataFrame:
    """The items whose share of purchases grows most from histories to last baskets, in percent."""
    shares = [
        100 * part.item_counts() / len(part.items)
        for part in (baskets.histories(), baskets.targets())
    ]
    table = baskets.catalogue[["name", "group"]].assign(history=shares[0], last=shares[1])
    change = table["last"] - table["history"]
    return table.assign(change=change).nlargest(n, "change").reset_index(drop=True)


def lateness(histories: Baskets, last: Baskets) -> np.ndarray:
    """float32 [items]: log(p_last / p_all), how much more of an item last baskets hold.

    p_last is an item's share of all purchases in last baskets, p_all that in histories. History
    counts are scaled to as many purchases as the last baskets hold, then both get one more: an
    item hardly ever bought is neither late nor early.

        bought 3 times in last baskets, expected 1 time   ->   log(4 / 2)
        bought 0 times in last baskets, expected 3 times  ->   log(1 / 4)
    """
    expected = histories.item_counts() * (len(last.items) / len(histories.items))
    return np.log((last.item_counts() + 1) / (expected + 1)).astype(np.float32)
