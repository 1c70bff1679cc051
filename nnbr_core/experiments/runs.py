"""Run it or find it: a run that was done once is never done again."""

import hashlib
import platform
import resource
import shutil
import subprocess
import tempfile
import time
import warnings
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from filelock import FileLock

from nnbr_core import evaluation, paths
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Fold, Part, first_rows, roles, split
from nnbr_core.data.prepare import load
from nnbr_core.data.sources import find_source
from nnbr_core.errors import InputError
from nnbr_core.experiments import records
from nnbr_core.experiments.config import QUICK_USERS, Config
from nnbr_core.experiments.models import MODELS
from nnbr_core.experiments.records import DEPTH, Record, StoreError
from nnbr_core.metrics import metric_table


def data_for(config: Config, progress: bool = False) -> Baskets:
    """The baskets a run sees: in the quick profile every n-th user, 500 at most."""
    baskets = load(config.dataset, config.recipe, progress)
    if config.profile == "quick" and baskets.n_users > QUICK_USERS:
        evenly = np.linspace(0, baskets.n_users - 1, QUICK_USERS).astype(np.int64)
        return baskets.select(evenly)
    return baskets


def _id(config: Config, fingerprint: str) -> str:
    return hashlib.sha256(config.identity(fingerprint).encode()).hexdigest()[:16]


def run_id(config: Config, baskets: Baskets) -> str:
    """The same for the same settings and data, on any day and machine."""
    return _id(config, baskets.fingerprint)


def _profile_folder(profile: str, store: Path | None) -> Path:
    store = store or paths.runs()
    return store / "quick" if profile == "quick" else store


def folder_for(config: Config, store: Path | None = None) -> Path:
    """Where records of this dataset lie; quick ones apart, so that no table mixes them in."""
    return _profile_folder(config.profile, store) / find_source(config.dataset).name


@cache
def _commit() -> str:
    """The commit of the code in memory: asked once, when a process first runs something.

    A training takes hours, and by its end the checkout may be another one.
    """
    try:
        head = ["git", "-C", str(paths.project_root()), "rev-parse", "--short", "HEAD"]
        return subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _judge(score: evaluation.Score, part: Part, person: np.ndarray, counts: np.ndarray) -> dict:
    """Means over users, and the packed users, of one part."""
    width = min(DEPTH, part.histories.n_items)  # a tiny catalogue fills fewer places
    top = evaluation.top_novel(score, part.histories, width)
    wanted = part.labels("explore")
    hit = np.zeros((part.n_users, DEPTH), dtype=bool)
    hit[:, :width] = evaluation.hits(top, wanted)
    n_relevant = wanted.getnnz(axis=1)
    means = metric_table(hit, n_relevant, evaluation.KS).mean().to_dict()
    for k in evaluation.KS:
        means |= evaluation.reach(top, counts, k)
    return {
        "means": means,
        "packed": records.pack(person, hit, n_relevant),
        "n_scored": int((n_relevant > 0).sum()),
    }


def _save_weights(model: object, record_id: str) -> None:
    """Keep weights next to others by record id; losing them costs a training, nothing else."""
    paths.weights().mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=".building-", dir=paths.weights()))
    model.save(building)
    shutil.rmtree(paths.weights() / record_id, ignore_errors=True)
    building.rename(paths.weights() / record_id)


def train(config: Config, baskets: Baskets, fold: Fold, progress: bool = False) -> object:
    """A fitted model. It is given test users' histories, never their last baskets."""
    model = MODELS[config.model].make(config.settings, baskets, config.seed)
    model.fit(fold.train, fold.validation, fold.test.histories, progress)
    return model


@contextmanager
def _one_thread():
    """The same numbers on every machine need the same order of additions."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@_one_thread()
def _do(config: Config, baskets: Baskets, record_id: str, progress: bool) -> tuple[Record, bool]:
    """The run's record, and whether it was trained to the end."""
    started = time.perf_counter()
    fold = split(baskets, config.fold)
    role, person = roles(baskets, config.fold), first_rows(baskets)
    model = train(config, baskets, fold, progress)
    counts = fold.train.histories.item_counts()
    judged = {
        name: _judge(model.score, part, person[role == number], counts)
        for number, name, part in ((1, "validation", fold.validation), (2, "test", fold.test))
    }
    is_complete = not getattr(model, "was_interrupted", False)
    if is_complete and hasattr(model, "save"):
        _save_weights(model, record_id)
    record = Record(
        id=record_id,
        description=str(config),
        dataset=find_source(config.dataset).name,
        config=config.as_dict() | {"dataset": find_source(config.dataset).name},
        data=baskets.fingerprint,
        validation=judged["validation"]["means"],
        test=judged["test"]["means"],
        users_scored=judged["test"]["n_scored"],
        users_left_out=fold.test.n_users - judged["test"]["n_scored"],
        seconds=round(time.perf_counter() - started, 3),
        peak_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        curve=getattr(model, "curve", []),
        chosen=getattr(model, "chosen", {}),
        users={name: part["packed"] for name, part in judged.items()},
        commit=_commit(),
        versions={"python": platform.python_version()}
        | {name: version(name) for name in ("nnbr-core", "numpy", "torch")},
    )
    return record, is_complete


def read_or_warn(path: Path) -> Record | None:
    """The record at this place, if there is a whole one; a broken one is reported."""
    try:
        return records.read(path) if path.is_file() else None
    except InputError as error:
        warnings.warn(f"ignored: {error}", stacklevel=3)
        return None


def find_by(config: Config, fingerprint: str, store: Path | None = None) -> Record | None:
    """The record of this run on data of this fingerprint, or None. No data is loaded."""
    return read_or_warn(folder_for(config, store) / f"{_id(config, fingerprint)}.json")


def find(config: Config, store: Path | None = None) -> Record | None:
    """The record of this run, or None."""
    return find_by(config, data_for(config).fingerprint, store)


@contextmanager
def _locked(store: Path, record_id: str):
    """Held while a run is trained; the system frees it when a process dies."""
    lock = FileLock(store / ".locks" / record_id)
    try:
        (store / ".locks").mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except OSError as error:
        raise StoreError(f"{store} cannot be written: {error.strerror}") from None
    try:
        yield
    finally:
        lock.release()


def run(
    config: Config, store: Path | None = None, progress: bool = False, again: bool = False
) -> Record:
    """The record of this run: found, or trained now and written; `again` trains in any case.

    Two processes that ask for the same run train it once: the second one waits. A training
    that was interrupted gives its record, but does not keep it.
    """
    _commit()
    baskets = data_for(config, progress)
    record_id = run_id(config, baskets)
    path = folder_for(config, store) / f"{record_id}.json"
    if not again and (found := read_or_warn(path)):
        return found
    with _locked(store or paths.runs(), record_id):
        if not again and (found := read_or_warn(path)):
            return found
        record, is_complete = _do(config, baskets, record_id, progress)
        if is_complete:
            records.write(record, path)
        return record


def all_records(dataset: str, store: Path | None = None, profile: str = "paper") -> list[Record]:
    """All records of a dataset, by id."""
    folder = _profile_folder(profile, store) / dataset
    found = [read_or_warn(path) for path in sorted(folder.glob("*.json"))]
    return [record for record in found if record]


def frame(dataset: str, store: Path | None = None, profile: str = "paper") -> pd.DataFrame:
    """All records of a dataset, one row each: recipe, settings, validation and test means."""
    rows = []
    for record in all_records(dataset, store, profile):
        config = record.config
        row = {"id": record.id, "model": config["model"], "fold": config["fold"]}
        row |= {"seed": config["seed"]} | config["recipe"] | config["settings"]
        for part in ("validation", "test"):
            row |= {f"{part} {name}": value for name, value in getattr(record, part).items()}
        rows.append(row | {"users": record.users_scored, "seconds": record.seconds})
    return pd.DataFrame(rows)
