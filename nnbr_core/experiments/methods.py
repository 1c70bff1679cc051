"""The rows of every table: a method is a model and the settings among which validation chooses."""

from dataclasses import dataclass
from itertools import product
from typing import Any

from nnbr_core.masking import BASKET_VIEWS

LABELS = ("all", "explore")
MASK_RATIOS = (0.1, 0.3, 0.5, 0.7, 0.9)  # the paper's
SWAP_RATIOS = (0.1, 0.3, 0.5, 0.7, 0.9)
SWAP_HOPS = (1, 3, 5, 7, 9)
FEW = {"mask_ratio": (0.1, 0.5), "swap_ratio": (0.1, 0.5), "swap_hop": (1, 5)}  # what we always run
DIMS = (16, 32, 128)  # besides the default of 64
ITEM_LEVEL = ("item_random", "item_select")
BASKET_LEVEL = tuple(BASKET_VIEWS)
COUNTING = ("popularity", "last_popularity", "item_knn", "user_knn", "tifuknn")  # not trained
CURVE = {"epochs": 30, "patience": 30}  # learning curves run to the end


@dataclass(frozen=True)
class Method:
    """One row of a table."""

    name: str
    model: str
    grid: tuple[dict, ...] = ({},)  # settings that are all run; validation users choose
    more: tuple[dict, ...] = ()  # these take part too where they are recorded
    paper: str = ""  # what the paper's tables call it
    labels: str = ""  # "all" or "explore", for methods trained on either


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
            each(masking=name, mask_ratio=FEW["mask_ratio"]),
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


def swapped(profile: str = "paper") -> dict[str, Method]:
    """Item-level objectives with swapping; the quick profile keeps to one mask ratio."""
    few = FEW if profile == "paper" else FEW | {"mask_ratio": FEW["mask_ratio"][-1:]}
    everything = {"mask_ratio": MASK_RATIOS, "swap_ratio": SWAP_RATIOS, "swap_hop": SWAP_HOPS}
    found = [
        Method(
            f"{name}_swap",
            "btbr",
            each(masking=name, **few),
            each(masking=name, **everything),
            paper=f"{name}_swap",
        )
        for name in ITEM_LEVEL
    ]
    return {method.name: method for method in found}


def all_methods(profile: str = "paper") -> dict[str, Method]:
    return baselines() | references() | strategies() | swapped(profile)
