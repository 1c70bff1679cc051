"""How features become an order: small trees for many users, a handful of weights for few."""

from pathlib import Path
from typing import Protocol

import lightgbm as lgb
import numpy as np
from scipy.special import expit

from nnbr_core.baselines.ranker.candidates import Table

TREES = {
    "objective": "binary",  # steadier than lambdarank, whose stopping is a lottery
    "num_leaves": 15,
    "min_data_in_leaf": 500,
    "lambda_l2": 10.0,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.5,
    "bagging_freq": 1,
    "max_bin": 63,
    "deterministic": True,
    "force_col_wise": True,  # a feature's sums are one thread's: the same on any number of them
    "num_threads": 1,  # as all runs: a sweep gives each core a run of its own
    "verbosity": -1,
}
PATIENCE = 30  # trees without a smaller validation loss before growing ends
STEPS_SHOWN = 10  # trees between two rows of the learning curve


class Labels:
    """What the users of a table wanted: one number per row, and one per user."""

    def __init__(self, table: Table, wanted) -> None:
        """`wanted` is bool [users, items], the novel part of their last baskets."""
        self.is_wanted = np.asarray(wanted[table.user, table.item]).ravel()  # bool [rows]
        self.n_wanted = wanted.getnnz(axis=1)  # int [users]

    def weight(self, table: Table) -> np.ndarray:
        """float32 [rows]: recall shares one point among everything a user wanted."""
        return (1 / np.maximum(self.n_wanted, 1)).astype(np.float32)[table.user]

    @property
    def ceiling(self) -> float:
        """The share of all wanted items that are candidates: no order can find more."""
        return float(self.is_wanted.sum() / max(self.n_wanted.sum(), 1))


def recall(order_by: np.ndarray, table: Table, labels: Labels, k: int = 10) -> np.ndarray:
    """float64 [users]: recall@k if candidates are ranked by this [rows]; NaN: nothing wanted."""
    order = np.lexsort((table.item, -order_by, table.user))
    user = table.user[order]
    rank = np.arange(len(user)) - np.searchsorted(user, user)
    is_hit = labels.is_wanted[order] & (rank < k)
    found = np.bincount(user[is_hit], minlength=len(labels.n_wanted))
    return np.where(labels.n_wanted > 0, found / np.maximum(labels.n_wanted, 1), np.nan)


def _dataset(
    table: Table, labels: Labels, unwanted: float = 1.0, seed: int = 0, **options
) -> lgb.Dataset:
    """What LightGBM reads: users who wanted something novel, one point each.

    A random share of the `unwanted` candidates stands for all of them.
    """
    draw = np.random.default_rng(seed).random(len(table.user))
    is_read = (labels.is_wanted | (draw < unwanted)) & (labels.n_wanted[table.user] > 0)
    rows = np.flatnonzero(is_read)
    wanted = labels.is_wanted[rows]
    weight = labels.weight(table)[rows] * np.where(wanted, 1, 1 / unwanted)
    features = table.features[rows]
    return lgb.Dataset(features, wanted.astype(np.float32), weight=weight, params=TREES, **options)


class Learner(Protocol):
    """What turns features into scores of candidates, and says which of them spoke for what."""

    curve: list[dict]  # a row per step of learning
    chosen: dict  # what was found

    def chances(self, table: Table) -> np.ndarray:
        """float32 [rows], above 0 and at most 1: how likely each candidate is wanted."""

    def contributions(self, features: np.ndarray) -> np.ndarray:
        """float [rows, features]: what each feature adds to the score of a candidate."""


class Trees:
    """The mean of a few LightGBM models that differ in their seed."""

    def __init__(self, boosters: list[lgb.Booster], curve: list[dict]) -> None:
        self.boosters, self.curve = boosters, curve
        self.chosen = {"trees": [one.best_iteration or one.num_trees() for one in boosters]}

    @classmethod
    def fit(
        cls,
        train: tuple[Table, Labels],
        validation: tuple[Table, Labels],
        n_models: int,
        learning_rate: float,
        max_trees: int,
        unwanted: float,
        seed: int,
    ) -> "Trees":
        """Grow trees on training users until the loss of validation users stops falling.

        Each model reads other candidates that nobody wanted: together they read most of them.
        """
        boosters, curve = [], []
        for number in range(n_models):
            data = _dataset(*train, unwanted, seed + number)
            watched = _dataset(*validation, reference=data)
            losses: dict = {}
            options = TREES | {"learning_rate": learning_rate, "seed": seed + number}
            watch = [lgb.early_stopping(PATIENCE, verbose=False), lgb.record_evaluation(losses)]
            booster = lgb.train(options, data, max_trees, [watched], callbacks=watch)
            boosters.append(booster)
            (loss,) = losses["valid_0"].values()
            curve += [
                {"stage": f"trees {number + 1}", "epoch": n, "loss": loss[n - 1]}
                for n in range(STEPS_SHOWN, len(loss) + 1, STEPS_SHOWN)
            ]
        return cls(boosters, curve)

    def _mean(self, features: np.ndarray, **what) -> np.ndarray:
        options = what | {"num_threads": TREES["num_threads"]}
        return np.mean([one.predict(features, **options) for one in self.boosters], axis=0)

    def chances(self, table: Table) -> np.ndarray:
        return expit(self._mean(table.features, raw_score=True)).astype(np.float32)

    def contributions(self, features: np.ndarray) -> np.ndarray:
        # The last column is what all candidates share.
        return self._mean(features, pred_contrib=True)[:, :-1]

    def save(self, folder: Path) -> None:
        for number, booster in enumerate(self.boosters):
            booster.save_model(folder / f"trees-{number}.txt")

    @classmethod
    def load(cls, folder: Path) -> "Trees":
        files = sorted(folder.glob("trees-*.txt"), key=lambda path: int(path.stem[6:]))
        return cls([lgb.Booster(model_file=path) for path in files], [])
