"""How time and memory grow with the number of shoppers: each stage in a process of its own."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nnbr_core.baselines.item_knn import ItemKnn, ItemKnnSettings
from nnbr_core.baselines.user_knn import UserKnn, UserKnnSettings
from nnbr_core.bench.shoppers import REAL_USERS, write_instacart
from nnbr_core.btbr import Btbr
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import split
from nnbr_core.data.prepare import build
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import SOURCES
from nnbr_core.evaluation import USERS_AT_ONCE
from nnbr_core.runs.lists import block_lists

SIZES = (10_000, 50_000, REAL_USERS)
QUICK_SIZES = (400, 800)
PER_LIST = 10
EVERYBODY = Recipe(first_users=1.0)


class Cost(NamedTuple):
    seconds: float
    peak_gb: float


def _prepare(folder: Path) -> None:
    """Raw files to baskets."""
    source = SOURCES["instacart"]
    baskets, _ = build(source, source.files(EVERYBODY), EVERYBODY)
    (folder / "prepared").mkdir()
    baskets.save(folder / "prepared")


def _fit(model: ItemKnn | UserKnn, baskets: Baskets) -> None:
    fold = split(baskets, 0)
    model.fit(fold.train, fold.validation, fold.test.histories)


def _item_knn(folder: Path) -> None:
    """Pairs and the whole search."""
    baskets = Baskets.load(folder / "prepared")
    _fit(ItemKnn(ItemKnnSettings(), baskets), baskets)


def _user_knn(folder: Path) -> None:
    """Neighbours and the whole search."""
    baskets = Baskets.load(folder / "prepared")
    _fit(UserKnn(UserKnnSettings(), baskets), baskets)


def _lists(folder: Path) -> None:
    """Everybody's list from a BTBR; that nobody trained it costs nothing here."""
    baskets = Baskets.load(folder / "prepared")
    model = Btbr(BtbrSettings(), baskets)
    for number in range(-(-baskets.n_users // USERS_AT_ONCE)):
        block_lists(model, baskets, PER_LIST, number).to_parquet(folder / "block.parquet")


STAGES = {"prepare": _prepare, "item_knn": _item_knn, "user_knn": _user_knn, "lists": _lists}


def run_stage(stage: str, folder: str) -> None:
    """Do one stage and print what it cost; this is what the processes call."""
    started = time.perf_counter()
    STAGES[stage](Path(folder))
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps(Cost(round(seconds, 2), round(peak, 2))._asdict()))


def costs(n_users: int) -> Iterator[tuple[str, Cost]]:
    """Stage after stage with generated shoppers, in a folder that is gone afterwards."""
    code = "import sys; from nnbr_core.bench.scale import run_stage; run_stage(*sys.argv[1:])"
    with tempfile.TemporaryDirectory() as folder:
        write_instacart(Path(folder) / "instacart", n_users)
        for stage in STAGES:
            done = subprocess.run(
                [sys.executable, "-c", code, stage, folder],
                env=os.environ | {"NNBR_DATA": folder},
                capture_output=True,
                text=True,
                check=True,
            )
            yield stage, Cost(**json.loads(done.stdout))
