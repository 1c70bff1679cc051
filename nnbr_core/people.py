"""Who is asked about: a user of a dataset, or somebody whose baskets are typed by name or id."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import InputError, nearest

N_LISTED = 6  # candidates before a message gets too long

Typed = str | int | Sequence[str | int] | Sequence[Sequence[str | int]]


def item_labels(catalogue: pd.DataFrame) -> pd.Series:
    """One label per item, each different: its name, and its id where others share the name."""
    name = catalogue["name"]
    return name.where(~name.duplicated(keep=False), name + " (" + catalogue["id"] + ")")


def item_number(catalogue: pd.DataFrame, text: str | int) -> int:
    """The item that is meant: by its id, its name, or a part of the name that only it has.

    >>> shelf = pd.DataFrame({"id": ["7", "8"], "name": ["WHOLE MILK", "OAT DRINK"]})
    >>> item_number(shelf, "milk"), item_number(shelf, 8)
    (0, 1)
    """
    wanted, labels = str(text).strip(), item_labels(catalogue)
    folded = catalogue["name"].str.casefold()
    tries = (
        catalogue["id"] == wanted,
        labels == wanted,
        folded == wanted.casefold(),
        folded.str.contains(wanted.casefold(), regex=False) if wanted else folded != folded,
    )
    for found in tries:
        numbers = np.flatnonzero(found)
        if len(numbers) == 1:
            return int(numbers[0])
        if len(numbers) > 1:
            some = ", ".join(labels.iloc[numbers[:N_LISTED]])
            more = ", ..." if len(numbers) > N_LISTED else ""
            raise InputError(f"{wanted!r} may be any of {len(numbers)} items: {some}{more}")
    raise InputError(f"unknown item {wanted!r}: {nearest(wanted, [*labels, *catalogue['id']])}")


def typed_person(catalogue: pd.DataFrame, typed: Typed) -> Baskets:
    """Somebody who bought what is typed: one item, one basket, or several baskets, oldest first."""
    if isinstance(typed, str | int):
        typed = [typed]
    is_nested = bool(typed) and not isinstance(typed[0], str | int)
    baskets = [
        list(dict.fromkeys(item_number(catalogue, one) for one in basket))
        for basket in (typed if is_nested else [typed])
    ]
    if not all(baskets):
        raise InputError("a typed basket is empty: at least one item is needed to go by")
    return Baskets.from_lists([baskets], user_ids=["you"], catalogue=catalogue)


def user_of(baskets: Baskets, user: str | int) -> Baskets:
    """One user of a dataset: by number, from 0, or by the id that the source has."""
    if isinstance(user, str):
        found = np.flatnonzero(baskets.user_ids == user)
        if len(found) == 0:
            raise InputError(f"unknown user {user!r}: {nearest(user, baskets.user_ids[:1000])}")
        return baskets.select(found[-1:])  # of several windows the latest
    if not 0 <= user < baskets.n_users:
        raise InputError(f"user {user}: 0 to {baskets.n_users - 1}, or an id as text")
    return baskets.select([user])
