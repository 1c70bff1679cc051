"""Choosing settings on validation users: every combination of a small grid is tried."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import product

import numpy as np
import scipy.sparse as sp
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


def _some(part: Part, users: np.ndarray) -> Part:
    return Part(part.histories.select(users), part.targets.select(users))


def _recall(
    scores: np.ndarray, histories: Baskets, wanted: sp.csr_matrix, labels: str
) -> np.ndarray:
    """float64 [users]: recall@10 of one candidate's scores, NaN where nothing is wanted."""
    if labels == "explore":
        scores = evaluation.mask_repeats(scores, histories)
    k = min(10, histories.n_items)
    hit = evaluation.hits(evaluation.top_k(scores, k), wanted)
    return recall_at(k, hit, wanted.getnnz(axis=1))


def search(
    candidates: Callable[[Baskets], Candidates],
    tried: dict[str, tuple],
    validation: Part,
    labels: str = "explore",
    progress: bool = False,
    users_at_once: int = SEARCH_USERS,
) -> dict:
    """The settings of the best validation recall@10, the first of equals, and `n_tried`.

    `explore` judges novel items with repeats removed from the lists, `all` ordinary lists.
    Where `tried` leaves no choice nothing is scored. `candidates` is asked anew for each block
    of users, and always gives the same settings in the same order.
    """
    if all(len(options) == 1 for options in tried.values()):
        return {name: options[0] for name, options in tried.items()}
    everyone = validation.n_users
    users = np.linspace(0, everyone - 1, min(everyone, SEARCH_USERS)).astype(np.int64)
    if _some(validation, users).labels(labels).nnz == 0:
        raise InputError("no validation user has anything to find: settings cannot be searched")
    found: dict[int, list[np.ndarray]] = defaultdict(list)  # recall of each block, by candidate
    with tqdm(desc="search", disable=not progress) as bar:
        for at in range(0, len(users), users_at_once):
            part = _some(validation, users[at : at + users_at_once])
            wanted = part.labels(labels)
            options = []
            for number, (settings, scores) in enumerate(candidates(part.histories)):
                options.append(settings)
                found[number].append(_recall(scores, part.histories, wanted, labels))
                bar.update()
    means = [float(np.nanmean(np.concatenate(found[number]))) for number in range(len(options))]
    return options[int(np.argmax(means))] | {"n_tried": len(options)}
