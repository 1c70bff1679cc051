"""How long Dream takes on TaFeng."""

import time

import numpy as np

from nnbr_core.baselines.dream import Dream, DreamSettings
from nnbr_core.data.folds import Part, split
from nnbr_core.data.prepare import load

FEW = 20  # validation users: an epoch's seconds should be those of its training
SCORED = 1_000  # users


def dream() -> dict:
    """Dream with attention, 64 numbers per item."""
    baskets = load("tafeng")
    fold = split(baskets, 0)
    few = np.arange(FEW)
    watched = Part(fold.validation.histories.select(few), fold.validation.targets.select(few))
    model = Dream(DreamSettings(epochs=1), baskets, seed=0)
    model.fit(fold.train, watched, fold.test.histories)
    started = time.perf_counter()
    model.score(fold.test.histories.select(np.arange(SCORED)))
    return {
        "seconds_per_epoch": round(model.curve[0]["seconds"], 1),
        "seconds_per_1000_users": round(time.perf_counter() - started, 2),
    }
