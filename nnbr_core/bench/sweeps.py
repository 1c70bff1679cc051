"""How long records take to read, and how well a sweep uses two cores."""

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from nnbr_core.runs import records
from nnbr_core.runs import run as runs
from nnbr_core.runs.config import configure
from nnbr_core.runs.sweep import sweep

N_RECORDS = 1000
N_RUNS = 24


def load_records() -> dict:
    """1,000 records into one frame."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        record = runs.run(configure("toy", "popularity"), store)
        for number in range(1, N_RECORDS):
            copy = replace(record, id=f"{number:016x}")
            records.write(copy, store / "toy" / f"{copy.id}.json")
        started = time.perf_counter()
        n_rows = len(runs.frame("toy", store))
        return {"seconds": round(time.perf_counter() - started, 3), "records": n_rows}


def two_workers() -> dict:
    """24 short trainings on two workers, as a share of the time on one."""
    configs = [
        configure("toy", "btbr", masking="item_select", dim=32, epochs=20, seed=seed)
        for seed in range(N_RUNS)
    ]
    seconds = {}
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as store:
            started = time.perf_counter()
            sweep(configs, store=Path(store), workers=workers, progress=False)
            seconds[workers] = time.perf_counter() - started
    return {"ratio": round(seconds[2] / seconds[1], 3), "runs": N_RUNS}
