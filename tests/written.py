"""Records of runs that never happened, in a real store, so that a verdict is known beforehand."""

import numpy as np

from nnbr_core.analysis.rows import CHOICE
from nnbr_core.analysis.study import Study
from nnbr_core.runs import records
from nnbr_core.runs import run as runs
from nnbr_core.runs.records import DEPTH, Record

WANTED = 10  # novel items of every user: recall@10 is then a tenth of the hits
N_USERS = 200  # of a fold


def hits(mean: float, seed: int = 0) -> np.ndarray:
    """int [users]: hits among ten of users whose mean recall@10 is `mean`, in an order by seed."""
    n_found = np.zeros(N_USERS, dtype=np.int64)
    n_found[: round(mean * N_USERS)] = WANTED
    return np.random.default_rng(seed).permutation(n_found)


def curve(*scores: float) -> list[dict]:
    return [
        {"stage": "one", "epoch": n, "loss": 1.0, CHOICE: score, "seconds": 1.0}
        for n, score in enumerate(scores, start=1)
    ]


def write(
    study: Study,
    model: str = "btbr",
    fold: int = 0,
    found: np.ndarray | float = 0.1,
    validation: float | None = None,
    learned: list[dict] | None = None,
    chosen: dict | None = None,
    **settings,
) -> Record:
    """A run of this study in which users found as many of their ten novel items."""
    found = hits(found) if isinstance(found, float) else found
    config = study.config(model, fold, **settings)
    hit = np.arange(DEPTH) < found[:, None]
    users = fold * N_USERS + np.arange(N_USERS)
    packed = records.pack(users, hit, np.full(N_USERS, WANTED))
    test = {CHOICE: float(found.mean() / WANTED)}
    record = Record(
        id=runs.run_id(config, runs.data_for(config)),
        description=str(config),
        dataset=study.name,
        config=config.as_dict(),
        data=study.facts.fingerprint,
        validation=test if validation is None else {CHOICE: validation},
        test=test,
        users_scored=N_USERS,
        users_left_out=0,
        seconds=1.0,
        peak_mb=1.0,
        curve=learned or curve(0.1),
        chosen=chosen or {},
        users={"validation": packed, "test": packed},
        commit="",
        versions={},
    )
    records.write(record, runs.folder_for(config) / f"{record.id}.json")
    return record
