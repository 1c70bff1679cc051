"""One table: each figure beside its bound, ratios and growth from one run."""

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import pandas as pd
import torch

from nnbr_core.bench import btbr, data
from nnbr_core.bench.scale import QUICK_SIZES, SIZES, Cost, costs
from nnbr_core.data.sources import present
from nnbr_core.losses import PRECISIONS, catalogue_loss

LABELS, DIM, ITEMS = 843, 64, 11_997  # of a step on TaFeng
QUICK_ITEMS = 500
N_BATCHES = 6  # of an epoch: short users and long ones
LOSS_BOUND = 0.55
STEP_BOUNDS = {"basket_all": 0.7, "item_select_0.1": 0.7, "item_select_0.5": 0.6}
JUDGE_SECONDS = 0.25
WAITS = {"--help": 1.0, "datasets": 2.0}  # seconds
GROWTH = 5.0  # from 50,000 users to all
STAGE_BOUNDS = {  # for all of Instacart's shoppers: 15 minutes, or 2 for preparing
    "prepare": Cost(120, 3),
    "item_knn": Cost(900, 6),
    "user_knn": Cost(900, 6),
    "lists": Cost(900, 6),
}


def loss_ratio(n_items: int) -> float:
    """Time of the catalogue loss in bfloat16, as a share of float32, on one thread."""
    rng = torch.Generator().manual_seed(0)
    shapes = ((LABELS, DIM), (n_items, DIM), (n_items,))
    given = [torch.randn(*shape, generator=rng) for shape in shapes]
    row, label = torch.arange(LABELS), torch.randint(n_items, (LABELS,), generator=rng)
    with btbr.threads(1):
        exact, rounded = btbr.quickest_of(
            *(lambda p=p: catalogue_loss(*given, row, label, p) for p in PRECISIONS)
        )
    return rounded / exact


def step_ratio(objective: str) -> float:
    """Time of whole steps on TaFeng in bfloat16, as a share of float32, on one thread."""
    train, settings = btbr.tafeng().train, btbr.OBJECTIVES[objective]
    steppers = [btbr.Stepper(replace(settings, precision=p), train) for p in PRECISIONS]
    batches = steppers[0].batches()
    total = [0.0, 0.0]
    with btbr.threads(1):
        for users in batches[:: max(1, len(batches) // N_BATCHES)]:
            steps = (lambda s=s, u=users: s.learn(s.ask(u)) for s in steppers)
            total = [sum(pair) for pair in zip(total, btbr.quickest_of(*steps), strict=True)]
    return total[1] / total[0]


def wait(command: str) -> float:
    """Seconds until a command that computes nothing has answered."""
    started = time.perf_counter()
    line = [sys.executable, "-m", "nnbr_core", command]
    subprocess.run(line, capture_output=True, check=True)
    return time.perf_counter() - started


def _growth(sizes: tuple[int, ...]) -> Iterator[tuple[str, float, float | None]]:
    """Cost of each stage at each size, and its growth from the last size but one."""
    found = {n_users: dict(costs(n_users)) for n_users in sizes}
    for stage, bound in STAGE_BOUNDS.items():
        for n_users in sizes:
            cost = found[n_users][stage]
            limit = bound if n_users == SIZES[-1] else Cost(None, None)
            yield f"{stage}, {n_users:,} users, s", cost.seconds, limit.seconds
            yield f"{stage}, {n_users:,} users, GB", cost.peak_gb, limit.peak_gb
        before, last = (found[n_users][stage].seconds for n_users in sizes[-2:])
        limit = GROWTH if sizes == SIZES else None
        yield f"{stage}, growth from {sizes[-2]:,}", last / before, limit


def figures(is_quick: bool) -> Iterator[tuple[str, float, float | None]]:
    """(what, measured, bound or None) one after the other; quick: small, and without bounds."""
    ratio = loss_ratio(QUICK_ITEMS if is_quick else ITEMS)
    yield "catalogue loss, bfloat16 / float32", ratio, None if is_quick else LOSS_BOUND
    if not is_quick and "tafeng" in present():
        for objective, bound in STEP_BOUNDS.items():
            yield f"step of {objective}, bfloat16 / float32", step_ratio(objective), bound
    yield "judging 2,772 x 11,997, s", data.judge_scores()["seconds"], JUDGE_SECONDS
    for command, bound in WAITS.items():
        yield f"python -m nnbr_core {command}, s", wait(command), bound
    yield from _growth(QUICK_SIZES if is_quick else SIZES)


def bench_table(is_quick: bool = False) -> pd.DataFrame:
    """One row per figure: measured, bound, and whether it is kept."""
    table = pd.DataFrame(figures(is_quick), columns=["figure", "measured", "bound"])
    kept = table["measured"] <= table["bound"]
    table["kept"] = kept.map({True: "yes", False: "no"}).where(table["bound"].notna(), "")
    return table.set_index("figure").round(3)
