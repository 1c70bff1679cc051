"""What the neural baselines share: seeds, batches, training, checkpoints, blocks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
import torch
from torch import Generator, Tensor, nn

from nnbr_core import training
from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError
from nnbr_core.settings import Settings
from nnbr_core.training import OnEpoch, Stage


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Initial weights come from this seed; the global generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def users_with(labels: sp.csr_matrix) -> np.ndarray:
    """Rows of the users who have a label: the others have nothing to teach."""
    users = np.flatnonzero(labels.getnnz(axis=1))
    if len(users) == 0:
        raise InputError("no training user has a label: there is nothing to learn from")
    return users


def shuffled(users: np.ndarray, batch_size: int, rng: Generator) -> list[np.ndarray]:
    """All users in batches of about equal size, in a new order. None is much smaller."""
    order = users[torch.randperm(len(users), generator=rng).numpy()]
    return np.array_split(order, -(-len(order) // batch_size))


def clipped_adam(
    learning_rate: float, longest: float, weight_decay: float = 0.0
) -> Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]:
    """Adam that first shortens a gradient longer than `longest`.

    What is frozen has no gradient, and keeps its weights and averages.
    """

    def make(parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        parameters = list(parameters)
        options = {"lr": learning_rate, "weight_decay": weight_decay, "fused": True}
        optimiser = torch.optim.Adam(parameters, **options)

        def shorten(*_) -> None:
            nn.utils.clip_grad_norm_(parameters, longest)

        optimiser.register_step_pre_hook(shorten)
        return optimiser

    return make


def one_stage(
    name: str,
    settings: Any,
    labels: sp.csr_matrix,
    loss: Callable[[np.ndarray, Generator], Tensor],
    optimiser: Callable,
) -> Stage:
    """A stage over the users who have a label; `loss` is given some of their rows."""
    users = users_with(labels)
    return Stage(
        name=name,
        batches=lambda rng: shuffled(users, settings.batch_size, rng),
        loss=loss,
        optimiser=optimiser,
        epochs=settings.epochs,
        patience=settings.patience,
    )


@torch.no_grad()
def in_blocks(score: Callable[[Baskets], Tensor], histories: Baskets, size: int) -> np.ndarray:
    """float32 [users, items]: `score` of `size` users at a time, which bounds the memory."""
    found = np.empty((histories.n_users, histories.n_items), dtype=np.float32)
    for start in range(0, histories.n_users, size):
        users = np.arange(start, min(start + size, histories.n_users))
        found[users] = score(histories.select(users)).numpy()
    return found


class Neural(BaseRecommender):
    """A method with a network, trained stage after stage: write `stages` and `score`."""

    can_be_saved = True
    Settings: ClassVar[type[Settings]]  # of the method, for `load`
    network: nn.Module

    def stages(self, train: Part) -> Sequence[Stage]:
        """How it learns, one objective after the other."""
        raise NotImplementedError

    def fit(
        self,
        train: Part,
        validation: Part,
        context: Baskets,
        progress: bool = False,
        on_epoch: OnEpoch | None = None,
    ) -> Self:
        """Train the network; the epoch is chosen on `validation`.

        `on_epoch` watches, and may end a stage: see `training.OnEpoch`.
        """
        stages = self.stages(train)
        rng = torch.Generator().manual_seed(self.seed)
        trained = training.train_stages(
            self.network,
            stages,
            lambda: self.watched(validation),
            rng,
            progress=progress,
            on_epoch=on_epoch,
        )
        self.curve, self.was_interrupted = trained.curve, trained.was_interrupted
        return self

    def watched(self, validation: Part) -> dict[str, float]:
        """What is known of validation users after every epoch."""
        return training.validation_metrics(self.score, validation)

    def save(self, folder: Path) -> None:
        """Write the weights as safetensors and the settings as JSON into `folder`."""
        settings = asdict(self.settings)
        training.save_checkpoint(folder, self.network, settings, self.seed, self.catalogue)

    def build_from(self, folder: Path) -> None:
        """Build the network, if it needs more than settings: the weights come next."""

    @classmethod
    def load(cls, folder: Path, baskets: Baskets) -> Self:
        """What `save` wrote, for baskets of the same catalogue: it scores as before."""
        facts, weights = training.load_checkpoint(folder, baskets.catalogue)
        model = cls(cls.Settings(**facts["settings"]), baskets, facts["seed"])
        model.build_from(folder)
        model.network.load_state_dict(weights)
        return model
