"""The rows of every table: a method is a model and the settings among which validation chooses.

This is the one list of what is run: notebooks show rows of it, `sweep rq2` computes them, reports
print them. Add a Method to a dict in a notebook's cell, and it is one more row there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd

from nnbr_core.masking import BASKET_VIEWS

LABELS = ("all", "explore")
MASK_RATIOS = (0.1, 0.3, 0.5, 0.7, 0.9)  # the paper's
SWAP_RATIOS = (0.1, 0.3, 0.5, 0.7, 0.9)
SWAP_HOPS = (1, 3, 5, 7, 9)
FEW_RATIOS = (0.1, 0.5)  # what we always run, on all folds
FEW_SWAPS = {"swap_ratio": (0.1, 0.5, 0.9), "swap_hop": (1, 5, 9)}  # on the first fold
QUICK_SWAPS = {"swap_ratio": (0.1, 0.5), "swap_hop": (1, 5)}
ALL_SWAPS = {"swap_ratio": SWAP_RATIOS, "swap_hop": SWAP_HOPS}
DIMS = (16, 32, 128)  # besides the default of 64
ITEM_LEVEL = ("item_random", "item_select")
BASKET_LEVEL = tuple(BASKET_VIEWS)
COUNTING = ("popularity", "last_popularity", "item_knn", "user_knn", "tifuknn")  # not trained
CURVE = {"epochs": 30, "patience": 30}  # learning curves run to the end


@dataclass(frozen=True, eq=False)
class Method:
    """One row of a table."""

    name: str
    model: str
    grid: tuple[dict, ...] = ({},)  # settings that are all run; validation users choose
    more: tuple[dict, ...] = ()  # these take part too where they are recorded
    paper: str = ""  # what the paper's tables call it
    labels: str = ""  # "all" or "explore", for methods trained on either
    folds: int = 0  # only the first so many; 0: all of them


def each(**options: Any) -> tuple[dict, ...]:
    """Every combination of the options; a tuple means: each of these.

    >>> each(labels="all", dim=(16, 32))
    ({'labels': 'all', 'dim': 16}, {'labels': 'all', 'dim': 32})
    """
    values = [value if isinstance(value, tuple) else (value,) for value in options.values()]
    return tuple(dict(zip(options, chosen, strict=True)) for chosen in product(*values))


def _neural(model: str, labels: str) -> Method:
    grid, more = each(labels=labels), each(labels=labels, dim=DIMS)
    if model == "dream":
        more += each(labels=labels, attention=False)
    if model == "beacon":  # published with 0.5; 0 switches the output correlation off
        grid, more = each(labels=labels, alpha=(0.5, 0.0)), each(labels=labels, alpha=0.0, dim=DIMS)
    return Method(f"{model}, {labels}", model, grid, more, paper=model, labels=labels)


def baselines() -> dict[str, Method]:
    """The paper's six, each trained on all labels and on novel ones (popularity has no labels)."""
    found = [Method("popularity", "popularity", paper="g_topfreq")]
    for labels in LABELS:
        found.append(
            Method(f"tifuknn, {labels}", "tifuknn", each(labels=labels), (), "tifuknn", labels)
        )
    for model in ("dream", "beacon", "clea", "dnntsp"):
        found += [_neural(model, labels) for labels in LABELS]
    return {method.name: method for method in found}


def references() -> dict[str, Method]:
    """What the paper does not print: simple methods that any trained one should beat."""
    found = [
        Method(f"last_popularity, {labels}", "last_popularity", each(labels=labels), labels=labels)
        for labels in LABELS
    ]
    found += [Method(name, name) for name in ("item_knn", "user_knn")]
    return {method.name: method for method in found}


def strategies() -> dict[str, Method]:
    """BTBR, one row per objective, without swapping."""
    found = [
        Method(
            name,
            "btbr",
            each(masking=name, mask_ratio=FEW_RATIOS),
            each(masking=name, mask_ratio=MASK_RATIOS),
            paper=name,
        )
        for name in (*ITEM_LEVEL, "joint")
    ]
    found += [
        Method(name, "btbr", each(masking=name), each(masking=name, dim=DIMS), paper=name)
        for name in BASKET_LEVEL
    ]
    return {method.name: method for method in found}


def best_lists() -> dict[str, Method]:
    """What a grocer would serve: lists learned from what all cheap methods say."""
    return {"ranker": Method("ranker", "ranker")}


def every_row() -> dict[str, Method]:
    """All methods that are run on all folds."""
    return baselines() | references() | best_lists() | strategies()


def swapped(masking: str, mask_ratio: float, profile: str = "paper") -> Method:
    """An item-level objective with swapping, at one mask ratio, on the first fold."""
    fixed = {"masking": masking, "mask_ratio": mask_ratio}
    few, more = (QUICK_SWAPS, {}) if profile == "quick" else (FEW_SWAPS, ALL_SWAPS)
    cells = each(**fixed, **more) if more else ()
    name = f"{masking}_swap"
    return Method(name, "btbr", each(**fixed, **few), cells, paper=name, folds=1)


def unswapped(masking: str, mask_ratio: float) -> Method:
    """The same objective at the same mask ratio without swapping."""
    setting = {"masking": masking, "mask_ratio": mask_ratio}
    return Method(masking, "btbr", (setting,), paper=masking, folds=1)


def listed(methods: dict[str, Method]) -> pd.DataFrame:
    """What is compared: one row per method, with the settings among which validation chooses."""
    return pd.DataFrame(
        {
            name: {
                "model": method.model,
                "settings": _in_words(method.grid),
                "also, where recorded": _in_words(
                    [one for one in method.more if one not in method.grid]
                ),
                "folds": method.folds or "all",
            }
            for name, method in methods.items()
        }
    ).T


def _in_words(settings: Sequence[dict]) -> str:
    """Values of each setting: `labels all; alpha 0.5, 0.0`."""
    values: dict[str, dict] = {}
    for one in settings:
        for name, value in one.items():
            values.setdefault(name, {})[value] = None
    return "; ".join(f"{name} {', '.join(map(str, seen))}" for name, seen in values.items()) or "–"
