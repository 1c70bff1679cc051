"""The paper's tables as data, to put beside ours.

The paper prints nDCG as its code computes it (the ideal list is not cut at K), which is
`ndcg_code` here: look-ups use our names.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from nnbr_core.analysis.methods import Method
from nnbr_core.errors import choose

TABLES = Path(__file__).parent / "paper_tables"
DATASETS = ("tafeng", "dunnhumby", "instacart")
DECIMALS = {"items": 0, "users": 0, "avg_basket_size": 2, "avg_baskets_per_user": 2}
DECIMALS |= {"repeat_ratio": 3, "explore_ratio": 3}  # of its dataset table
SAMPLES = {"dunnhumby_windows": "dunnhumby"}  # datasets of ours that stand for one of these
SAME_DATA = ("tafeng",)  # users and splits of ours are the paper's own
METRICS = ("recall@10", "ndcg_code@10", "recall@20", "ndcg_code@20")  # what it prints


@cache
def table(name: str) -> pd.DataFrame:
    """`datasets`, `baselines` or `btbr`, one row per printed number; metrics under our names.

    `public_code` is not printed: test recall@10 of the published code on TaFeng, which we ran
    once per row, with one seed, at the best validation epoch.
    """
    choose("table of the paper", name, ["datasets", "baselines", "btbr", "public_code"])
    found = pd.read_csv(TABLES / f"{name}.csv")
    if "metric" in found:
        found["metric"] = found["metric"].str.replace("ndcg@", "ndcg_code@")
    return found


def known_as(dataset: str) -> str:
    """The paper's name of a dataset; empty if the paper does not use it."""
    name = SAMPLES.get(dataset, dataset)
    return name if name in DATASETS else ""


def dataset_row(dataset: str) -> dict[str, float]:
    """The paper's statistics of a dataset; empty if the paper does not use it."""
    name = known_as(dataset)
    return table("datasets").set_index("dataset").loc[name].to_dict() if name else {}


def best_printed(methods: Iterable[Method], dataset: str) -> Method | None:
    """The one of these that the paper prints the highest recall@10 for."""
    found = {method: printed(method, dataset, METRICS[0]) for method in methods}
    known = {method: value for method, value in found.items() if not np.isnan(value)}
    return max(known, key=known.get, default=None)


def printed_effect(a: Method, b: Method, dataset: str, metric: str, reference: float) -> float:
    """How far the paper prints `a` above `b`; NaN if it does not print both.

    On data of another size than the paper's it is relative: the same share of our reference.
    """
    theirs, below = (printed(one, dataset, metric) for one in (a, b))
    scale = 1.0 if dataset in SAME_DATA else reference / below
    return (theirs - below) * scale


def printed(method: Method, dataset: str, metric: str) -> float:
    """What the paper prints for a method, in one of its two tables; NaN if nothing."""
    found = strategy(dataset, method.paper, metric)
    if np.isnan(found):
        found = baseline(dataset, method.paper, method.labels or "all", metric)
    return found


def baseline(dataset: str, method: str, labels: str, metric: str) -> float:
    """A printed score of a baseline; NaN where the paper prints none."""
    return _values("baselines").get((known_as(dataset), method, labels, metric), np.nan)


def strategy(dataset: str, name: str, metric: str) -> float:
    """A printed score of a BTBR strategy, or of `best_baseline`; NaN where there is none."""
    return _values("btbr").get((known_as(dataset), name, metric), np.nan)


@cache
def _values(name: str) -> dict[tuple[str, ...], float]:
    """Printed numbers by what stands before them in their line."""
    found = table(name)
    before = found.columns[: found.columns.get_loc("value")]
    return found.set_index(list(before))["value"].to_dict()
