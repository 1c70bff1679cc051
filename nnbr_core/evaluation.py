"""Scores -> novel top-K -> one row of metrics per user. The same code judges every model."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError
from nnbr_core.metrics import metric_table, recall_at

KS = (10, 20)
NOBODY = -1  # fills a list when a user has fewer candidates than places
USERS_AT_ONCE = 512  # bounds memory: scores are [USERS_AT_ONCE, items]

Score = Callable[[Baskets], np.ndarray]  # histories -> float32 [users, items]


def mask_repeats(scores: np.ndarray, histories: Baskets) -> np.ndarray:
    """A copy of the scores with -inf for everything a user has bought before."""
    novel = scores.copy()
    novel[histories.user_of_token, histories.items] = -np.inf
    return novel


def top_k(scores: np.ndarray, k: int) -> np.ndarray:
    """int32 [users, k]: the best items, by score, then by item number.

    A partial sort leaves ties in any order, so that two machines could disagree: ties are
    put in order of item number, and users whose k-th place is tied are sorted completely.
    """
    if k > scores.shape[1]:
        raise InputError(f"k = {k} is more than the {scores.shape[1]} items there are")
    if np.isnan(scores).any():
        user = np.argmax(np.isnan(scores).any(axis=1))
        raise InputError(f"scores of user {user} are not numbers")
    found, place = torch.from_numpy(scores).topk(min(k + 1, scores.shape[1]), dim=1)
    best, value = place[:, :k].numpy().astype(np.int32), found[:, :k].numpy()
    best = np.take_along_axis(best, np.lexsort((best, -value), axis=1), axis=1)
    if found.shape[1] > k:
        for user in np.flatnonzero((found[:, k] == found[:, k - 1]).numpy()):
            at_least = np.flatnonzero(scores[user] >= value[user, -1])  # ascending item number
            order = np.argsort(-scores[user, at_least], kind="stable")
            best[user] = at_least[order][:k]
    value = np.take_along_axis(scores, best, axis=1)
    return np.where(np.isneginf(value), NOBODY, best).astype(np.int32)


def _top(score: Score, histories: Baskets, k: int, keep: Callable) -> np.ndarray:
    """Score users in blocks, let `keep` remove what may not be recommended, take the best k."""
    blocks = []
    for start in range(0, histories.n_users, USERS_AT_ONCE):
        block = histories.select(np.arange(start, min(start + USERS_AT_ONCE, histories.n_users)))
        blocks.append(top_k(keep(score(block), block), k))
    return np.concatenate(blocks)


def top_novel(score: Score, histories: Baskets, k: int) -> np.ndarray:
    """int32 [users, k]: the best items each user has never bought."""
    return _top(score, histories, k, mask_repeats)


def top_any(score: Score, histories: Baskets, k: int) -> np.ndarray:
    """int32 [users, k]: the best items, bought before or not: ordinary next-basket lists."""
    return _top(score, histories, k, lambda scores, block: scores)


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
