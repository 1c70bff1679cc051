"""Tables: ours beside the paper's, numbers with intervals."""

import pandas as pd

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import statistics
from nnbr_core.experiments import paper
from nnbr_core.experiments.records import Record
from nnbr_core.experiments.study import per_user
from nnbr_core.significance import interval

DECIMALS = {"items": 0, "users": 0, "avg_basket_size": 2, "avg_baskets_per_user": 2}
RATIO_DECIMALS = 3
SCORE_DECIMALS = 4
HEADLINE = ("recall@10", "ndcg_code@10", "recall@20", "ndcg_code@20")


def _number(name: str, value: float) -> str:
    return f"{value:,.{DECIMALS.get(name, RATIO_DECIMALS)}f}"


def dataset_table(baskets: Baskets, name: str) -> pd.DataFrame:
    """The paper's dataset table: our row, and the paper's where it has one."""
    rows = {f"{name}, here": statistics(baskets)}
    if printed := paper.dataset_row(name):
        rows[f"{name}, paper"] = printed
    return pd.DataFrame(
        {row: {k: _number(k, v) for k, v in values.items()} for row, values in rows.items()}
    ).T


def score_table(
    methods: dict[str, list[Record]], metrics: tuple[str, ...] = HEADLINE
) -> pd.DataFrame:
    """One row per method: mean over users and 95 % interval of each metric, and what is behind it.

    Users tested in several folds are averaged first.
    """
    rows = {}
    for name, records in methods.items():
        row = {}
        for metric in metrics:
            values = per_user(records, metric).to_numpy()
            low, high = interval(values)
            mean = pd.Series(values).mean()
            row[metric] = f"{mean:.{SCORE_DECIMALS}f} [{low:.3f}, {high:.3f}]"
        row["users"] = int(per_user(records, metrics[0]).notna().sum())
        rows[name] = row | {"folds": len(records)}
    return pd.DataFrame(rows).T
