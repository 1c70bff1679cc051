"""What dates tell about a dataset: when people come, and when what sells."""

import numpy as np
import pandas as pd

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.calendar import WEEK
from nnbr_core.data.describe import basket_table

UNIT = "datetime64[D]"  # of `Baskets.days`


def _weeks(baskets: Baskets) -> np.ndarray:
    """int [n_baskets]: the week of each basket, counted from 0 at the first day there is."""
    return (baskets.dated - baskets.dated.min()) // WEEK


def _first_days(baskets: Baskets, weeks: np.ndarray) -> np.ndarray:
    """The dates on which these weeks begin."""
    return (int(baskets.dated.min()) + WEEK * weeks).astype(UNIT)


def visits_per_week(baskets: Baskets) -> pd.DataFrame:
    """One row per week: week (its first day), visits, shoppers, items_per_visit.

    A last week that is not over shows as a drop; so does a source that lost some files.
    """
    week = _weeks(baskets)
    people = pd.factorize(baskets.user_ids)[0][baskets.user_of_basket]
    table = pd.DataFrame({"week": week, "shopper": people, "size": baskets.basket_sizes})
    found = table.groupby("week").agg(
        visits=("size", "size"), shoppers=("shopper", "nunique"), items_per_visit=("size", "mean")
    )
    found = found.reindex(range(int(week.max()) + 1))  # a week without a visit is a row too
    found[["visits", "shoppers"]] = found[["visits", "shoppers"]].fillna(0).astype(int)
    found.index = pd.Index(_first_days(baskets, found.index.to_numpy()), name="week")
    return found.reset_index()


def _gaps(baskets: Baskets) -> pd.DataFrame:
    """One row per basket that has one before it: gap (days since), repeat_ratio."""
    table = basket_table(baskets)
    gap = np.diff(baskets.dated, prepend=0)
    later = table["number"].to_numpy() > 1
    return pd.DataFrame(
        {"gap": gap[later], "repeat_ratio": table["repeat_ratio"].to_numpy()[later]}
    )


def days_between_visits(baskets: Baskets) -> pd.DataFrame:
    """One row per gap: days since the visit before, visits, share of all gaps.

    Peaks at 7, 14 and 21 are people with a shopping day.
    """
    gap = _gaps(baskets)["gap"]
    days, visits = np.unique(gap, return_counts=True)
    return pd.DataFrame({"days": days, "visits": visits, "share": visits / max(len(gap), 1)})


def repeat_by_gap(
    baskets: Baskets, edges: tuple[int, ...] = (1, 2, 4, 7, 8, 14, 15, 28, 56)
) -> pd.DataFrame:
    """One row per range of gaps: from_days, to_days, visits, repeat_ratio.

    How much of a basket was bought before, by how long ago the visit before was. Ranges begin
    at the edges; the last one is open, and its to_days is the longest gap there is.
    """
    table = _gaps(baskets)
    which = np.searchsorted(edges, table["gap"], side="right") - 1
    found = table.groupby(which).agg(visits=("gap", "size"), repeat_ratio=("repeat_ratio", "mean"))
    longest = max(int(table["gap"].max()), edges[-1]) if len(table) else edges[-1]
    last = np.append(np.array(edges[1:]) - 1, longest)
    found.insert(0, "from_days", np.array(edges)[found.index])
    found.insert(1, "to_days", last[found.index])
    return found.reset_index(drop=True)


def best_sellers_by_week(baskets: Baskets, n: int = 20) -> pd.DataFrame:
    """One row per item and week: item, name, week (its first day), share of that week's purchases.

    The n items most bought in any one week, in the order of that week: in a heatmap, items
    that sell all year come out as lines and seasonal ones as spots on a diagonal.
    """
    week = np.repeat(_weeks(baskets), baskets.basket_sizes)
    n_weeks = int(week.max()) + 1
    counts = np.zeros((baskets.n_items, n_weeks))
    np.add.at(counts, (baskets.items, week), 1)
    share = counts / np.maximum(counts.sum(axis=0), 1)
    best = np.argsort(-counts.max(axis=1), kind="stable")[:n]
    best = best[np.argsort(counts[best].argmax(axis=1), kind="stable")]
    return pd.DataFrame(
        {
            "item": np.repeat(best, n_weeks),
            "name": np.repeat(baskets.catalogue["name"].to_numpy()[best], n_weeks),
            "week": np.tile(_first_days(baskets, np.arange(n_weeks)), len(best)),
            "share": share[best].ravel(),
        }
    )


def last_basket_days(baskets: Baskets) -> pd.DataFrame:
    """One row per day: day, last_baskets, share_before: of last baskets, those on earlier days.

    The split by users lets a method read all of them: for a shopper whose last basket lies on
    a day with a small share_before, most of what it reads lies in the future.
    """
    day, count = np.unique(baskets.targets().dated, return_counts=True)
    before = (np.cumsum(count) - count) / count.sum()
    return pd.DataFrame({"day": day.astype(UNIT), "last_baskets": count, "share_before": before})


def last_basket_distances(baskets: Baskets) -> pd.DataFrame:
    """One row per distance: days apart, pairs, share, of the last baskets of two users.

    All pairs are counted, by correlating the days' counts with themselves.
    """
    day = baskets.targets().dated
    counts = np.bincount(day - day.min()).astype(np.float64)
    pairs = np.correlate(counts, counts, mode="full")[len(counts) - 1 :]
    pairs[0] = (counts * (counts - 1) / 2).sum()
    days = np.flatnonzero(pairs > 0)
    total = max(pairs.sum(), 1)
    return pd.DataFrame(
        {"days": days, "pairs": pairs[days].astype(np.int64), "share": pairs[days] / total}
    )
