"""Choosing settings on validation users: every combination of a small grid is tried."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product

import numpy as np
from tqdm.auto import tqdm

from nnbr_core import evaluation
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError
from nnbr_core.metrics import recall_at

SEARCH_USERS = 2000  # at most, so that a search stays short and its score block small

Candidates = Iterable[tuple[dict, np.ndarray]]  # settings and float32 [users, items]


def values(settings: object, grid: dict[str, tuple]) -> dict[str, tuple]:
    """What to try for each name in the grid: the value that is set, or all of the grid's."""
    given = {name: getattr(settings, name) for name in grid}
    return {name: grid[name] if value is None else (value,) for name, value in given.items()}


def combinations(tried: dict[str, tuple], *names: str) -> Iterator[dict]:
    """Every combination of the values of some names, as dicts.

    >>> list(combinations({"a": (1, 2), "b": (3,), "c": (4, 5)}, "a", "b"))
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    for combination in product(*(tried[name] for name in names)):
        yield dict(zip(names, combination, strict=True))


def search(
    candidates: Callable[[Baskets], Candidates],
    tried: dict[str, tuple],
    validation: Part,
    labels: str = "explore",
    progress: bool = False,
) -> dict:
    """The settings of the best validation recall@10, the first of equals, and `n_tried`.

    `explore` judges novel items with repeats removed from the lists, `all` ordinary lists.
    Where `tried` leaves no choice nothing is scored.
    """
    if all(len(options) == 1 for options in tried.values()):
        return {name: options[0] for name, options in tried.items()}
    everyone = validation.n_users
    users = np.linspace(0, everyone - 1, min(everyone, SEARCH_USERS)).astype(np.int64)
    part = Part(validation.histories.select(users), validation.targets.select(users))
    wanted = part.labels(labels)
    if wanted.nnz == 0:
        raise InputError("no validation user has anything to find: settings cannot be searched")
    k = min(10, part.histories.n_items)
    best, chosen, n_tried = -1.0, {}, 0
    for settings, scores in tqdm(candidates(part.histories), "search", disable=not progress):
        if labels == "explore":
            scores = evaluation.mask_repeats(scores, part.histories)
        hit = evaluation.hits(evaluation.top_k(scores, k), wanted)
        found = float(np.nanmean(recall_at(k, hit, wanted.getnnz(axis=1))))
        n_tried += 1
        if found > best:
            best, chosen = found, settings
    return chosen | {"n_tried": n_tried}
