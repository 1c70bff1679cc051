"""The paper's tables as data, to put beside ours.

The paper prints nDCG as its code computes it (the ideal list is not cut at K), which is
`ndcg_code` here: look-ups use our names.
"""

from functools import cache
from pathlib import Path

import pandas as pd

from nnbr_core.errors import choose

TABLES = Path(__file__).parent / "paper_tables"
DATASETS = ("tafeng", "dunnhumby", "instacart")
DECIMALS = {"items": 0, "users": 0, "avg_basket_size": 2, "avg_baskets_per_user": 2}
DECIMALS |= {"repeat_ratio": 3, "explore_ratio": 3}  # of its dataset table
METRICS = ("recall@10", "ndcg_code@10", "recall@20", "ndcg_code@20")  # what it prints


@cache
def table(name: str) -> pd.DataFrame:
    """`datasets`, `baselines` or `btbr`, one row per printed number; metrics under our names."""
    choose("table of the paper", name, ["datasets", "baselines", "btbr"])
    found = pd.read_csv(TABLES / f"{name}.csv")
    if "metric" in found:
        found["metric"] = found["metric"].str.replace("ndcg@", "ndcg_code@")
    return found


def dataset_row(dataset: str) -> dict[str, float]:
    """The paper's statistics of a dataset; empty if the paper does not use it."""
    rows = table("datasets").set_index("dataset")
    return rows.loc[dataset].to_dict() if dataset in rows.index else {}


def baseline(dataset: str, method: str, labels: str, metric: str) -> float:
    """A printed score of a baseline; NaN where the paper prints none."""
    return _value("baselines", dataset=dataset, method=method, train_labels=labels, metric=metric)


def strategy(dataset: str, name: str, metric: str) -> float:
    """A printed score of a BTBR strategy, or of `best_baseline`; NaN where there is none."""
    return _value("btbr", dataset=dataset, strategy=name, metric=metric)


def _value(name: str, **where: str) -> float:
    rows = table(name)
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return float(rows["value"].iloc[0]) if len(rows) else float("nan")
