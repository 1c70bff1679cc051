"""Per-user ranking metrics: `hit` is bool [U, K], is rank j right?; `n_relevant` is int [U]."""

import numpy as np
import pandas as pd


def _per_wanted(value: np.ndarray, n_relevant: np.ndarray, ideal: np.ndarray) -> np.ndarray:
    """value / ideal, and NaN for a user who wanted nothing: there is no right answer to find."""
    return np.where(n_relevant > 0, value / np.where(n_relevant > 0, ideal, 1), np.nan)


def _discounts(n_ranks: int) -> np.ndarray:
    """1 / log2(rank + 1) for ranks 1, 2, ..., n_ranks."""
    return 1 / np.log2(np.arange(2, n_ranks + 2))


def _ideal(n_found: np.ndarray) -> np.ndarray:
    """The discounted gain of a perfect list of n_found items, per user."""
    return np.concatenate([[0], np.cumsum(_discounts(n_found.max(initial=0)))])[n_found]


def recall_at(k: int, hit: np.ndarray, n_relevant: np.ndarray) -> np.ndarray:
    """Share of what each user wanted that appears in their top k."""
    return _per_wanted(hit[:, :k].sum(axis=1), n_relevant, n_relevant)


def ndcg_at(k: int, hit: np.ndarray, n_relevant: np.ndarray) -> np.ndarray:
    """Gain discounted by rank, against the best list of k items: the paper's formula."""
    gain = hit[:, :k] @ _discounts(hit[:, :k].shape[1])
    return _per_wanted(gain, n_relevant, _ideal(np.minimum(n_relevant, k)))


def ndcg_code_at(k: int, hit: np.ndarray, n_relevant: np.ndarray) -> np.ndarray:
    """The same against a list of everything wanted, however long: the paper's printed numbers.

    A user who wanted more than k items cannot reach 1 here.
    """
    gain = hit[:, :k] @ _discounts(hit[:, :k].shape[1])
    return _per_wanted(gain, n_relevant, _ideal(n_relevant))


def hit_rate_at(k: int, hit: np.ndarray, n_relevant: np.ndarray) -> np.ndarray:
    """1 if anything in the top k was wanted, else 0."""
    return _per_wanted(hit[:, :k].any(axis=1), n_relevant, np.ones_like(n_relevant))


def precision_at(k: int, hit: np.ndarray, n_relevant: np.ndarray) -> np.ndarray:
    """Share of the k places that hold something wanted."""
    return _per_wanted(hit[:, :k].sum(axis=1), n_relevant, np.full_like(n_relevant, k))


METRICS = {
    "recall": recall_at,
    "ndcg": ndcg_at,
    "ndcg_code": ndcg_code_at,
    "hit_rate": hit_rate_at,
    "precision": precision_at,
}


def metric_table(hit: np.ndarray, n_relevant: np.ndarray, ks: tuple[int, ...]) -> pd.DataFrame:
    """One row per user and one column per metric, such as `recall@10`."""
    return pd.DataFrame(
        {f"{name}@{k}": of(k, hit, n_relevant) for k in ks for name, of in METRICS.items()}
    )
