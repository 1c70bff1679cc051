"""What cheap methods say about everybody: the members a ranker listens to.

Every score is a share or close to one: of the neighbours' weight, of the users, of a
probability. So members that were fitted on fewer users, for cross-fitting, speak the same
language as those that are asked in the end.
"""

import numpy as np
import scipy.sparse as sp
import torch

from nnbr_core.baselines.counting import bought, item_counts, sequences, unit_rows
from nnbr_core.baselines.sparse import to_torch
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part

SIMILARITIES = {"plain": (1, 2, 4), "rare": (1, 2), "recent": (1, 2)}  # and powers of the cosine
PASSES_ON_WHOLE = {("plain", 2), ("plain", 4), ("rare", 2)}  # sequences too, not just last baskets
DECAY = 0.7  # a basket's weight in "recent" histories, against the one after it
LATE_DECAY = 0.5  # the same where only the latest visits are to count
DOUBT = 10  # added to an item's count before its pairs are divided by it
TINY = 1e-9  # keeps a division by nobody's weight finite

Scores = dict[str, np.ndarray]  # by member: float32 [users, items]


def faded(histories: Baskets, decay: float) -> sp.csr_matrix:
    """float32 [users, items]: each purchase weighs decay ** (baskets that came after it)."""
    end_of_user = np.repeat(histories.user_ptr[1:], histories.baskets_per_user)
    age = end_of_user - 1 - np.arange(histories.n_baskets)
    weight = np.repeat((decay**age).astype(np.float32), histories.basket_sizes)
    ptr = histories.basket_ptr[histories.user_ptr]
    shape = (histories.n_users, histories.n_items)
    rows = sp.csr_matrix((weight, histories.items.copy(), ptr), shape=shape)
    rows.sum_duplicates()
    return rows


def _per_root(pairs: sp.csr_matrix, count: np.ndarray) -> sp.csr_matrix:
    """Pairs [items, items] divided by the root of the first item's count."""
    return (sp.diags((count + DOUBT) ** np.float32(-0.5)) @ pairs).tocsr().astype(np.float32)


class Members:
    """User kNN and item kNN in several kinds, and how popular items are, of some users."""

    def __init__(self, part: Part) -> None:
        histories, self.n_users = part.histories, part.n_users
        owned, whole = bought(histories), sequences(part)
        last, novel = (part.labels(kind).astype(np.float32) for kind in ("all", "explore"))
        n_owned = item_counts(owned)
        self.rarity = np.log1p(self.n_users / (1 + n_owned)).astype(np.float32)
        self.references = {kind: self._compared(histories, kind).T.tocsr() for kind in SIMILARITIES}
        self.given = to_torch(sp.vstack([last.T, novel.T]).tocsr())  # [2 x items, references]
        self.given_whole = to_torch(whole.T.tocsr())
        counts = {"history": n_owned, "late": item_counts(faded(histories, LATE_DECAY))}
        counts |= {"last": item_counts(last), "novel": item_counts(novel)}
        counts["whole"] = item_counts(whole)
        self.shares = {name: count / np.float32(self.n_users) for name, count in counts.items()}
        together = (whole.T @ whole).tocsr()
        together.setdiag(0)  # an item says nothing about itself
        together = _per_root(together, counts["whole"])
        self.pairs = {
            "last": _per_root((owned.T @ last).tocsr(), n_owned),
            "novel": _per_root((owned.T @ novel).tocsr(), n_owned),
            "whole": (together @ sp.diags((counts["whole"] + DOUBT) ** np.float32(-0.5))).tocsr(),
        }

    def _compared(self, histories: Baskets, kind: str) -> sp.csr_matrix:
        """float32 [users, items] at length 1: the cosine of two rows says how similar they are."""
        if kind == "plain":
            return unit_rows(bought(histories))
        if kind == "rare":
            return unit_rows((bought(histories) @ sp.diags(self.rarity)).tocsr())
        return unit_rows((faded(histories, DECAY) @ sp.diags(np.sqrt(self.rarity))).tocsr())

    def _of_neighbours(self, histories: Baskets) -> Scores:
        found, n_items = {}, histories.n_items
        for kind, powers in SIMILARITIES.items():
            cosine = (self._compared(histories, kind) @ self.references[kind]).toarray()
            for power in powers:
                weight = torch.from_numpy(cosine**power)  # [users, references]
                total = weight.sum(dim=1).clamp_min(TINY)
                weight = (weight / total[:, None]).T.contiguous()
                given, name = self.given @ weight, f"user kNN, {kind} {power}"
                found[f"{name}, last"] = given[:n_items].T.contiguous().numpy()
                found[f"{name}, novel"] = given[n_items:].T.contiguous().numpy()
                if (kind, power) in PASSES_ON_WHOLE:
                    whole = (self.given_whole @ weight).T
                    found[f"{name}, whole"] = whole.contiguous().numpy()
        return found

    def _of_pairs(self, histories: Baskets) -> Scores:
        owned, late = bought(histories), faded(histories, LATE_DECAY)
        n_owned = np.maximum(owned.getnnz(axis=1), 1).astype(np.float32)[:, None]
        root = np.float32(np.sqrt(self.n_users))
        found = {
            f"item kNN, {kind}": (owned @ pairs).toarray() / n_owned
            for kind, pairs in self.pairs.items()
        }
        found["item kNN, late"] = (late @ self.pairs["novel"]).toarray() / n_owned
        for name in ("item kNN, last", "item kNN, novel", "item kNN, late"):
            found[name] /= root  # grows with the root of the number of users
        return found

    def scores(self, histories: Baskets) -> Scores:
        """What every member says about some users."""
        shape = (histories.n_users, histories.n_items)
        popular = {
            f"popularity, {kind}": np.broadcast_to(self.shares[kind], shape)
            for kind in ("late", "last", "novel")
        }
        return self._of_neighbours(histories) | self._of_pairs(histories) | popular
