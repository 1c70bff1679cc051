"""Sweeps on real Dask clusters of real processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest
from distributed import Client, LocalCluster

from nnbr_core.errors import InputError
from nnbr_core.runs import records
from nnbr_core.runs.config import configure
from nnbr_core.runs.records import StoreError
from nnbr_core.runs.sweep import summary, sweep

FOLDS = [configure("toy", "popularity", fold) for fold in range(5)]
SLOW = {"model": "btbr", "masking": "item_select", "profile": "quick", "epochs": 8}


def slow_runs(n: int) -> list:
    """Trainings of a second or two."""
    return [configure("toy", **SLOW, seed=seed) for seed in range(n)]


def stored(store: Path) -> set[str]:
    """Ids of the records in a store, each of them read and found whole."""
    return {records.read(path).id for path in store.rglob("*.json")}


@pytest.fixture(scope="module")
def cluster():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as two,
        Client(two) as client,
    ):
        yield client


def test_a_sweep_does_what_is_missing_and_finds_the_rest(cluster, tmp_path):
    sweep(FOLDS[:2], cluster, tmp_path, progress=False)
    outcomes = sweep(FOLDS, cluster, tmp_path, progress=False)
    assert [outcome.was_there for outcome in outcomes] == [True, True, False, False, False]
    assert stored(tmp_path) == {outcome.id for outcome in outcomes}
    assert summary(outcomes)["state"].tolist() == ["found"] * 2 + ["done"] * 3


def test_without_a_client_it_uses_this_machine(tmp_path):
    outcomes = sweep(FOLDS[:2], store=tmp_path, workers=2, progress=False)
    assert stored(tmp_path) == {outcome.id for outcome in outcomes}


def test_a_failure_is_named_and_does_not_stop_the_rest(cluster, tmp_path):
    configs = [FOLDS[0], configure("toy", "popularity", fold=7), FOLDS[1]]
    outcomes = sweep(configs, cluster, tmp_path, progress=False)
    assert [bool(outcome.error) for outcome in outcomes] == [False, True, False]
    assert "fold 7 does not exist" in outcomes[1].error
    assert summary(outcomes).loc[1, "run"] == "popularity on toy, fold 7"


def test_progress_counts_runs_and_estimates_the_rest(cluster, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("nnbr_core.runs.progress.is_watched", lambda: True)
    sweep(FOLDS, cluster, tmp_path)
    printed = capsys.readouterr().err
    assert "5/5" in printed and "0 failed" in printed


def test_a_killed_worker_loses_no_run_and_doubles_none(tmp_path):
    configs = slow_runs(6)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as two,
        Client(two) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))
        killer = subprocess.Popen(["sh", "-c", f"sleep 2; kill -9 {victim}"])
        outcomes = sweep(configs, client, tmp_path, progress=False)
        killer.wait()
        assert victim not in client.run(os.getpid).values()
    assert [outcome.error for outcome in outcomes] == [""] * 6
    assert len(stored(tmp_path)) == len(list(tmp_path.rglob("*.json"))) == 6


# Workers are started with this file as their main module, so they log their trainings too.
SWEEP = """
import sys
from pathlib import Path
from nnbr_core.runs import run as runs
from nnbr_core.runs.config import configure
from nnbr_core.runs.sweep import sweep

train = runs.train

def logged(config, *rest):
    with open(sys.argv[1] + ".log", "a") as log:
        log.write(f"{config}\\n")
    return train(config, *rest)

runs.train = logged

if __name__ == "__main__":
    configs = [configure("toy", "popularity", f, scope=s) for f in range(5) for s in
               ("all_users", "train_users")]
    configs += [configure("toy", "btbr", f, masking=m, profile="quick") for f in range(5)
                for m in ("basket_all", "basket_explore")]
    outcomes = sweep(configs, store=Path(sys.argv[1]), workers=2, progress=False)
    print(sum(not outcome.was_there for outcome in outcomes))
"""


def start(script: Path, store: Path) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, str(script), str(store)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_a_sweep_killed_half_way_goes_on_where_it_was(tmp_path):
    script, store = tmp_path / "script.py", tmp_path / "runs"
    script.write_text(SWEEP)
    first = start(script, store)
    until = time.time() + 120
    while len(list(store.rglob("*.json"))) < 12 and time.time() < until:
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    before = stored(store)
    assert 12 <= len(before) < 20
    printed, _ = start(script, store).communicate(timeout=240)
    assert int(printed) == 20 - len(before)
    assert len(stored(store)) == 20


def test_two_sweeps_at_once_train_each_run_once(tmp_path):
    script, store = tmp_path / "script.py", tmp_path / "runs"
    script.write_text(SWEEP)
    both = [start(script, store) for _ in range(2)]
    assert all(process.wait(timeout=240) == 0 for process in both)
    trained = Path(f"{store}.log").read_text().splitlines()
    assert len(trained) == len(set(trained)) == len(stored(store)) == 20


def test_a_store_that_cannot_be_written_stops_before_anything_runs(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file/store cannot be written"):
        sweep(FOLDS, store=tmp_path / "file" / "store", progress=False)


def test_a_full_disk_stops_the_sweep_by_name_and_keeps_what_is_done(tmp_path):
    """A real file system of 40 KB: some records fit, then it is full."""
    store = tmp_path / "small"
    store.mkdir()
    small = ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(store)]
    if os.geteuid() != 0 or subprocess.run(small, capture_output=True).returncode != 0:
        pytest.skip("needs root to mount a small file system")
    try:
        many = [
            configure("toy", "popularity", f, scope=s)
            for f in range(5)
            for s in ("all_users", "train_users")
        ]
        many += [
            configure("toy", "last_popularity", f, labels=s)
            for f in range(5)
            for s in ("all", "explore")
        ]
        with pytest.raises(StoreError, match="No space left"):
            sweep(many, store=store, workers=1, progress=False)
        kept = stored(store)
        assert 0 < len(kept) < len(many)
    finally:
        subprocess.run(["umount", str(store)], check=True)


CLUSTER = """
import time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""


def test_a_scheduler_that_goes_away_is_said_and_finished_runs_stay(tmp_path):
    script, store = tmp_path / "cluster.py", tmp_path / "runs"
    script.write_text(CLUSTER)
    other = start(script, store)
    address = other.stdout.readline().strip()

    def kill() -> None:
        while not list(store.rglob("*.json")):
            time.sleep(0.05)
        os.killpg(other.pid, signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    with Client(address, timeout=20) as client:
        with pytest.raises(InputError, match="scheduler went away.*start again to go on"):
            sweep([*FOLDS, *slow_runs(40)], client, store, progress=False)
    killer.join()
    assert len(stored(store)) >= 1
