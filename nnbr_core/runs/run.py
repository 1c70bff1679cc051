"""Run it or find it: a run that was done once is never done again."""

import hashlib
import platform
import resource
import subprocess
import time
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from filelock import FileLock

from nnbr_core import evaluation, paths
from nnbr_core.baselines.api import Recommender
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Fold, Part
from nnbr_core.data.sources import find_source
from nnbr_core.metrics import metric_table
from nnbr_core.runs import records, weights
from nnbr_core.runs.config import QUICK_USERS, Config
from nnbr_core.runs.own_code import installed
from nnbr_core.runs.protocols import (
    context_of,
    counted_again,
    fingerprint_of,
    load_for,
    split_for,
)
from nnbr_core.runs.records import DEPTH, Record, StoreError

OWN = "own"  # the folder of runs that executed somebody's own code


def data_for(config: Config, progress: bool = False) -> Baskets:
    """The baskets a run sees: in the quick profile every n-th user, 500 at most."""
    baskets = load_for(config.protocol, config.dataset, config.recipe, progress)
    if config.profile == "quick" and baskets.n_users > QUICK_USERS:
        evenly = np.linspace(0, baskets.n_users - 1, QUICK_USERS).astype(np.int64)
        return baskets.select(evenly)
    return baskets


def _id(config: Config, fingerprint: str) -> str:
    return hashlib.sha256(config.identity(fingerprint).encode()).hexdigest()[:16]


def run_id(config: Config, baskets: Baskets) -> str:
    """The same for the same settings and data, on any day and machine."""
    return _id(config, fingerprint_of(config, baskets))


def _profile_folder(profile: str, store: Path | None, own: bool = False) -> Path:
    store = (store or paths.runs()) / OWN if own else store or paths.runs()
    return store / "quick" if profile == "quick" else store


def folder_for(config: Config, store: Path | None = None) -> Path:
    """Where records of this dataset lie; quick ones apart, so that no table mixes them in.

    So are those of code that somebody wrote: they are not committed.
    """
    folder = _profile_folder(config.profile, store, own=bool(config.code))
    return folder / find_source(config.dataset).name


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


def _judge(score: evaluation.Score, part: Part, counts: np.ndarray) -> dict:
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
        "packed": records.pack(part.rows, hit, n_relevant),
        "n_scored": int((n_relevant > 0).sum()),
    }


def train(config: Config, fold: Fold, progress: bool = False) -> Recommender:
    """A fitted model. It is given test users' histories, never their last baskets."""
    with installed(config.code):
        model = config.kind.make(config.settings, fold.train.histories, config.seed)
        model.fit(fold.train, fold.validation, context_of(config, fold), progress)
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
def _do(
    config: Config, baskets: Baskets, record_id: str, progress: bool
) -> tuple[Record, Recommender]:
    """The run's record, and the model that was trained for it."""
    started = time.perf_counter()
    fold = split_for(config, baskets)
    model = train(config, fold, progress)
    later = counted_again(config, model, fold)
    counts = fold.train.histories.item_counts()
    judged = {
        "validation": _judge(model.score, fold.validation, counts),
        "test": _judge(later.score, fold.test, counts),
    }
    record = Record(
        id=record_id,
        description=str(config),
        dataset=find_source(config.dataset).name,
        config=config.as_dict() | {"dataset": find_source(config.dataset).name},
        data=fingerprint_of(config, baskets),
        validation=judged["validation"]["means"],
        test=judged["test"]["means"],
        users_scored=judged["test"]["n_scored"],
        users_left_out=fold.test.n_users - judged["test"]["n_scored"],
        seconds=round(time.perf_counter() - started, 3),
        peak_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        curve=model.curve,
        chosen=model.chosen,
        users={name: part["packed"] for name, part in judged.items()},
        commit=_commit(),
        versions={"python": platform.python_version()}
        | {name: version(name) for name in ("nnbr-core", "numpy", "torch")},
        code=[asdict(one) for one in config.code],
    )
    return record, model


def find_by(config: Config, fingerprint: str, store: Path | None = None) -> Record | None:
    """The record of this run on data of this fingerprint, or None. No data is loaded."""
    return records.find(folder_for(config, store) / f"{_id(config, fingerprint)}.json")


def find(config: Config, store: Path | None = None) -> Record | None:
    """The record of this run, or None."""
    return find_by(config, fingerprint_of(config, data_for(config)), store)


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


def _keep(
    config: Config, baskets: Baskets, path: Path, progress: bool
) -> tuple[Record, Recommender]:
    """Train, and keep record and weights, unless somebody stopped the training on its way."""
    record, model = _do(config, baskets, path.stem, progress)
    if not model.was_interrupted:
        records.write(record, path)  # first: weights can be lost, hours cannot
        if model.can_be_saved:
            weights.keep(model, path.stem)
    return record, model


def run(config: Config, store: Path | None = None, progress: bool = False) -> Record:
    """The record of this run: found, or trained now and written.

    Two processes that ask for the same run train it once: the second one waits. A training
    that was interrupted gives its record, but does not keep it.
    """
    _commit()
    baskets = data_for(config, progress)
    path = folder_for(config, store) / f"{run_id(config, baskets)}.json"
    if found := records.find(path):
        return found
    with _locked(store or paths.runs(), path.stem):
        return records.find(path) or _keep(config, baskets, path, progress)[0]


def run_again(config: Config, progress: bool = False) -> Recommender:
    """The model of a run, trained in any case, whether or not its record is there."""
    _commit()
    baskets = data_for(config, progress)
    path = folder_for(config) / f"{run_id(config, baskets)}.json"
    with _locked(paths.runs(), path.stem):
        return _keep(config, baskets, path, progress)[1]


def all_records(
    dataset: str, store: Path | None = None, profile: str = "paper", own: bool = False
) -> list[Record]:
    """All records of a dataset, by id; or those of code that somebody wrote, which lie apart."""
    folder = _profile_folder(profile, store, own) / dataset
    found = [records.find(path) for path in sorted(folder.glob("*.json"))]
    return [record for record in found if record]


def recorded_datasets(profile: str = "paper", own: bool = False) -> list[str]:
    """Names of the datasets that have records."""
    folder, apart = _profile_folder(profile, None, own), {OWN, "quick"}
    return sorted({path.parent.name for path in folder.glob("*/*.json")} - apart)


def find_by_id(start: str) -> list[Record]:
    """All records whose id starts like this, wherever they lie."""
    found = [records.find(path) for path in sorted(paths.runs().rglob(f"{start}*.json"))]
    return [record for record in found if record]


def frame(dataset: str, store: Path | None = None, profile: str = "paper") -> pd.DataFrame:
    """All records of a dataset, one row each: recipe, settings, validation and test means."""
    return pd.DataFrame([record.as_row() for record in all_records(dataset, store, profile)])
