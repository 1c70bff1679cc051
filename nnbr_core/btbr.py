"""BTBR: a bidirectional transformer that predicts hidden items of a shopping history."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import ClassVar, NamedTuple, Self

import numpy as np
import torch
from torch import Generator, Tensor

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.batching import (
    FIRST_ITEM,
    IGNORE,
    MAX_BASKETS,
    NUMBERINGS,
    append_mask,
    collate,
    lengths,
    most_recent,
    shuffled_baskets,
    shuffled_batches,
    similar_lengths,
    unordered,
    with_last,
    without_last,
)
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import lateness
from nnbr_core.data.folds import Part
from nnbr_core.devices import checked_device, warn_if_emulated
from nnbr_core.errors import InputError
from nnbr_core.masking import BASKET_VIEWS, MASKERS, one_mask
from nnbr_core.network import Network
from nnbr_core.swapping import SWAPS
from nnbr_core.training import (
    OnEpoch,
    Stage,
    adam,
    load_checkpoint,
    save_checkpoint,
    train_stages,
    validation_metrics,
)

SHIFT_STRENGTHS = (0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4)
USERS_TO_SCORE = 128  # at once; users of similar length, so that little padding is needed


class MaskedBatch(NamedTuple):
    """What one training step reads, and which mask should have said which item."""

    inputs: Tensor  # (B, L) tokens
    positions: Tensor  # (B, L)
    row: Tensor  # (P,) number of the mask, counted row by row
    item: Tensor  # (P,) the item it hides


def masked_batch(settings: BtbrSettings, users: Baskets, rng: Generator) -> MaskedBatch:
    """Shuffle, collate, swap, mask and number users' baskets as one stage's settings say."""
    if settings.shuffle_baskets:
        users = shuffled_baskets(users, rng, keeps_last=settings.sees_last_basket)
    batch = collate(users)
    if settings.swap_ratio > 0:
        batch = SWAPS[settings.swap](batch, settings.swap_ratio, settings.swap_hop, rng)
    inputs, labels = MASKERS[settings.masking](batch, settings.mask_ratio, rng)
    user, column = (labels != IGNORE).nonzero(as_tuple=True)
    item = labels[user, column] - FIRST_ITEM
    positions = NUMBERINGS[settings.positions](batch.positions)
    if settings.mask_tokens == "one":  # every user has a last basket: mask u is user u's
        return MaskedBatch(one_mask(inputs), positions, user, item)
    return MaskedBatch(inputs, positions, torch.arange(len(item)), item)


def stage_view(settings: BtbrSettings, part: Part) -> Baskets:
    """The rows one stage's settings train on: which baskets of which users, how far back."""
    item_level = with_last if settings.item_level_sees_last_basket else without_last
    rows = BASKET_VIEWS.get(settings.masking, item_level)(part)
    if rows.n_users == 0:
        raise InputError(f"{settings.masking}: no training user has a novel item to hide")
    return most_recent(rows, settings.max_length)


class Btbr(BaseRecommender):
    """The recommender: fit it, or load it, then score histories."""

    can_be_saved = True
    settings_type: ClassVar[type[BtbrSettings]] = BtbrSettings

    def __init__(
        self, settings: BtbrSettings, baskets: Baskets, seed: int = 0, device: str | None = None
    ) -> None:
        super().__init__(settings, baskets, seed)
        self.device = checked_device(device)
        warn_if_emulated(settings.precision, self.device)
        self.shift: np.ndarray | None = None  # float32 [items], added to all scores
        self.network = self._new_network(torch.Generator().manual_seed(seed))

    def _new_network(self, rng: Generator) -> Network:
        return Network(self.settings, len(self.catalogue), rng).to(self.device)

    def _stage(self, settings: BtbrSettings, part: Part, noise: Generator) -> Stage:
        """What one stage's settings mean for these users."""
        rows = stage_view(settings, part)

        def loss(users: np.ndarray, rng: Generator) -> Tensor:
            batch = masked_batch(settings, rows.select(users), rng)
            return self.network.loss(*batch, noise)

        return Stage(
            name=settings.masking,
            batches=lambda rng: shuffled_batches(lengths(rows), settings.batch_size, rng),
            loss=loss,
            optimiser=adam(settings.learning_rate),
            epochs=settings.epochs,
            patience=settings.patience,
        )

    def fit(
        self,
        train: Part,
        validation: Part,
        context: Baskets,
        progress: bool = False,
        stages: Sequence[BtbrSettings] = (),
        on_epoch: OnEpoch | None = None,
    ) -> Self:
        """Train from scratch on `train`; the epoch is chosen on `validation`.

        `stages` replaces the settings' own: any maskings in any order, each with its own
        ratio, swap, epochs and patience. `context` is for models that count histories.
        `on_epoch` watches, and may end a stage: see `training.OnEpoch`.
        """
        rng = torch.Generator().manual_seed(self.seed)
        self.network, self.shift = self._new_network(rng), None
        noise_seed = int(torch.randint(2**62, (1,), generator=rng))
        noise = torch.Generator(self.device).manual_seed(noise_seed)
        trained = train_stages(
            self.network,
            [self._stage(one, train, noise) for one in stages or self.settings.stages()],
            lambda: validation_metrics(self.score, validation),
            rng,
            self.settings.select_on,
            progress,
            on_epoch,
        )
        self.curve, self.was_interrupted = trained.curve, trained.was_interrupted
        if self.settings.correct_shift:
            self._choose_shift(lateness(train.histories, train.targets), validation)
        return self

    def _choose_shift(self, shift: np.ndarray, validation: Part) -> None:
        """Add `shift` [items] as strongly as is best for validation users, the first of equals."""
        recall = {}
        for strength in SHIFT_STRENGTHS:
            self.shift = np.float32(strength) * shift
            recall[strength] = validation_metrics(self.score, validation)["recall@10"]
        best = max(recall, key=recall.get)
        self.shift = np.float32(best) * shift
        self.chosen = {"shift_strength": best}
        self.chosen |= {f"recall@10 with strength {s:g}": x for s, x in recall.items()}

    @torch.inference_mode()
    def score(self, histories: Baskets) -> np.ndarray:
        """float32 [users, items]: how well each item fits into each user's next basket."""
        if histories.n_items != len(self.catalogue):
            raise InputError(
                f"histories of {histories.n_items} items cannot be scored by a model of "
                f"{len(self.catalogue)}"
            )
        if (lengths(histories) == 0).any():
            user = histories.user_ids[np.argmin(lengths(histories))]
            raise InputError(f"user {user} has an empty history: there is nothing to go by")
        recent = most_recent(histories, self.settings.max_length, MAX_BASKETS - 1)
        if self.settings.shuffle_baskets:
            recent = unordered(recent)
        scores = np.empty((recent.n_users, recent.n_items), dtype=np.float32)
        for users in similar_lengths(lengths(recent), USERS_TO_SCORE):
            batch = append_mask(recent.select(users))
            positions = NUMBERINGS[self.settings.positions](batch.positions)
            states = self.network(batch.tokens, positions)
            scores[users] = self.network.scores(states).cpu().numpy()
        return scores if self.shift is None else scores + self.shift

    def save(self, folder: Path) -> None:
        """Write the weights as safetensors and the settings as JSON into `folder`."""
        save_checkpoint(folder, self.network, asdict(self.settings), self.seed, self.catalogue)
        if self.shift is not None:
            np.save(folder / "shift.npy", self.shift, allow_pickle=False)

    @classmethod
    def load(cls, folder: Path, baskets: Baskets, device: str | None = None) -> Self:
        """What `save` wrote, for the same dataset: it scores as before, bit for bit."""
        facts, weights = load_checkpoint(folder, baskets.catalogue)
        model = cls(cls.settings_type(**facts["settings"]), baskets, facts["seed"], device)
        model.network.load_state_dict(weights)
        if model.settings.correct_shift:
            model.shift = np.load(folder / "shift.npy", allow_pickle=False)
        return model
