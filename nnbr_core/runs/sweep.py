"""Many runs: what exists is skipped, the rest is spread over cores or a Dask cluster."""

import tempfile
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from dask import config as dask_config
from distributed import Client, LocalCluster, as_completed

from nnbr_core import paths
from nnbr_core.errors import InputError
from nnbr_core.runs import records
from nnbr_core.runs import run as runs
from nnbr_core.runs.config import Config
from nnbr_core.runs.cost import Cost, cores, run_seconds, together
from nnbr_core.runs.progress import Progress
from nnbr_core.runs.records import StoreError
from nnbr_core.settings import Limits, checked

GONE = (CancelledError, OSError, TimeoutError)  # how a lost scheduler shows itself
LOOPBACK = "127.0.0.1:0"  # nobody outside this machine is served
MAX_WORKERS = 1024
ATTEMPTS = 5  # of a run whose worker was lost on the way


@dataclass(frozen=True)
class Outcome:
    """What became of one run; `error` is empty unless it failed."""

    config: Config
    id: str
    was_there: bool
    error: str
    seconds: float


def one_run(config: Config, store: Path) -> tuple[str, float]:
    """Do one run where this is called; its record is written there. Returns (error, seconds)."""
    try:
        return "", runs.run(config, store).seconds
    except StoreError:
        raise  # no other run could be recorded either
    except Exception as error:  # the others go on: what failed is said at the end
        return f"{type(error).__name__}: {error}", 0.0


@contextmanager
def _this_machine(workers: int):
    """A cluster of processes, one thread each, that ends with the sweep."""
    with (
        dask_config.set({"distributed.scheduler.allowed-failures": ATTEMPTS}),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=LOOPBACK
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _check_store(store: Path) -> None:
    """Raise now rather than after the first hour of training."""
    try:
        store.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=store):
            pass
    except OSError as error:
        raise StoreError(f"{store} cannot be written: {error.strerror}") from None


def plan(
    configs: Sequence[Config], store: Path | None = None, n_cores: int | None = None
) -> tuple[list[Outcome], Cost]:
    """Which of these runs exist, and what the others cost.

    Data is loaded once per dataset, not once per run.
    """
    data, missing, outcomes = {}, {}, []
    for config in dict.fromkeys(configs):
        key = (config.dataset, config.recipe, config.profile, config.protocol)
        if key not in data:
            data[key] = runs.data_for(config, progress=True)
        run_id = runs.run_id(config, data[key])
        is_there = records.find(runs.folder_for(config, store) / f"{run_id}.json") is not None
        outcomes.append(Outcome(config, run_id, is_there, "", 0.0))
        if not is_there:
            missing.setdefault(key, []).append(config)
    seconds = [
        one
        for key, absent in missing.items()
        for one in run_seconds(absent, data[key].fingerprint, data[key].n_users)
    ]
    return outcomes, together(seconds, n_cores)


def _do(todo: list[Outcome], store: Path, client: Client, bar: Progress) -> list[Outcome]:
    futures = {
        client.submit(one_run, outcome.config, store, pure=False, retries=0): outcome
        for outcome in todo
    }
    done = []
    try:
        for future in as_completed(futures):
            was = futures[future]
            error, seconds = future.result()
            done.append(Outcome(was.config, was.id, False, error, seconds))
            bar.done(has_failed=bool(error))
    except (StoreError, KeyboardInterrupt):
        client.cancel(list(futures))
        raise
    except GONE as error:
        raise InputError(
            f"the Dask scheduler went away ({type(error).__name__}): {len(done)} of {len(todo)} "
            "runs were finished and are recorded; start again to go on"
        ) from None
    return done


def sweep(
    configs: Sequence[Config],
    client: Client | None = None,
    store: Path | None = None,
    workers: int | None = None,
    progress: bool = True,
) -> list[Outcome]:
    """Every run of the list, in its order: found, done now, or failed with its error.

    Without a client the runs use this machine's cores, one thread each; with one they use
    whatever it is connected to. Every run writes its own record, so that stopping at any
    moment loses at most the runs under way, and starting again goes on.
    """
    checked("workers", workers, int | None, Limits(low=1, high=MAX_WORKERS))
    store = (store or paths.runs()).absolute()
    _check_store(store)
    outcomes, _ = plan(configs, store)
    todo = [outcome for outcome in outcomes if not outcome.was_there]
    with Progress(len(todo), is_shown=progress) as bar:
        if todo and client is None:
            with _this_machine(min(workers or cores(), len(todo))) as own:
                done = _do(todo, store, own, bar)
        else:
            done = _do(todo, store, client, bar) if todo else []
    by_id = {outcome.id: outcome for outcome in done}
    return [by_id.get(outcome.id, outcome) for outcome in outcomes]


def summary(outcomes: list[Outcome]) -> pd.DataFrame:
    """One row per run: what it was, and what became of it."""
    state = ["found" if o.was_there else "failed" if o.error else "done" for o in outcomes]
    return pd.DataFrame(
        {
            "run": [str(outcome.config) for outcome in outcomes],
            "state": state,
            "error": [outcome.error for outcome in outcomes],
            "id": [outcome.id for outcome in outcomes],
        }
    )
