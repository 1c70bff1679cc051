"""The processed TaFeng set of the paper, untouched, with its three user splits."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import InputError

FILES = ["tafeng_merged.json", *(f"tafeng_keyset_{i}.json" for i in range(3))]


def _json(path: Path) -> dict:
    try:
        found = json.loads(path.read_text())
    except ValueError as error:
        raise InputError(f"{path} is not valid JSON: {error}") from None
    if not isinstance(found, dict) or not found:
        raise InputError(f"{path} holds no users")
    return found


def split_roles(path: Path, user_ids: list[str]) -> np.ndarray:
    """int8 [users]: 0, 1 or 2 for a user that the file lists under train, val or test."""
    row = {user: i for i, user in enumerate(user_ids)}
    role = np.full(len(user_ids), -1, dtype=np.int8)
    keys = _json(path)
    for number, name in enumerate(["train", "val", "test"]):
        if name not in keys:
            raise InputError(f"{path}: {name} is missing")
        unknown = [user for user in keys[name] if user not in row]
        if unknown:
            raise InputError(f"{path}: {name} names user {unknown[0]!r}, who has no baskets")
        members = [row[user] for user in keys[name]]
        if (role[members] != -1).any() or len(set(members)) < len(members):
            raise InputError(f"{path}: {name} names a user twice")
        role[members] = number
    if (role == -1).any():
        raise InputError(f"{path}: user {user_ids[int(np.argmin(role))]!r} is in no part")
    return role


def read(files: list[Path]) -> Baskets:
    """Baskets from user -> list of baskets, and the published splits."""
    users = _json(files[0])
    for user, baskets in users.items():
        wrong = [i for basket in baskets for i in basket if type(i) is not int or i < 0]
        if wrong:
            raise InputError(f"{files[0]}: user {user!r} has item {wrong[0]!r}, not 0 or more")
    found = Baskets.from_lists(list(users.values()), user_ids=list(users))
    return replace(found, splits=np.stack([split_roles(path, list(users)) for path in files[1:]]))
