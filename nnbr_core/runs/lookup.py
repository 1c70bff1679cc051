"""Records as a list: filtered, sorted, or one by the beginning of its id."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from nnbr_core import paths
from nnbr_core.errors import InputError, choose
from nnbr_core.runs import records
from nnbr_core.runs.records import Record

SHORT = 8  # characters of an id that are shown
COLUMNS = ("id", "run", "recall@10", "ndcg@10", "users", "seconds")
LISTED = 5  # ids that a sentence names


def _paths(folder: str = "", beginning: str = "") -> list[Path]:
    return sorted((paths.runs() / folder).rglob(f"{beginning}*.json"))


def by_prefix(beginning: str) -> Record:
    """The one record whose id begins like this."""
    found = _paths(beginning=beginning) if beginning.isalnum() else []
    if not found:
        raise InputError(f"no record's id begins with {beginning!r}: `records` lists them")
    if len(found) > 1:
        some = ", ".join(path.stem for path in found[:LISTED])
        raise InputError(f"{len(found)} ids begin with {beginning!r}: {some}, ...: write more")
    return records.read(found[0])


def _line(record: Record) -> dict:
    config = record.config
    line = {"id": record.id[:SHORT], "run": record.description, "dataset": record.dataset}
    line |= {name: config[name] for name in ("model", "fold", "seed", "profile")}
    line |= config["settings"] | config["recipe"]
    line |= {f"validation {name}": value for name, value in record.validation.items()}
    line |= record.test | {"users": record.users_scored, "seconds": record.seconds}
    return line | {"epochs trained": len(record.curve), "commit": record.commit}


def frame(dataset: str | None = None) -> pd.DataFrame:
    """Every record, or those of a dataset, one row each: settings, results, time."""
    found = (records.find(path) for path in _paths())
    rows = [_line(one) for one in found if one and dataset in (None, one.dataset)]
    if not rows:
        raise InputError(f"nothing is recorded{f' of {dataset}' if dataset else ''}")
    return pd.DataFrame(rows)


def where(found: pd.DataFrame, conditions: Sequence[str]) -> pd.DataFrame:
    """The rows that meet all conditions, each `name=value` as the columns print it."""
    for condition in conditions:
        name, is_there, value = condition.partition("=")
        if not is_there:
            raise InputError(f"{condition!r}: a condition looks like masking=joint")
        choose("column", name, found.columns)
        column = found[name]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            found = found[column == pd.to_numeric(value, errors="coerce")]
        else:
            found = found[column.astype(str) == value]
    return found


def listed(found: pd.DataFrame, sort: str | None, columns: Sequence[str] = COLUMNS) -> pd.DataFrame:
    """Some columns, sorted by any: numbers from the largest, text by the alphabet."""
    for name in (*columns, *([sort] if sort else [])):
        choose("column", name, found.columns)
    if sort:
        is_number = pd.api.types.is_numeric_dtype(found[sort])
        found = found.sort_values(sort, ascending=not is_number, kind="stable")
    return found[list(columns)]
