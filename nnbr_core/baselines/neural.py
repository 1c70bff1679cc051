"""What the neural baselines share: seeds, batches of users, one stage of training, blocks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Generator, Tensor

from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import InputError, choose
from nnbr_core.training import Stage

POSITIVE = ("dim", "batch_size", "learning_rate", "epochs", "patience")


def check(settings: Any, *positive: str) -> None:
    """Raise if a setting that all of them have, or one of those named, is out of range."""
    choose("labels", settings.labels, ["all", "explore"])
    for name in (*POSITIVE, *positive):
        if getattr(settings, name) <= 0:
            raise InputError(f"{name} {getattr(settings, name)} is not positive")
    rate = getattr(settings, "dropout", 0.0)
    if not 0 <= rate < 1:
        raise InputError(f"dropout {rate} is not between 0 and 1")


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Initial weights come from this seed; the global generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def users_with(labels: sp.csr_matrix) -> np.ndarray:
    """Rows of the users who have a label: the others have nothing to teach."""
    users = np.flatnonzero(labels.getnnz(axis=1))
    if len(users) == 0:
        raise InputError("no training user has a label: there is nothing to learn from")
    return users


def shuffled(users: np.ndarray, batch_size: int, rng: Generator) -> list[np.ndarray]:
    """All users in batches of about equal size, in a new order. None is much smaller."""
    order = users[torch.randperm(len(users), generator=rng).numpy()]
    return np.array_split(order, -(-len(order) // batch_size))


def one_stage(
    name: str,
    settings: Any,
    labels: sp.csr_matrix,
    loss: Callable[[np.ndarray, Generator], Tensor],
    optimiser: Callable,
) -> Stage:
    """A stage over the users who have a label; `loss` is given some of their rows."""
    users = users_with(labels)
    return Stage(
        name=name,
        batches=lambda rng: shuffled(users, settings.batch_size, rng),
        loss=loss,
        optimiser=optimiser,
        epochs=settings.epochs,
        patience=settings.patience,
    )


@torch.no_grad()
def in_blocks(score: Callable[[Baskets], Tensor], histories: Baskets, size: int) -> np.ndarray:
    """float32 [users, items]: `score` of `size` users at a time, which bounds the memory."""
    found = np.empty((histories.n_users, histories.n_items), dtype=np.float32)
    for start in range(0, histories.n_users, size):
        users = np.arange(start, min(start + size, histories.n_users))
        found[users] = score(histories.select(users)).numpy()
    return found
