"""What every method offers, so that nothing else has to know which one it is.

Filtering of repeat items, top-K and metrics happen once, outside. No method sees a test user's
last basket.
"""

from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import pandas as pd

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError
from nnbr_core.settings import SEED, checked


class Recommender(Protocol):
    """A method that was made for a catalogue: fit it, then score anybody's history."""

    can_be_saved: ClassVar[bool]  # are there weights worth keeping?
    reads_days: ClassVar[bool]  # do scores depend on dates? Then these are part of a run's id
    settings: Any  # a flat frozen dataclass
    catalogue: pd.DataFrame  # a row per item: id, name, group
    curve: list[dict]  # a row per epoch, if there are any
    chosen: dict  # what was searched on validation users, and what was found
    was_interrupted: bool  # Ctrl-C ended the training early

    def fit(
        self, train: Part, validation: Part, context: Baskets, progress: bool = False
    ) -> "Recommender":
        """Learn from `train`; `validation` chooses epochs and settings.

        `context` holds test users' histories, as inputs, for methods that count them. By
        calendar it is what everybody bought before its `cutoff`.
        """

    def score(self, histories: Baskets) -> np.ndarray:
        """float32 [users, items]: how well each item fits into each user's next basket."""

    def save(self, folder: Path) -> None:
        """Write what was learned into `folder`, without pickles."""

    @classmethod
    def load(cls, folder: Path, baskets: Baskets) -> "Recommender":
        """What `save` wrote, for baskets of the same catalogue: it scores as before."""


class BaseRecommender:
    """The defaults of a method: inherit, then write `fit` and `score`.

    `baskets` only tells the catalogue. What is fitted in seconds need not be saved.
    """

    can_be_saved: ClassVar[bool] = False
    reads_days: ClassVar[bool] = False
    was_interrupted = False

    def __init__(self, settings: Any, baskets: Baskets, seed: int = 0) -> None:
        self.settings, self.catalogue = settings, baskets.catalogue
        self.seed = checked("seed", seed, int, SEED)
        self.curve: list[dict] = []
        self.chosen: dict = {}

    def fit(self, train: Part, validation: Part, context: Baskets, progress: bool = False) -> Self:
        raise NotImplementedError

    def score(self, histories: Baskets) -> np.ndarray:
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        raise InputError(f"{type(self).__name__} is not saved: fit it again")

    @classmethod
    def load(cls, folder: Path, baskets: Baskets) -> Self:
        raise InputError(f"{cls.__name__} is not saved: fit it again")
