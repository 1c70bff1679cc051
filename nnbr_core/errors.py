"""One kind of error for everything a user can put right, and the nearest valid name."""

import difflib
from collections.abc import Iterable

N_LISTED = 30  # valid names before a hint gets too long


class InputError(ValueError):
    """Something the user gave cannot be used; the message says what, where and what would do."""


def nearest(name: str, valid: Iterable[str]) -> str:
    """A hint to end a sentence with: the closest valid name, or all of them, the first thirty.

    >>> nearest("tafang", ["tafeng", "toy"])
    "did you mean 'tafeng'?"
    """
    valid = sorted(valid)
    close = difflib.get_close_matches(str(name), valid, n=1)
    more = ", ..." if len(valid) > N_LISTED else ""
    listed = ", ".join(valid[:N_LISTED]) + more
    return f"did you mean '{close[0]}'?" if close else f"choose from: {listed}"


def choose(kind: str, name: str, valid: Iterable[str]) -> str:
    """`name` itself if it is valid; otherwise raise with the nearest valid name."""
    valid = list(valid)
    if name not in valid:
        raise InputError(f"unknown {kind} {name!r}: {nearest(name, valid)}")
    return name
