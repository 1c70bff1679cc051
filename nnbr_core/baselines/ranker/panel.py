"""All members together, and the candidates of training users by members that never saw them.

A training user's features come from members that were fitted without that user's fold, or a
feature would hold the answer. Folds are made of people, because two windows of one shopper
help each other, and leaving out one user alone is not enough: what is missing from a count
then tells the label.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from tqdm.auto import tqdm

from nnbr_core.baselines.ranker.candidates import Table, candidate_table, joined
from nnbr_core.baselines.ranker.members import Members, Scores
from nnbr_core.baselines.ranker.settings import RankerSettings, btbr_settings
from nnbr_core.btbr import Btbr
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError

USERS_AT_ONCE = 256  # bounds memory: every member scores [USERS_AT_ONCE, items]


def folds_of_people(user_ids: np.ndarray, n_folds: int, seed: int) -> np.ndarray:
    """int64 [users]: the fold of each row; rows of one person share it."""
    people, person = np.unique(user_ids, return_inverse=True)
    if len(people) < n_folds:
        raise InputError(f"{len(people)} training users cannot make {n_folds} folds")
    return (np.random.default_rng(seed).permutation(len(people)) % n_folds)[person]


def some_users(part: Part, users: np.ndarray) -> Part:
    return Part(part.histories.select(users), part.targets.select(users))


def blocks(n_users: int) -> Iterator[np.ndarray]:
    for start in range(0, n_users, USERS_AT_ONCE):
        yield np.arange(start, min(start + USERS_AT_ONCE, n_users))


class Panel:
    """All members, fitted on the same users; BTBR is one of them if the settings say so."""

    def __init__(self, members: Members, btbr: Btbr | None) -> None:
        self.members, self.btbr = members, btbr

    @classmethod
    def fit(cls, settings: RankerSettings, train: Part, validation: Part, seed: int) -> "Panel":
        btbr = None
        if settings.btbr:
            try:
                btbr = Btbr(btbr_settings(settings), train.histories, seed)
                btbr.fit(train, validation, validation.histories)
            except InputError as error:
                raise InputError(f"the ranker's member btbr failed: {error}") from None
        return cls(Members(train), btbr)

    def scores(self, histories: Baskets) -> Scores:
        found = self.members.scores(histories)
        if self.btbr is not None:
            raw = self.btbr.score(histories)
            chance = np.exp(raw - raw.max(axis=1, keepdims=True))
            found["btbr"] = chance / chance.sum(axis=1, keepdims=True)
        return found

    def table(self, histories: Baskets, users: np.ndarray, n_each: int) -> Table:
        """The candidates of some of the users, made block by block."""
        tables = []
        for at in blocks(len(users)):
            block = histories.select(users[at])
            one = candidate_table(self.scores(block), self.members, block, n_each)
            tables.append(replace(one, user=users[at][one.user]))
        return joined(tables)


def cross_fitted(
    settings: RankerSettings, train: Part, validation: Part, seed: int, progress: bool
) -> Table:
    """The candidates of training users, by members that never saw them."""
    fold = folds_of_people(train.histories.user_ids, settings.n_folds, seed)
    tables = []
    for number in tqdm(range(settings.n_folds), "cross-fitting", disable=not progress):
        others = some_users(train, np.flatnonzero(fold != number))
        panel = Panel.fit(settings, others, validation, seed)
        held_out = np.flatnonzero(fold == number)
        tables.append(panel.table(train.histories, held_out, settings.n_each))
    return joined(tables)
