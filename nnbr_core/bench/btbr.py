"""How long BTBR takes, measured against what its own arithmetic would take at best.

Roofline: the multiplications that real tokens and masks need, no padding, divided by the speed
of a 2048 x 2048 float32 product with as many threads in the same run. The last layer counts for
masks alone, because that is all it computes.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from nnbr_core.batching import MASK, PAD, append_mask, lengths, most_recent, similar_lengths
from nnbr_core.btbr import Btbr, MaskedBatch, masked_batch, stage_view
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets, numbered_catalogue
from nnbr_core.data.folds import Fold, Part, part, split
from nnbr_core.data.prepare import load
from nnbr_core.evaluation import per_user, top_novel
from nnbr_core.network import WIDENING
from nnbr_core.training import adam

OBJECTIVES = {
    "basket_all": BtbrSettings(masking="basket_all"),
    "basket_explore": BtbrSettings(masking="basket_explore"),
    "item_random_0.1": BtbrSettings(masking="item_random", mask_ratio=0.1),
    "item_select_0.1": BtbrSettings(masking="item_select", mask_ratio=0.1),
    "item_select_0.5": BtbrSettings(masking="item_select", mask_ratio=0.5),
    "basket_all_one_mask": BtbrSettings(masking="basket_all", mask_tokens="one"),
}
SIDE = 2048  # of the product that defines the roofline
N_BATCHES = 26  # every third batch of an epoch: short users and long ones
N_REPEATS = 3  # of each measurement; the quickest counts, the others met other programs
N_TURNS = 5  # of what is compared with something else
PER_PRODUCT = 2  # a multiplication and an addition
WITH_BACKWARD = 3  # the backward pass makes two products of each


@contextmanager
def threads(n_threads: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def quickest(action: Callable[[], object], n_repeats: int = N_REPEATS) -> float:
    """Seconds of the quickest of a few runs."""
    seconds = []
    for _ in range(n_repeats):
        started = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def quickest_of(*actions: Callable[[], object]) -> list[float]:
    """Seconds of the quickest run of each, run in turn, so that all meet the same machine."""
    seconds = [[quickest(action, 1) for action in actions] for _ in range(N_TURNS)]
    return [min(of_one) for of_one in zip(*seconds, strict=True)]


def flops_per_second() -> float:
    """Of a large matrix product with the current number of threads."""
    left, right = torch.ones(SIDE, SIDE), torch.ones(SIDE, SIDE)
    return PER_PRODUCT * SIDE**3 / quickest(lambda: left @ right, 10)


def forward_flops(inputs: Tensor, settings: BtbrSettings, n_items: int) -> float:
    """What scoring the masks of inputs (B, L) needs at least."""
    length, n_masks = (x.sum(dim=1).double() for x in (inputs != PAD, inputs == MASK))
    square = settings.dim**2
    ahead, back = 2 + 2 * WIDENING, 2  # query, output and feed-forward; keys and values
    full = (ahead + back) * square * length.sum() + 2 * settings.dim * (length**2).sum()
    last = back * square * length.sum() + ahead * square * n_masks.sum()
    last += 2 * settings.dim * (length * n_masks).sum()
    catalogue = n_masks.sum() * n_items * settings.dim
    return PER_PRODUCT * float((settings.layers - 1) * full + last + catalogue)


class Stepper:
    """Training steps of one objective, outside of any epoch."""

    def __init__(self, settings: BtbrSettings, train: Part) -> None:
        self.settings = settings.stages()[0]
        self.rows = stage_view(self.settings, train)
        self.rng = torch.Generator().manual_seed(0)
        self.network = Btbr(settings, train.histories, device="cpu").network
        self.optimiser = adam(settings.learning_rate)(self.network.parameters())

    def batches(self) -> list[np.ndarray]:
        return similar_lengths(lengths(self.rows), self.settings.batch_size)

    def ask(self, users: np.ndarray) -> MaskedBatch:
        return masked_batch(self.settings, self.rows.select(users), self.rng)

    def learn(self, question: MaskedBatch) -> None:
        self.optimiser.zero_grad()
        self.network.loss(*question, self.rng).backward()
        self.optimiser.step()

    def epoch(self) -> None:
        for users in self.batches():
            self.learn(self.ask(users))


def tafeng() -> Fold:
    return split(load("tafeng"), 0)


def step_of(settings: BtbrSettings, train: Part) -> dict:
    """Time and arithmetic of a training step, averaged over short users and long ones."""
    stepper, speed = Stepper(settings, train), flops_per_second()
    batches = stepper.batches()
    batches = batches[:: max(1, len(batches) // N_BATCHES)]
    asking = learning = flops = 0.0
    for users in batches:
        question = stepper.ask(users)
        asking += quickest(partial(stepper.ask, users))
        learning += quickest(partial(stepper.learn, question))
        needed = forward_flops(question.inputs, settings, train.histories.n_items)
        flops += WITH_BACKWARD * needed
    seconds = asking + learning
    return {
        "ms": round(1000 * seconds / len(batches), 1),
        "gflop": round(flops / len(batches) / 1e9, 2),
        "gflop_per_second_at_best": round(speed / 1e9),
        "times_roofline": round(seconds * speed / flops, 2),
        "asking_share": round(asking / seconds, 3),
    }


def training_step(n_threads: int = 2) -> dict:
    """A step of each objective on TaFeng, d 64, batches of 128."""
    found, train = {"threads": n_threads}, tafeng().train
    with threads(n_threads):
        for name, settings in OBJECTIVES.items():
            step = step_of(settings, train)
            found |= {f"{name}_{fact}": value for fact, value in step.items()}
    return found


def evaluation(n_threads: int = 2) -> dict:
    """Score, rank and judge all 2,772 test users of TaFeng."""
    test, settings = tafeng().test, BtbrSettings()
    model = Btbr(settings, test.histories, device="cpu")
    recent = most_recent(test.histories, settings.max_length)
    with threads(n_threads):
        least = forward_flops(append_mask(recent).tokens, settings, recent.n_items)
        least /= flops_per_second()
        scoring = quickest(lambda: model.score(test.histories))
        judging = quickest(lambda: per_user(top_novel(model.score, test.histories, 20), test))
    return {
        "scoring_ms": round(1000 * scoring),
        "scoring_times_roofline": round(scoring / least, 2),
        "scoring_ranking_and_judging_ms": round(1000 * judging),
        "judging_times_roofline": round(judging / least, 2),
        "threads": n_threads,
    }


def random_people(n_users: int, n_items: int, n_baskets: int, size: int) -> Part:
    """Users with equally many baskets of `size` consecutive items from a random start."""
    start = np.random.default_rng(0).integers(n_items - size, size=(n_users * n_baskets, 1))
    return part(
        Baskets(
            items=(start + np.arange(size)).astype(np.int32).ravel(),
            basket_ptr=np.arange(n_users * n_baskets + 1, dtype=np.int64) * size,
            user_ptr=np.arange(n_users + 1, dtype=np.int64) * n_baskets,
            catalogue=numbered_catalogue(n_items),
            user_ids=np.arange(n_users).astype(str),
        )
    )


def growth() -> dict:
    """Seconds per epoch of basket_all when users, items or basket count double, and double again.

    Users should cost their number; items less, because the transformer does not see the
    catalogue; baskets more, because attention looks at pairs.
    """
    usual = {"n_users": 512, "n_items": 4000, "n_baskets": 6}
    found = {}
    with threads(1):
        for name, value in usual.items():
            for factor in (1, 2, 4):
                people = random_people(**usual | {name: factor * value}, size=6)
                stepper = Stepper(BtbrSettings(), people)
                seconds = quickest(stepper.epoch)
                found[f"{name}_{factor * value}_seconds"] = round(seconds, 3)
    return found


def largest() -> None:
    """Train a few steps at Instacart's size: 13,897 items, histories of 50 baskets of 10."""
    people = random_people(256, 13_897, 51, 10)
    settings = replace(OBJECTIVES["item_select_0.5"], batch_size=64, epochs=1, max_length=512)
    Btbr(settings, people.histories, device="cpu").fit(people, people, people.histories)


def memory() -> dict:
    """Peak memory of `largest` in a process of its own, in GB."""
    code = (
        "import resource; from nnbr_core.bench.btbr import largest; largest(); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {"peak_gb": round(int(done.stdout) / 2**20, 2)}
