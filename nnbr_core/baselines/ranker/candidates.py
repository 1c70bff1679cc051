"""Who is ranked, and by which features: novel items that some member puts near its top."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch

from nnbr_core.baselines.ranker.members import Members, Scores
from nnbr_core.data.baskets import Baskets

NOMINATING = (  # members whose best items are candidates; the others are too much like them
    "user kNN, plain 1, last",
    "user kNN, plain 2, novel",
    "user kNN, plain 2, whole",
    "user kNN, rare 2, last",
    "user kNN, recent 1, last",
    "item kNN, novel",
    "item kNN, whole",
    "popularity, novel",
    "btbr",
)
PRIOR = {"last": "last", "novel": "novel", "whole": "whole", "btbr": "novel"}  # by a name's end
FLOOR = 1e-4  # added to shares before they are divided or their logarithm is taken


@dataclass(frozen=True)
class Table:
    """Candidates of some users, one row each, user by user."""

    user: np.ndarray  # int64 [rows]
    item: np.ndarray  # int64 [rows]
    features: np.ndarray  # float32 [rows, features]
    names: tuple[tuple[str, str], ...]  # of the features: the member, and what of it

    def columns(self, kind: str) -> np.ndarray:
        """int64: where the members' features of one kind are, such as "score"."""
        return np.array([i for i, (_, what) in enumerate(self.names) if what == kind])


def joined(tables: list[Table]) -> Table:
    """Tables of different users as one."""
    return Table(
        *(
            np.concatenate([getattr(t, name) for t in tables])
            for name in ("user", "item", "features")
        ),
        tables[0].names,
    )


def novel(scores: np.ndarray, owned: np.ndarray) -> np.ndarray:
    """Scores [users, items] with -inf for what they own, bool [users, items]."""
    return np.where(owned, np.float32(-np.inf), scores)


def nominated(scores: Scores, owned: np.ndarray, n_each: int) -> np.ndarray:
    """bool [users, items]: novel and among the best `n_each` of some nominating member."""
    chosen = np.zeros(owned.shape, dtype=bool)
    rows = np.arange(len(owned))[:, None]
    for name in NOMINATING:
        if name in scores:
            best = torch.from_numpy(novel(scores[name], owned))
            chosen[rows, best.topk(min(n_each, owned.shape[1]), dim=1).indices.numpy()] = True
    return chosen & ~owned


def _of_members(scores: Scores, members: Members, owned: np.ndarray, at: tuple) -> dict:
    """Each member's score, its share of the user's best, and its lift over the item's prior."""
    found = {}
    for name, values in scores.items():
        score = values[at]
        best = np.maximum(novel(values, owned).max(axis=1), 0)[at[0]]
        found[name, "score"] = score
        found[name, "of best"] = (score + FLOOR) / (best + FLOOR)
        prior = PRIOR.get(name.rpartition(", ")[2])
        if prior and not name.startswith(("popularity", "item")):
            found[name, "lift"] = np.log((score + FLOOR) / (members.shares[prior][at[1]] + FLOOR))
    return found


def _of_items(members: Members, item: np.ndarray) -> dict:
    found = {("item", name): share[item] for name, share in members.shares.items()}
    last, before = (members.shares[name][item] + FLOOR for name in ("last", "history"))
    return found | {("item", "shift"): np.log(last / before)}


def _of_users(histories: Baskets, at: tuple) -> dict:
    """How much a user buys, how much of it is new, how much lies in the candidate's group."""
    bought = histories.matrix()
    n_distinct, n_bought = bought.getnnz(axis=1), np.asarray(bought.sum(axis=1)).ravel()
    group = np.unique(histories.catalogue["group"], return_inverse=True)[1]
    in_group = sp.csr_matrix((np.ones(len(group)), (np.arange(len(group)), group)))
    shares = np.asarray((bought @ in_group).todense()) / np.maximum(n_bought, 1)[:, None]
    n_baskets = np.maximum(histories.baskets_per_user, 1)
    return {
        ("user", "distinct items"): n_distinct[at[0]],
        ("user", "baskets"): n_baskets[at[0]],
        ("user", "basket size"): (n_bought / n_baskets)[at[0]],
        ("user", "new of bought"): (n_distinct / np.maximum(n_bought, 1))[at[0]],
        ("user", "share of group"): shares[at[0], group[at[1]]],
    }


def candidate_table(scores: Scores, members: Members, histories: Baskets, n_each: int) -> Table:
    """The candidates of a block of users, with everything a ranker may look at."""
    owned = histories.matrix().toarray() > 0
    at = np.nonzero(nominated(scores, owned, n_each))
    columns = _of_members(scores, members, owned, at)
    columns |= _of_items(members, at[1]) | _of_users(histories, at)
    features = np.stack([x.astype(np.float32) for x in columns.values()], axis=1)
    return Table(at[0], at[1], features, tuple(columns))
