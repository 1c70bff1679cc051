"""Every recorded method of a dataset in one list, best first, each group about the same users."""

import pandas as pd

from nnbr_core.analysis.comparisons import Comparison, compare_rows
from nnbr_core.analysis.methods import Method, every_row
from nnbr_core.analysis.rows import CHOICE, Row, over_same_users, ranked
from nnbr_core.analysis.study import Study
from nnbr_core.errors import InputError
from nnbr_core.runs.lookup import SHORT
from nnbr_core.runs.records import Record


def leaderboard(study: Study, metric: str = CHOICE) -> list[pd.DataFrame]:
    """One table per group of methods that are recorded for the same folds; most folds first."""
    rows = study.rows(every_row())
    return [_table(group, metric) for group in over_same_users(rows)]


def _table(group: dict[str, Row], metric: str) -> pd.DataFrame:
    table = {}
    for name in ranked(group, metric):
        row = group[name]
        low, high = row.interval(metric)
        table[name] = {
            metric: row.mean(metric),
            "low": low,
            "high": high,
            "users": int(row.values(metric).notna().sum()),
            "folds": row.folds,
            "records": " ".join(one[:SHORT] for one in row.ids),
        }
    return pd.DataFrame.from_dict(table, orient="index")


def compare_records(a: Record, b: Record, metric: str = CHOICE) -> Comparison:
    """One run over another, for the same users."""
    one, other = (
        f"fold {record.config['fold']} of {record.dataset}, data {record.data}" for record in (a, b)
    )
    if one != other:
        both = f"{a.id[:SHORT]} and {b.id[:SHORT]}"
        raise InputError(f"{both} are about other users: {one}; {other}")
    rows = [Row(Method(one.id[:SHORT], one.config["model"]), (one,)) for one in (a, b)]
    return compare_rows(*rows, metric)
