"""A few numbers per model and strategy, trained for two epochs on a small toy world.

    python tests/golden.py

writes tests/golden.json again. It refuses to do so where numbers changed and the model's
`version` did not: records of the old numbers would be taken for records of the new ones.
"""

import json
from pathlib import Path

import numpy as np
import torch

from nnbr_core.data.folds import split
from nnbr_core.data.toy import season_world, world
from nnbr_core.runs.registry import MODELS

TABLE = Path(__file__).with_suffix(".json")
N_USERS = 120
TOLERANCE = 1e-4  # relative; processors add in other orders
SMALL = {"dim": 16, "epochs": 2, "batch_size": 32, "learning_rate": 0.01}
CLEA = SMALL | {"contrast_epochs": 2, "phase_epochs": 1, "candidates": 20}
SELECT = SMALL | {"masking": "item_select", "mask_ratio": 0.3}

# A case is a model and its settings; its name is what they change.
CASES = {
    "popularity": ("popularity", {}),
    "popularity, train users": ("popularity", {"scope": "train_users"}),
    "last_popularity": ("last_popularity", {}),
    "last_popularity, explore": ("last_popularity", {"labels": "explore"}),
    "recent_popularity": ("recent_popularity", {}),
    "item_knn": ("item_knn", {}),
    "item_knn, directed": ("item_knn", {"direction": "directed"}),
    "user_knn": ("user_knn", {}),
    "user_knn, sequence": ("user_knn", {"source": "sequence", "n_neighbours": 20}),
    "time_item_knn": ("time_item_knn", {"kernel_days": 7, "strength": 0.5, "recent_days": 3}),
    "time_user_knn": ("time_user_knn", {}),
    "time_user_knn, every prefix": (
        "time_user_knn",
        {"prefixes": "every", "kernel_days": 7, "strength": 0.5, "recent_days": 3},
    ),
    "tifuknn": ("tifuknn", {}),
    "tifuknn, last baskets": ("tifuknn", {"semantics": "paper", "neighbour_source": "last"}),
    "dream": ("dream", SMALL),
    "dream, explore, no attention": ("dream", SMALL | {"labels": "explore", "attention": False}),
    "beacon": ("beacon", SMALL),
    "beacon, explore, two hops": ("beacon", SMALL | {"labels": "explore", "hops": 2}),
    "dnntsp": ("dnntsp", SMALL),
    "dnntsp, explore": ("dnntsp", SMALL | {"labels": "explore"}),
    "clea": ("clea", CLEA),
    "clea, explore": ("clea", CLEA | {"labels": "explore"}),
    "ranker": ("ranker", {"btbr": True, "btbr_epochs": 2}),
    "ranker, trees": ("ranker", {"learner": "trees", "max_trees": 20}),
    "btbr, all": ("btbr", SMALL),
    "btbr, all, one mask": ("btbr", SMALL | {"mask_tokens": "one"}),
    "btbr, all, shuffled": ("btbr", SMALL | {"shuffle_baskets": True}),
    "btbr, all, shift corrected": ("btbr", SMALL | {"correct_shift": True}),
    "btbr, explore": ("btbr", SMALL | {"masking": "basket_explore"}),
    "btbr, random": ("btbr", SMALL | {"masking": "item_random", "mask_ratio": 0.3}),
    "btbr, select": ("btbr", SELECT),
    "btbr, select, from the end": ("btbr", SELECT | {"positions": "end"}),
    "btbr, select, swap": ("btbr", SELECT | {"swap_ratio": 0.3}),
    "btbr, select, swap within": ("btbr", SELECT | {"swap_ratio": 0.3, "swap": "within"}),
    "btbr, joint": ("btbr", SMALL | {"masking": "joint"}),
    "btbr_recent": ("btbr_recent", SMALL | {"recent_days": 3, "strength": 0.5}),
}


def numbers(case: str) -> dict[str, float]:
    """The losses, how far scores lie apart, and where those of the items wanted lie."""
    name, settings = CASES[case]
    kind = MODELS[name]
    baskets = season_world(N_USERS) if kind.make.reads_days else world(N_USERS).baskets
    fold = split(baskets, 0)
    model = kind.make(kind.settings(**settings), baskets, 0)
    model.fit(fold.train, fold.validation, fold.test.histories)
    scores = model.score(fold.test.histories).astype(np.float64)
    wanted = scores[fold.test.labels("explore").nonzero()]
    losses = {f"loss {number}": row["loss"] for number, row in enumerate(model.curve, start=1)}
    spread = float(scores.std())
    return losses | {"spread": spread, "wanted": float((wanted.mean() - scores.mean()) / spread)}


def is_close(one: dict[str, float], other: dict[str, float]) -> bool:
    return one.keys() == other.keys() and np.allclose(
        list(one.values()), [other[name] for name in one], rtol=TOLERANCE, atol=TOLERANCE / 10
    )


def rewritten(table: dict) -> dict:
    """The table as it is now; unchanged numbers keep their digits."""
    new = {}
    for case, (name, _) in CASES.items():
        old, now = table.get(case), {"version": MODELS[name].version, "numbers": numbers(case)}
        is_same = old is not None and is_close(old["numbers"], now["numbers"])
        if old is not None and old["version"] == now["version"] and not is_same:
            raise SystemExit(f"{case}: raise the version of {name} in MODELS first")
        new[case] = now | {"numbers": old["numbers"] if is_same else now["numbers"]}
    return new


if __name__ == "__main__":
    torch.set_num_threads(1)
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    TABLE.write_text(json.dumps(rewritten(table), indent=1) + "\n")
