"""Records worked out by hand, for tests of tables, figures and claims."""

import numpy as np
import pandas as pd

from nnbr_core.analysis.methods import Method, every_row, swapped
from nnbr_core.analysis.rows import Row
from nnbr_core.runs.records import DEPTH, Record, pack


def made_record(
    name: str, recall: list[float], fold: int = 0, dataset: str = "toy", **changes
) -> Record:
    """A record whose users wanted ten items each and found this share of them, at the top.

    Users of fold f are numbered from 1000 f.
    """
    hit = np.zeros((len(recall), DEPTH), dtype=bool)
    for user, share in enumerate(recall):
        hit[user, : round(10 * share)] = True
    users = 1000 * fold + np.arange(len(recall))
    packed = pack(users, hit, np.full(len(recall), 10))
    fields = dict.fromkeys(Record.__dataclass_fields__, "") | {"code": []}
    fields |= {"id": f"{name}-{fold}", "dataset": dataset, "users": {"test": packed}, "curve": []}
    fields |= {"validation": {"recall@10": float(np.mean(recall))}, "config": {"fold": fold}}
    return Record(**fields | changes)


def made_row(name: str, *folds: list[float], dataset: str = "toy", n_missing: int = 0) -> Row:
    """A method's row from the recalls of its users, one list per fold."""
    known = every_row() | {"item_select_swap": swapped("item_select", 0.1)}
    method = known.get(name, Method(name, "btbr"))
    records = [made_record(name, one, f, dataset) for f, one in enumerate(folds)]
    return Row(method, tuple(records), n_settings=int(bool(folds)), n_missing=n_missing)


def by_hand(*runs: tuple[float, float, int, list[float] | None]) -> pd.DataFrame:
    """A frame of item_select runs: mask ratio, swap ratio, fold, recall of its users."""
    return pd.DataFrame(
        [
            {
                "masking": "item_select",
                "mask_ratio": mask_ratio,
                "swap_ratio": swap_ratio,
                "swap_hop": 1,
                "fold": fold,
                "config": None,
                "record": recall and made_record(f"{mask_ratio} {swap_ratio}", recall, fold),
            }
            for mask_ratio, swap_ratio, fold, recall in runs
        ]
    )
