"""Scores -> novel top-K -> one row of metrics per user. The same code judges every model."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from torch import Tensor

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError
from nnbr_core.metrics import metric_table, recall_at

KS = (10, 20)
NOBODY = -1  # fills a list when a user has fewer candidates than places
USERS_AT_ONCE = 512  # bounds memory: scores are [USERS_AT_ONCE, items]
COPIES = 3  # of a block's scores: the model's, without repeats, and what ranking makes of them
FLOAT_BYTES = 4
SHELF = 32  # neighbouring items that ranking looks at through their maximum
SHELVES_PAY = 4  # from so many times k shelves on

Score = Callable[[Baskets], np.ndarray]  # histories -> float32 [users, items]


def mask_repeats(scores: np.ndarray, histories: Baskets) -> np.ndarray:
    """A copy of the scores with -inf for everything a user has bought before."""
    novel = scores.copy()
    novel[histories.user_of_token, histories.items] = -np.inf
    return novel


def novel_scores(score: Score, block: Baskets) -> np.ndarray:
    """float32 [users, items]: -inf for what was bought before; says so if they do not fit."""
    try:
        return mask_repeats(score(block), block)
    except (MemoryError, RuntimeError) as error:  # numpy's and torch's
        if isinstance(error, RuntimeError) and "memory" not in str(error):
            raise
        needed = COPIES * block.n_users * block.n_items * FLOAT_BYTES / 2**30
        raise InputError(
            f"the scores of {block.n_users} users for {block.n_items:,} items do not fit into "
            f"memory: about {needed:.1f} GB and what the model itself takes must be free"
        ) from error


def _sorted_top(scores: Tensor, k: int) -> np.ndarray:
    """int64 [users, k]: columns by score, then by number; scores is [users, columns].

    A partial sort leaves ties in any order, so that two machines could disagree: ties are
    put in order of number, and users whose k-th place is tied are sorted completely.
    """
    found, place = scores.topk(min(k + 1, scores.shape[1]), dim=1)
    if found[:, 0].isnan().any():  # they come before every number
        raise InputError(f"scores of user {found[:, 0].isnan().int().argmax()} are not numbers")
    best, value = place[:, :k].numpy(), found[:, :k].numpy()
    best = np.take_along_axis(best, np.lexsort((best, -value), axis=1), axis=1)
    if found.shape[1] > k:
        for user in np.flatnonzero((found[:, k] == found[:, k - 1]).numpy()):
            row = scores[user].numpy()
            at_least = np.flatnonzero(row >= value[user, -1])  # ascending number
            best[user] = at_least[np.argsort(-row[at_least], kind="stable")[:k]]
    return best


def _best_shelves(scores: Tensor, k: int) -> np.ndarray:
    """int64 [users, k x SHELF]: the only items, in ascending order, that can be among the best k.

    Neighbouring items form shelves. An item outside the k shelves with the highest maxima (the
    lower number among equals) is beaten by at least one item of each of them: nothing is lost.
    """
    n_whole = scores.shape[1] // SHELF
    shelves = scores[:, : n_whole * SHELF].unflatten(1, (n_whole, SHELF))  # (U, shelves, SHELF)
    best = np.sort(_sorted_top(shelves.amax(dim=2), k), axis=1)
    return (best[:, :, None] * SHELF + np.arange(SHELF)).reshape(len(best), -1)


def top_k(scores: np.ndarray, k: int) -> np.ndarray:
    """int32 [users, k]: the best items, by score, then by item number.

    Where the catalogue is much longer than the list, most of it is not sorted at all.
    """
    n_users, n_items = scores.shape
    if k > n_items:
        raise InputError(f"k = {k} is more than the {n_items} items there are")
    table = torch.from_numpy(scores)
    if n_items >= SHELVES_PAY * k * SHELF:
        n_shelved = n_items // SHELF * SHELF
        rest = np.tile(np.arange(n_shelved, n_items), (n_users, 1))  # less than a shelf
        near = np.concatenate([_best_shelves(table, k), rest], axis=1)
        found = _sorted_top(torch.from_numpy(np.take_along_axis(scores, near, axis=1)), k)
        best = np.take_along_axis(near, found, axis=1)
    else:
        best = _sorted_top(table, k)
    value = np.take_along_axis(scores, best, axis=1)
    return np.where(np.isneginf(value), NOBODY, best).astype(np.int32)


def _top(scores_of: Score, histories: Baskets, k: int) -> np.ndarray:
    """Score users in blocks and take the best k of each."""
    blocks = []
    for start in range(0, histories.n_users, USERS_AT_ONCE):
        block = histories.select(np.arange(start, min(start + USERS_AT_ONCE, histories.n_users)))
        blocks.append(top_k(scores_of(block), k))
    return np.concatenate(blocks)


def top_novel(score: Score, histories: Baskets, k: int) -> np.ndarray:
    """int32 [users, k]: the best items each user has never bought."""
    return _top(lambda block: novel_scores(score, block), histories, k)


def top_any(score: Score, histories: Baskets, k: int) -> np.ndarray:
    """int32 [users, k]: the best items, bought before or not: ordinary next-basket lists."""
    return _top(score, histories, k)


def hits(top: np.ndarray, wanted: sp.csr_matrix) -> np.ndarray:
    """bool [users, k]: is the item at this place wanted by this user?"""
    users = np.repeat(np.arange(len(top)), top.shape[1])
    found = np.asarray(wanted[users, np.maximum(top, 0).ravel()]).reshape(top.shape)
    return found & (top != NOBODY)


def per_user(top: np.ndarray, part: Part, ks: tuple[int, ...] = KS) -> pd.DataFrame:
    """One row per user and one column per metric, such as `recall@10`.

    The truth is the novel part of the last basket; a user without one gets NaN, is left out
    of every mean, and is to be counted.
    """
    wanted = part.labels("explore")
    return metric_table(hits(top, wanted), wanted.getnnz(axis=1), ks)


def reach(top: np.ndarray, item_counts: np.ndarray, k: int) -> dict[str, float]:
    """What the lists look like as a whole: how much of the catalogue, how popular.

    `coverage` is the share of items recommended to somebody; `popularity` the mean share of
    all purchases that a recommended item makes up, in per mille.
    """
    shown = top[:, :k][top[:, :k] != NOBODY]
    share = 1000 * item_counts / max(item_counts.sum(), 1)
    return {
        f"coverage@{k}": len(np.unique(shown)) / len(item_counts),
        f"popularity@{k}": float(share[shown].mean()) if len(shown) else float("nan"),
    }


def breakdown(top: np.ndarray, part: Part, k: int) -> pd.DataFrame:
    """Where an ordinary next-basket list gets its recall from: repeats or discoveries.

    One row per user: the share of repeat items in the list, and recall of the whole target,
    of its repeat items and of its novel items (NaN where there are none).
    """
    everything, novel = part.labels("all"), part.labels("explore")
    repeat = everything.multiply(part.histories.matrix() > 0).tocsr()
    table = {"repeat_share": hits(top, part.histories.matrix() > 0)[:, :k].mean(axis=1)}
    for name, wanted in {"all": everything, "repeat": repeat, "novel": novel}.items():
        found = recall_at(k, hits(top, wanted), wanted.getnnz(axis=1))
        table[f"recall_{name}@{k}"] = found
    return pd.DataFrame(table)
