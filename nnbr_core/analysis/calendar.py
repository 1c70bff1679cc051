"""The leak meter: how much of each method's score is calendar?

Split by users, a method may read what other shoppers bought on later days than the one it has to
predict. By calendar nothing from the cut-off on can be read. So every method is run both ways:

    users       told what sells at the end of the data
    calendar    told what was sold before today

The two have other shoppers and other targets, so scores stand side by side with intervals, and
what is compared is the lead over popularity, which is told nothing about the end either way.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from nnbr_core.analysis.methods import Method, baselines, each, references, strategies
from nnbr_core.analysis.rows import CHOICE, Row, over_same_users, ranked
from nnbr_core.analysis.study import Study
from nnbr_core.runs.config import CALENDAR, USERS, Config

YARDSTICK = "popularity"
LEAK_COLUMNS = ["method", "protocol", "value", "low", "high", "place", "lead", "n_users"]
PRIOR = "basket_all, recent sales"
REFERENCE = "user_knn"  # reads no dates: the same run in both tracks
DATED = ("recent_popularity", "time_item_knn", "time_user_knn")


def counting_methods() -> dict[str, Method]:
    """What is counted in seconds to minutes: with and without dates."""
    plain, known = references(), baselines()
    found = [known[YARDSTICK], plain["last_popularity, all"], Method(DATED[0], DATED[0])]
    found += [plain["item_knn"], Method(DATED[1], DATED[1])]
    found += [plain["user_knn"], Method(DATED[2], DATED[2])]
    found += [known[f"tifuknn, {labels}"] for labels in ("all", "explore")]
    return {method.name: method for method in found}


def trained_methods() -> dict[str, Method]:
    """What is trained for minutes to hours; the last one reads dates."""
    found = [baselines()["dream, all"], strategies()["basket_all"], strategies()["item_select"]]
    found.append(Method(PRIOR, "btbr_recent", each(masking="basket_all")))
    return {method.name: method for method in found}


def told_methods() -> dict[str, Method]:
    """The track in which the day of the visit is known: what reads dates, beside user kNN."""
    every = counting_methods() | trained_methods()
    return {name: every[name] for name in (*DATED, PRIOR, REFERENCE)}


def both_protocols(study: Study) -> dict[str, Study]:
    """The same study split either way, over as many folds or cut-offs, if there are so many."""
    found = {name: replace(study, protocol=name) for name in (USERS, CALENDAR)}
    return {name: one.over(min(study.folds, one.facts.n_folds)) for name, one in found.items()}


def calendar_configs(study: Study) -> list[Config]:
    """All runs behind the leak meter, both ways, and those that are told the day of the visit."""
    wanted, told = counting_methods() | trained_methods(), told_methods()
    found = []
    for one in both_protocols(replace(study, visit_date="unknown")).values():
        found += [config for method in wanted.values() for config in one.configs(method)]
        known = replace(one, visit_date="known")
        found += [config for method in told.values() for config in known.configs(method)]
    return found


def _complete(rows: dict[str, Row]) -> dict[str, Row]:
    """Those on the most folds: all are about the same shoppers."""
    return next(iter(over_same_users(rows)), {})


def leak_table(by_users: dict[str, Row], by_calendar: dict[str, Row]) -> pd.DataFrame:
    """One row per method and protocol, of methods that are recorded both ways on all folds.

    `place` counts from the best of that protocol; `lead` is the value over popularity's.
    """
    found = []
    whole = {USERS: _complete(by_users), CALENDAR: _complete(by_calendar)}
    for protocol, rows in whole.items():
        there = {
            name: row for name, row in rows.items() if all(name in one for one in whole.values())
        }
        places = {name: place for place, name in enumerate(ranked(there, CHOICE), start=1)}
        base = there[YARDSTICK].mean(CHOICE) if YARDSTICK in there else np.nan
        for name, row in there.items():
            low, high = row.interval(CHOICE)
            cells = {"value": row.mean(CHOICE), "low": low, "high": high, "place": places[name]}
            cells["lead"] = cells["value"] / base
            cells["n_users"] = int(row.values(CHOICE).notna().sum())
            found.append({"method": name, "protocol": protocol} | cells)
    return pd.DataFrame(found, columns=LEAK_COLUMNS)


def order_agreement(table: pd.DataFrame) -> float:
    """Spearman's rank correlation of the two orders of a leak table: 1 is the same order."""
    places = table.pivot(index="method", columns="protocol", values="place")
    if len(places) < 2:
        return float("nan")
    return float(places.rank().corr(method="pearson").loc[USERS, CALENDAR])
