"""How long loading and judging take."""

import tempfile
import time
from pathlib import Path

import numpy as np

from nnbr_core import paths
from nnbr_core.data.baskets import Baskets, numbered_catalogue
from nnbr_core.data.folds import part
from nnbr_core.data.prepare import Recipe, build
from nnbr_core.data.sources import SOURCES
from nnbr_core.evaluation import per_user, top_novel

N_TOKENS = 10_000_000
TEST_USERS, ITEMS = 2_772, 11_997  # published TaFeng


def _random_baskets(n_users: int, per_user: int, size: int, n_items: int, seed: int) -> Baskets:
    """Users with equally many baskets of consecutive items from a random start."""
    rng = np.random.default_rng(seed)
    start = rng.integers(n_items, size=(n_users * per_user, 1))
    items = ((start + np.arange(size)) % n_items).astype(np.int32).ravel()
    return Baskets(
        items=items,
        basket_ptr=np.arange(n_users * per_user + 1, dtype=np.int64) * size,
        user_ptr=np.arange(n_users + 1, dtype=np.int64) * per_user,
        catalogue=numbered_catalogue(n_items),
        user_ids=np.arange(n_users).astype(str),
    )


def prepare_raw_tafeng() -> dict:
    """Raw TaFeng, 817,741 rows, from the zip to baskets."""
    source = SOURCES["tafeng_raw"]
    files = source.files(Recipe())
    started = time.perf_counter()
    build(source, files, Recipe())
    return {"seconds": round(time.perf_counter() - started, 3)}


def load_and_count() -> dict:
    """Memory-map ten million items and count each of them once."""
    baskets = _random_baskets(100_000, 10, 10, 13_897, seed=0)
    with tempfile.TemporaryDirectory(dir=paths.project_root()) as folder:
        baskets.save(Path(folder))
        started = time.perf_counter()
        counts = Baskets.load(Path(folder)).item_counts()
        seconds = time.perf_counter() - started
    assert counts.sum() == N_TOKENS
    return {"seconds": round(seconds, 3), "items": int(counts.sum())}


def judge_scores() -> dict:
    """Rank and judge 2,772 users x 11,997 given scores."""
    people = part(_random_baskets(TEST_USERS, 7, 6, ITEMS, seed=0))
    scores = np.random.default_rng(0).random((TEST_USERS, ITEMS), dtype=np.float32)
    rows = {user: i for i, user in enumerate(people.histories.user_ids)}
    started = time.perf_counter()
    top = top_novel(lambda h: scores[[rows[u] for u in h.user_ids]], people.histories, 20)
    per_user(top, people)
    return {"seconds": round(time.perf_counter() - started, 3)}
