"""A record: one run's settings and results, small enough to commit, exact for every user."""

import base64
import hashlib
import json
import os
import tempfile
import warnings
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from nnbr_core.data.prepared import sync
from nnbr_core.errors import InputError
from nnbr_core.evaluation import KS
from nnbr_core.metrics import metric_table

DEPTH = max(KS)  # ranks kept for every user


class StoreError(InputError):
    """Records cannot be written: no run could be kept."""


def _to_text(array: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()


def _from_text(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=dtype)


def pack(rows: np.ndarray, hit: np.ndarray, n_relevant: np.ndarray) -> dict[str, str]:
    """Some users as text: who (rows, never falling), which ranks were right, how many wanted.

    All metrics follow from these exactly, in a few bytes per user.
    """
    return {
        "rows": _to_text(np.diff(rows, prepend=0).astype("<u4")),
        "hit": _to_text(np.packbits(hit, axis=1)),
        "n_relevant": _to_text(n_relevant.astype("<u2")),
    }


def unpack(text: dict[str, str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What `pack` was given."""
    rows = np.cumsum(_from_text(text["rows"], "<u4").astype(np.int64))
    bits = _from_text(text["hit"], "u1").reshape(len(rows), -1)
    hit = np.unpackbits(bits, axis=1, count=DEPTH).astype(bool)
    return rows, hit, _from_text(text["n_relevant"], "<u2").astype(np.int64)


@dataclass(frozen=True)
class Record:
    """One finished run."""

    id: str
    description: str
    dataset: str
    config: dict
    data: str  # fingerprint of the baskets
    validation: dict[str, float]  # means over users with a novel target
    test: dict[str, float]
    users_scored: int  # of the test part
    users_left_out: int  # without a novel item in the last basket
    seconds: float
    peak_mb: float  # of the process, which may have done other runs before
    curve: list[dict]  # one entry per epoch; empty for methods without
    chosen: dict  # settings the model chose itself, on validation users
    users: dict[str, dict[str, str]]  # packed, for "validation" and "test"
    commit: str
    versions: dict[str, str]
    code: list[dict] = field(default_factory=list)  # what somebody wrote and the run executed

    def per_user(self, part: str = "test", ks: tuple[int, ...] = KS) -> pd.DataFrame:
        """One row per user (index: row in the dataset), one column per metric.

        With windows a person has several, all under the person's first row in the dataset.
        """
        decoded = self.__dict__.setdefault("_decoded", {})  # once: tables ask again and again
        if (part, ks) not in decoded:
            rows, hit, n_relevant = unpack(self.users[part])
            index = pd.Index(rows, name="user")
            decoded[part, ks] = metric_table(hit, n_relevant, ks).set_index(index)
        return decoded[part, ks]

    def as_row(self) -> dict:
        """A flat row: what was run, recipe, settings, means, and the code if it had any."""
        config = self.config
        row = {"id": self.id, "dataset": self.dataset, "profile": config["profile"]}
        row |= {name: config[name] for name in ("model", "fold", "seed")}
        row |= {"description": self.description} | config["recipe"] | config["settings"]
        for part in ("validation", "test"):
            row |= {f"{part} {name}": value for name, value in getattr(self, part).items()}
        row |= {"users": self.users_scored, "seconds": self.seconds, "commit": self.commit}
        return row | {"source": "\n".join(one["source"] for one in self.code)}


def _checksum(content: dict) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def write(record: Record, path: Path) -> None:
    """Write under another name and rename: a reader sees all of a record or nothing."""
    content = asdict(record)
    if not record.code:  # as records were before there was any
        content.pop("code")
    text = json.dumps(content | {"sha256": _checksum(content)}, indent=1)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".", delete=False) as file:
            temporary = Path(file.name)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # on the disk before the name is: power cuts leave no half
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
        sync(path.parent)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def read(path: Path) -> Record:
    """A record, if it is whole; raises InputError otherwise."""
    try:
        content = json.loads(path.read_text())
        if not isinstance(content, dict):
            raise ValueError(f"it holds {type(content).__name__}, not an object")
        if content.pop("sha256") != _checksum(content):
            raise ValueError("its checksum does not fit")
        return Record(**content)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is not a whole record: {error}") from None


_read_before: dict[Path, tuple[tuple[int, int], Record | None]] = {}


def find(path: Path) -> Record | None:
    """The record at this place, or None; a broken one is reported and counts as none.

    A process reads each file once: it is read again only if it has changed since.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    stamp = (found.st_mtime_ns, found.st_size)
    before = _read_before.get(path)
    if before is None or before[0] != stamp:
        try:
            record = read(path)
        except InputError as error:
            warnings.warn(f"ignored: {error}", stacklevel=2)
            record = None
        before = _read_before[path] = (stamp, record)
    return before[1]
