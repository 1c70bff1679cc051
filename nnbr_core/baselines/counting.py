"""Who bought what, as sparse matrices: what every method that only counts starts from."""

import numpy as np
import scipy.sparse as sp

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part

TIE_BREAK = 1e-6  # popularity decides between items that nothing else tells apart


def bought(histories: Baskets) -> sp.csr_matrix:
    """float32 [users, items]: 1 for everything a user ever bought."""
    return (histories.matrix() > 0).astype(np.float32)


def sequences(train: Part) -> sp.csr_matrix:
    """float32 [users, items]: 1 for everything in a training user's history or last basket."""
    return ((train.histories.matrix() + train.targets.matrix()) > 0).astype(np.float32)


def unit_rows(rows: sp.csr_matrix) -> sp.csr_matrix:
    """The rows at length 1; empty ones stay empty."""
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return (sp.diags(1 / np.maximum(length, 1e-12)) @ rows).tocsr().astype(np.float32)


def item_counts(rows: sp.csr_matrix) -> np.ndarray:
    """float32 [items]: column sums."""
    return np.asarray(rows.sum(axis=0), dtype=np.float32).ravel()


def tie_break(n_bought: np.ndarray) -> np.ndarray:
    """float32 [items]: far less than any score, and more for what is bought more often."""
    return np.float32(TIE_BREAK) * n_bought / max(n_bought.sum(), 1)
