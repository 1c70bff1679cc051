"""How long the neural baselines take on TaFeng."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from nnbr_core.baselines.beacon import Beacon, BeaconSettings
from nnbr_core.baselines.clea import Clea, CleaSettings
from nnbr_core.baselines.dnntsp import Dnntsp, DnntspSettings
from nnbr_core.baselines.dream import Dream, DreamSettings
from nnbr_core.data.folds import Part, split
from nnbr_core.data.prepare import load

FEW = 20  # validation users: an epoch's seconds should be those of its training
SCORED = 1_000  # users


def _measure(make: Callable, settings: Any) -> dict:
    """Train one epoch per stage, then score a thousand users with all that was trained."""
    baskets = load("tafeng")
    fold = split(baskets, 0)
    few = np.arange(FEW)
    watched = Part(fold.validation.histories.select(few), fold.validation.targets.select(few))
    model = make(settings, baskets, seed=0)
    model.fit(fold.train, watched, fold.test.histories)
    seconds = {f"seconds_per_epoch_{row['stage']}": round(row["seconds"], 1) for row in model.curve}
    if isinstance(model, Clea):
        model.network.selects.fill_(True)  # one epoch may not have been worth it; its cost is
    started = time.perf_counter()
    model.score(fold.test.histories.select(np.arange(SCORED)))
    return seconds | {"seconds_per_1000_users": round(time.perf_counter() - started, 2)}


def dream() -> dict:
    """Dream with attention, 64 numbers per item."""
    return _measure(Dream, DreamSettings(epochs=1))


def dnntsp() -> dict:
    """DNNTSP, 64 numbers per item."""
    return _measure(Dnntsp, DnntspSettings(epochs=1))


def beacon() -> dict:
    """Beacon, 64 numbers per item."""
    return _measure(Beacon, BeaconSettings(epochs=1))


def clea() -> dict:
    """CLEA, 64 numbers per item; the second stage is timed while its encoder learns."""
    return _measure(Clea, CleaSettings(epochs=1, contrast_epochs=2, phase_epochs=1))
