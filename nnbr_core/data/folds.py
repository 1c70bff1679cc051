"""Users -> train / validation / test; histories and the targets to predict."""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import InputError, choose

N_FOLDS = 5
SPLIT_SEED = 0  # folds never depend on a run's seed
VALIDATION_SHARE = 0.1  # of the users that are not test users
TRAIN, VALIDATION, TEST = 0, 1, 2  # roles, also in published splits


@dataclass(frozen=True)
class Part:
    """Some users: what they bought before, and the last basket that is to be predicted."""

    histories: Baskets
    targets: Baskets  # exactly one basket per user
    rows: np.ndarray | None = None  # int64 [users], each person's first row in the dataset
    past: Baskets | None = None  # with a cut-off: what everybody bought before it

    @property
    def n_users(self) -> int:
        return self.histories.n_users

    def labels(self, mode: str) -> sp.csr_matrix:
        """bool [users, items]: the target, `all` of it or `explore`, its novel part alone."""
        choose("label mode", mode, ["all", "explore"])
        wanted = self.targets.matrix()
        if mode == "explore":
            wanted = wanted - wanted.multiply(self.histories.matrix() > 0)
            wanted.eliminate_zeros()
        return wanted.tocsr().astype(bool)


@dataclass(frozen=True)
class Fold:
    """The three parts of one split. Models are fitted on `train` and watch `validation`."""

    train: Part
    validation: Part
    test: Part


def part(baskets: Baskets, rows: np.ndarray | None = None) -> Part:
    """Cut off every user's last basket."""
    return Part(histories=baskets.histories(), targets=baskets.targets(), rows=rows)


def known_visits(told: Part) -> Part:
    """The same users, whose histories now say on which day the visit to predict takes place."""
    return replace(told, histories=replace(told.histories, visit_days=told.targets.dated))


def has_novel(fold: Fold) -> Fold:
    """The fold itself, if there is something to find for somebody in validation and in test."""
    for name in ("validation", "test"):
        if getattr(fold, name).labels("explore").nnz == 0:
            raise InputError(
                f"no {name} user has a novel item in the basket to predict: nothing can be found"
            )
    return fold


def n_folds(baskets: Baskets) -> int:
    """How many folds there are: the published splits, or five disjoint ones."""
    return N_FOLDS if baskets.splits is None else len(baskets.splits)


def roles(baskets: Baskets, fold: int) -> np.ndarray:
    """int8 [users]: TRAIN, VALIDATION or TEST.

    Published splits are used where the source has them. Elsewhere the test users of fold f
    are the f-th fifth of one seeded permutation, so that five folds test everybody once:

        permutation   a b | c d | e f | g h | i j
        fold 1        r r | T T | r v | r r | r r     v: a tenth of the rest, drawn per fold

    Rows of the same person (windows) always share a role.
    """
    if not 0 <= fold < n_folds(baskets):
        raise InputError(f"fold {fold} does not exist: choose 0 to {n_folds(baskets) - 1}")
    if baskets.splits is not None:
        return np.asarray(baskets.splits[fold])
    people, person_of_row = np.unique(baskets.user_ids, return_inverse=True)
    if len(people) < N_FOLDS:
        raise InputError(f"{len(people)} users cannot be split: at least {N_FOLDS} are needed")
    fifths = np.array_split(np.random.default_rng(SPLIT_SEED).permutation(len(people)), N_FOLDS)
    rest = np.concatenate([fifth for f, fifth in enumerate(fifths) if f != fold])
    n_validation = max(1, round(VALIDATION_SHARE * len(rest)))
    role = np.full(len(people), TRAIN, dtype=np.int8)
    role[fifths[fold]] = TEST
    role[np.random.default_rng([SPLIT_SEED, fold]).permutation(rest)[:n_validation]] = VALIDATION
    return role[person_of_row]


def first_rows(baskets: Baskets) -> np.ndarray:
    """int64 [users]: the first row of the same person, which without windows is the row itself."""
    _, first, person_of_row = np.unique(baskets.user_ids, return_index=True, return_inverse=True)
    return first[person_of_row]


def split(baskets: Baskets, fold: int) -> Fold:
    """Train, validation and test users of one fold, each with histories and targets."""
    if (baskets.baskets_per_user < 2).any():
        user = baskets.user_ids[np.argmax(baskets.baskets_per_user < 2)]
        raise InputError(f"user {user} has one basket: without a history nothing can be predicted")
    role = roles(baskets, fold)
    rows = [np.flatnonzero(role == r) for r in (TRAIN, VALIDATION, TEST)]
    person = first_rows(baskets)
    return has_novel(Fold(*(part(baskets.select(users), person[users]) for users in rows)))
