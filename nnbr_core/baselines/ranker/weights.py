"""A handful of non-negative weights, for datasets too small to grow trees on."""

from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from nnbr_core.baselines.ranker.candidates import Table
from nnbr_core.baselines.ranker.learners import Labels, recall

PULL = 1.0  # of all weights towards 0, in users


def _log_shares(features: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """float64 [rows, members]: the logarithm of each member's share of the user's best."""
    return np.log(np.maximum(features[:, columns], np.finfo(np.float32).tiny)).astype(np.float64)


def _first_rows(user: np.ndarray) -> np.ndarray:
    """Where each user's rows start; they lie together."""
    return np.flatnonzero(np.diff(user, prepend=-1))


def _softmax(logit: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Chances of each row among its user's rows, and their logarithms, float64 [rows]."""
    n_rows = np.diff(np.append(start, len(logit)))
    logit = logit - np.repeat(np.maximum.reduceat(logit, start), n_rows)
    log_total = np.log(np.add.reduceat(np.exp(logit), start))
    logarithm = logit - np.repeat(log_total, n_rows)
    return np.exp(logarithm), logarithm


def _loss(
    weights: np.ndarray, x: np.ndarray, point: np.ndarray, start: np.ndarray
) -> tuple[float, np.ndarray]:
    """Minus the log-likelihood of what was wanted, among a user's candidates; its gradient.

    `point` [rows] is 0 for what nobody wanted; a user's points add up to at most one.
    """
    chance, logarithm = _softmax(x @ weights, start)
    points = np.repeat(np.add.reduceat(point, start), np.diff(np.append(start, len(x))))
    gradient = x.T @ (points * chance - point)
    return PULL * weights @ weights / 2 - point @ logarithm, gradient + PULL * weights


class Weights:
    """Candidates by a weighted sum of the logarithms of what members say: no weight is negative.

    The weights are the likeliest ones for what cross-fitted users wanted. If a single member
    finds more for the same users, it gets all the weight.
    """

    def __init__(self, columns: np.ndarray, weights: np.ndarray, curve: list[dict]) -> None:
        self.columns, self.weights, self.curve = columns, weights, curve
        self.chosen = {"weights": [round(float(weight), 4) for weight in weights]}

    @classmethod
    def fit(cls, table: Table, labels: Labels, best: int) -> "Weights":
        """`best` is the number of the best single member."""
        columns = table.columns("of best")
        point = labels.weight(table) * labels.is_wanted
        has_point = (np.bincount(table.user, point, len(labels.n_wanted)) > 0)[table.user]
        x = _log_shares(table.features[has_point], columns)
        given = (x, point[has_point], _first_rows(table.user[has_point]))
        first = np.eye(len(columns))[best]
        found = minimize(
            _loss, first, given, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(columns)
        )
        curve = [{"stage": "weights", "epoch": int(found.nit), "loss": float(found.fun)}]
        made = cls(columns, found.x, curve)
        single = cls(columns, first, curve)
        by_weights, by_best = (
            np.nanmean(recall(one.logits(table.features), table, labels)) for one in (made, single)
        )
        return made if by_weights >= by_best else single

    def logits(self, features: np.ndarray) -> np.ndarray:
        """float64 [rows]: the weighted sums."""
        return _log_shares(features, self.columns) @ self.weights

    def chances(self, table: Table) -> np.ndarray:
        if len(table.user) == 0:
            return np.zeros(0, dtype=np.float32)
        chance, _ = _softmax(self.logits(table.features), _first_rows(table.user))
        return np.maximum(chance, np.finfo(np.float32).tiny).astype(np.float32)

    def contributions(self, features: np.ndarray) -> np.ndarray:
        found = np.zeros(features.shape)
        found[:, self.columns] = _log_shares(features, self.columns) * self.weights
        return found

    def save(self, folder: Path) -> None:
        np.save(folder / "weights.npy", np.stack([self.columns, self.weights]), allow_pickle=False)

    @classmethod
    def load(cls, folder: Path) -> "Weights":
        columns, weights = np.load(folder / "weights.npy", allow_pickle=False)
        return cls(columns.astype(np.int64), weights, [])
