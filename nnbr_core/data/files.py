"""A user's file under a name and in an encoding that the database can read.

No path of a user's reaches SQL: a link with a plain name stands for the file, so that quotes,
brackets or line breaks in a name are just letters. Text that is not UTF-8 is copied as UTF-8.
"""

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from nnbr_core.errors import InputError

BROKEN = (OSError, EOFError, zlib.error)  # what a damaged or foreign file raises
SEPARATORS = ",;\t|"
BLOCK = 1 << 20  # letters copied at a time
HEADER = 1 << 16  # letters in which the column names must stand
HEAD = 64  # bytes that show whether every second one is empty, as in UTF-16
GUESS = "cp1252"  # what Western spreadsheets write when they do not write UTF-8


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else open(path, "rb")


def _first_bytes(path: Path) -> bytes:
    try:
        with _open(path) as file:
            return file.read(HEAD)
    except BROKEN as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def text_encoding(path: Path, given: str | None) -> str:
    """The encoding asked for, or UTF-16 where the first bytes show it, or else UTF-8."""
    if given is not None:
        try:
            "".encode(given)
        except LookupError:
            raise InputError(
                f"encoding {given!r} is not known: give one such as {GUESS}, utf-16 or utf-8"
            ) from None
        return given
    head = _first_bytes(path)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if len(head) > 1 and head[1::2].count(0) * 2 > len(head[1::2]):
        return "utf-16-le"
    if head[::2].count(0) * 2 > len(head[::2]):
        return "utf-16-be"
    return "utf-8"


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


def linked(path: Path, scratch: Path, suffix: str) -> Path:
    """A link to a file under a plain name of its own in `scratch`."""
    link = scratch / f"input_{len(list(scratch.glob('input_*')))}{suffix}"
    link.symlink_to(path.absolute())
    return link


def copied(path: Path, scratch: Path, encoding: str) -> Path:
    """The text as UTF-8 with one kind of line end, in a file of its own in `scratch`."""
    copy = scratch / f"input_{len(list(scratch.glob('input_*')))}.csv"
    try:
        with (
            io.TextIOWrapper(_open(path), encoding=encoding) as read,
            open(copy, "w", encoding="utf-8", newline="\n") as written,
        ):
            while block := read.read(BLOCK):
                written.write(block.removeprefix("\ufeff"))
    except UnicodeError as error:
        raise InputError(
            f"{path} cannot be read as {encoding}: {error.reason}; give another encoding"
        ) from None
    except BROKEN as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    return copy


def as_utf8(path: Path, scratch: Path, encoding: str | None) -> Path:
    """A plain name for a text file; a copy only where the text is not UTF-8."""
    found = text_encoding(path, encoding)
    if not _is_utf8(found):
        return copied(path, scratch, found)
    return linked(path, scratch, ".csv.gz" if path.suffix.lower() == ".gz" else ".csv")


def header(path: Path, shown: Path, wanted: Sequence[str]) -> tuple[list[str], str]:
    """The columns of a text file, and the separator that finds most of the wanted ones."""
    try:
        with io.TextIOWrapper(_open(path), encoding="utf-8-sig") as file:
            start = file.read(HEADER)
    except UnicodeDecodeError:
        raise InputError(not_utf8(shown)) from None
    except BROKEN as error:
        raise InputError(f"{shown} cannot be read: {error}") from None
    found = {}
    for separator in SEPARATORS:
        try:
            row = next(csv.reader(io.StringIO(start), delimiter=separator, strict=True), [])
        except csv.Error:
            continue
        found[separator] = row
    if not found:
        raise InputError(f"{shown}: the first line cannot be read as column names")

    def fit(separator: str) -> tuple[int, int]:
        names = found[separator]
        return len(set(wanted) & set(names)), len(names)

    best = max(found, key=fit)
    return found[best], best


def not_utf8(path: Path, line: str = "") -> str:
    where = f", line {line}" if line else ""
    return (
        f"{path}{where}: the text is not UTF-8, it seems to be {GUESS}; "
        f"if so, give encoding {GUESS}"
    )
