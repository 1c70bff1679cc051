"""What somebody's function returned, checked before anything is made of it. One sentence each."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor

from nnbr_core.batching import IGNORE, MASK, Batch
from nnbr_core.errors import InputError
from nnbr_core.masking import Masked, Masker
from nnbr_core.swapping import Swap

ARGUMENTS = {"masker": "(batch, ratio, rng)", "swap": "(batch, ratio, hop, rng)"}


def _described(value: Any) -> str:
    if isinstance(value, Tensor | np.ndarray):
        return f"{value.dtype} of shape {tuple(value.shape)}"
    return "nothing" if value is None else f"a {type(value).__name__}"


def check_arguments(kind: str, name: str, function: Callable) -> None:
    """Raise unless the function can be called as its kind is."""
    wanted = ARGUMENTS[kind]
    try:
        signature(function).bind(*wanted.split(","))
    except TypeError:
        taken = signature(function)
        raise InputError(f"{name}{taken} is no {kind}: it is called with {wanted}") from None


def _check_masked(name: str, batch: Batch, found: Any) -> None:
    needed = "what hide(batch, hidden) gives is needed"
    if not (isinstance(found, tuple) and len(found) == 2):
        raise InputError(f"{name} returned {_described(found)}: {needed}")
    for one in found:
        is_right = isinstance(one, Tensor) and one.shape == batch.tokens.shape
        if not is_right or one.dtype != torch.int64:
            shape = tuple(batch.tokens.shape)
            raise InputError(f"{name} returned {_described(one)}: int64 of shape {shape}, {needed}")
    inputs, labels = found
    hidden = labels != IGNORE
    if (hidden & ~batch.is_item).any():
        n_hidden = int((hidden & ~batch.is_item).sum())
        raise InputError(
            f"{name} hides padding ({n_hidden} places): hide only where batch.is_item is true"
        )
    if not hidden.any():
        raise InputError(
            f"{name} hides nothing in a batch of {len(hidden)} users: there is nothing to learn"
        )
    if not torch.equal(torch.where(hidden, labels, inputs), batch.tokens) or not torch.equal(
        inputs == MASK, hidden
    ):
        raise InputError(f"{name} returned other items than it was given: {needed}")


def checked_masker(name: str, function: Callable) -> Masker:
    """The same masker, looked at on every batch: microseconds beside a training step."""
    check_arguments("masker", name, function)

    @wraps(function)
    def masker(batch: Batch, ratio: float, rng: Generator) -> Masked:
        found = function(batch, ratio, rng)
        _check_masked(name, batch, found)
        return Masked(*found)

    return masker


def _check_swapped(name: str, batch: Batch, found: Any) -> None:
    needed = "a Batch, as move(batch, target, ratio, rng) gives, is needed"
    if not isinstance(found, Batch):
        raise InputError(f"{name} returned {_described(found)}: {needed}")
    if not torch.equal(found.tokens, batch.tokens):
        raise InputError(f"{name} changed items: a swap moves them, by their positions alone")
    right = isinstance(found.positions, Tensor) and found.positions.shape == batch.positions.shape
    if not right or found.positions.dtype != torch.int64:
        raise InputError(f"{name} returned positions {_described(found.positions)}: {needed}")
    is_low = found.positions < batch.is_item.long()
    is_high = found.positions > batch.last_position * batch.is_item
    if (is_low | is_high).any():
        wrong = int(found.positions[is_low | is_high][0])
        raise InputError(
            f"{name} moved an item to position {wrong}: 1 to batch.last_position, 0 at padding"
        )


def checked_swap(name: str, function: Callable) -> Swap:
    """The same swap, looked at on every batch."""
    check_arguments("swap", name, function)

    @wraps(function)
    def swap(batch: Batch, ratio: float, hop: int, rng: Generator) -> Batch:
        found = function(batch, ratio, hop, rng)
        _check_swapped(name, batch, found)
        return found

    return swap


def checked_scores(name: str, found: Any, n_users: int, n_items: int) -> np.ndarray:
    """float32 scores of the right shape; -inf means never, other odd numbers are refused."""
    if not isinstance(found, Tensor | np.ndarray) or found.ndim != 2:
        raise InputError(f"{name}.score returned {_described(found)}: an array is needed")
    if tuple(found.shape) != (n_users, n_items):
        raise InputError(
            f"{name}.score returned shape {tuple(found.shape)}: ({n_users}, {n_items}), a row per "
            "user and a column per item, is needed"
        )
    scores = np.asarray(found)
    if scores.dtype.kind not in "fiub":
        raise InputError(f"{name}.score returned {_described(found)}: numbers are needed")
    scores = scores.astype(np.float32, copy=False)
    wrong = np.isnan(scores) | np.isposinf(scores)
    if wrong.any():
        user, item = np.argwhere(wrong)[0]
        raise InputError(
            f"{name}.score returned {scores[user, item]} for user {user} of a block and item {item}"
        )
    return scores
