"""Tables: ours beside the paper's, numbers with intervals, differences with tests.

Every number of a table goes through the same few formatters, at the top.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from nnbr_core.analysis import paper
from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.analysis.outcomes import directional
from nnbr_core.analysis.rows import CHOICE, Row, over_same_users, ranked
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import statistics
from nnbr_core.runs.records import Record

DECIMALS = paper.DECIMALS | {"epochs": 1, "share of the peak": 3}  # of units that are no scores
COUNTS = ("items", "users")
PER_FOLD = ("epochs", "share of the peak")  # one number per run, not per user
HEADLINE = paper.METRICS
NONE = "–"
NO_BREAK = "\u00a0"  # a space that keeps an interval on one line
BEST = (" ¹", " ²")  # best and second best


def score(value: float, decimals: int = 4, signed: bool = False) -> str:
    """A score as the paper prints it: .0587, or +.0012 for a difference."""
    if np.isnan(value):
        return NONE
    rounded = round(value, decimals) + 0.0  # no "-.0000"
    return f"{rounded:{'+' if signed else ''}.{decimals}f}".replace("0.", ".", 1)


def change(value: float, unit: str) -> str:
    """A signed difference at the digits that fit what is measured."""
    if unit in COUNTS:
        return f"{value:+,.0f}"
    return score(value, DECIMALS.get(unit, 4), signed=True)


def with_error(value: float, low: float, high: float) -> str:
    """A score and half of its 95 % interval."""
    return f"{score(value)}{NO_BREAK}±{NO_BREAK}{score((high - low) / 2)}"


def span(one: Comparison) -> str:
    """The interval of a difference; counts have none, nor have equal results."""
    if one.is_missing or one.low == one.high:
        return NONE
    return f"[{change(one.low, one.metric)},{NO_BREAK}{change(one.high, one.metric)}]"


def difference(one: Comparison) -> str:
    """The difference and what it is measured in; recall@10 goes without saying."""
    unit = "" if one.metric in ("recall@10", one.label) else f" {one.metric}"
    return NONE if one.is_missing else change(one.difference, one.metric) + unit


def p_value(p: float) -> str:
    return NONE if np.isnan(p) else f"{p:.2g}"


def percent(value: float) -> str:
    return NONE if np.isnan(value) or np.isinf(value) else f"{value:+.1%}"


def dataset_table(baskets: Baskets, name: str) -> pd.DataFrame:
    """The paper's dataset table: our row, and the paper's where it has one."""
    return statistics_table(statistics(baskets), name)


def statistics_table(ours: Mapping[str, float], name: str) -> pd.DataFrame:
    """The same from statistics that are already known."""
    rows = {f"{name}, here": ours, f"{name}, paper": paper.dataset_row(name)}
    shown = {
        where: {k: f"{value:,.{paper.DECIMALS[k]}f}" for k, value in row.items()}
        for where, row in rows.items()
        if len(row)
    }
    return pd.DataFrame(shown).T


def method_table(
    rows: dict[str, Row],
    dataset: str,
    metrics: Sequence[str] = HEADLINE,
    is_preview: bool = False,
) -> pd.DataFrame:
    """One row per method: mean over test users ± half its 95 % interval, in brackets the paper's.

    All rows are about the same users; ¹ and ² are the best two of a column. Previews rank nobody.
    """
    table = pd.DataFrame(index=list(rows))
    is_printed = bool(paper.known_as(dataset))
    for metric in metrics:
        marks = {} if is_preview else dict(zip(ranked(rows, metric), BEST, strict=False))
        cells = []
        for name, row in rows.items():
            ours = with_error(row.mean(metric), *row.interval(metric)) + marks.get(name, "")
            theirs = f" ({score(paper.printed(row.method, dataset, metric))})" * is_printed
            cells.append(ours + theirs)
        table[metric + " (paper)" * is_printed] = cells
    table["settings"] = [row.n_settings for row in rows.values()]
    return table


def method_tables(
    rows: dict[str, Row],
    dataset: str,
    metrics: Sequence[str] = HEADLINE,
    is_preview: bool = False,
) -> dict[str, pd.DataFrame]:
    """One table for all rows that are about the same users, under a heading that says which."""
    found = {}
    for group in over_same_users(rows):
        one = next(iter(group.values()))
        n_users = int(one.values(metrics[0]).notna().sum())
        folds = "1 fold" if one.folds == 1 else f"{one.folds} folds"
        found[f"{folds}, {n_users:,} users"] = method_table(group, dataset, metrics, is_preview)
    return found


def replication(one: Comparison) -> str:
    """How it compares with the paper's difference, whichever way that goes; a dash without one."""
    if np.isnan(one.printed) or one.printed == 0:
        return NONE
    return directional(one if one.printed > 0 else one.reversed())


def comparison_table(comparisons: Sequence[Comparison], is_preview: bool = False) -> pd.DataFrame:
    """One row per comparison: the first minus the second, for the same users.

    The result rests on the paired t-test, Holm-corrected over all comparisons of the page;
    Wilcoxon's test asks the same without assuming a distribution. `paper` is the difference it
    prints (at the size of our reference where the data is a sample).
    """
    rows = [
        {
            "difference": difference(one),
            "95 % interval": span(one),
            "relative": percent(one.relative),
            "p Holm": p_value(one.p_holm),
            "p Wilcoxon": p_value(one.p_wilcoxon),
            "result": one.result,
            "paper": score(one.printed, signed=True),
            "replication": replication(one),
            "users": f"{one.n:,} ({one.folds} fold{'s' * (one.folds > 1)})",
        }
        for one in comparisons
    ]
    table = pd.DataFrame(rows, index=[one.label for one in comparisons])
    return table.drop(columns=["result", "replication"]) if is_preview else table


def overview(rows: Mapping[str, dict[str, Row]], metric: str) -> str:
    """Methods down, datasets across, as Markdown: means ± half a 95 % interval.

    Every column is about the same users: rows that have fewer folds are left out.
    """
    groups = {
        dataset: groups[0] for dataset, own in rows.items() if (groups := over_same_users(own))
    }
    names = list(dict.fromkeys(name for own in rows.values() for name in own))
    lines = [["", *groups], ["---"] * (1 + len(groups))]
    for name in names:
        cells = [
            with_error(own[name].mean(metric), *own[name].interval(metric)) if name in own else NONE
            for own in groups.values()
        ]
        lines.append([name, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def seed_table(found: Mapping[str, Sequence[Record]], metric: str = CHOICE) -> pd.DataFrame:
    """How much a seed matters, beside how much the choice of users does; fold 0, test users."""
    rows = {}
    for name, records in found.items():
        scores = [record.test[metric] for record in records]
        rows[name] = {f"seed {one.config['seed']}": score(one.test[metric]) for one in records} | {
            "mean": score(float(np.mean(scores))),
            "standard deviation over seeds": score(float(np.std(scores, ddof=1))),
            "standard error over users": score(float(records[0].per_user()[metric].sem())),
        }
    return pd.DataFrame(rows).T.fillna(NONE)


def shared_users(row: Row) -> pd.DataFrame:
    """Of the test users of fold 0, the share that each other fold tests too."""
    users = [set(record.per_user().index) for record in row.records]
    shared = {
        f"fold {n}": f"{len(users[0] & other) / len(users[0]):.0%}"
        for n, other in enumerate(users[1:], start=1)
    }
    return pd.DataFrame(shared, index=["test users shared with fold 0"])


def public_code_table(
    theirs: pd.DataFrame, ours: Mapping[tuple[str, int], Record | None]
) -> pd.DataFrame:
    """Test recall@10 of the published code, run here, beside the same runs of this one."""
    rows = {}
    for one in theirs.itertuples():
        if record := ours.get((one.strategy, one.fold)):
            here = record.test[CHOICE]
            rows[f"{one.strategy}, fold {one.fold}"] = {
                "public code": score(one.value),
                "here": score(here),
                "difference": score(here - one.value, signed=True),
                "standard error over users": score(float(record.per_user()[CHOICE].sem())),
            }
    return pd.DataFrame(rows).T


def rank_table(rows: dict[str, dict[str, Row]], metric: str) -> pd.DataFrame:
    """Place of every method on every dataset, 1 is best; NaN where it is not recorded.

    Over the users that all recorded methods of a dataset share.
    """
    places = {}
    for dataset, own in rows.items():
        groups = over_same_users(own)
        order = ranked(groups[-1], metric) if groups else []
        places[dataset] = {name: place for place, name in enumerate(order, start=1)}
    methods = list(dict.fromkeys(name for own in rows.values() for name in own))
    return pd.DataFrame(places, index=methods, dtype="Int64")
