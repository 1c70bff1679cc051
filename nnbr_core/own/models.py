"""A class with `fit` and `score` becomes a Recommender, and its annotated values its settings."""

from dataclasses import field, make_dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np

from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.errors import InputError
from nnbr_core.own.checks import checked_scores
from nnbr_core.settings import Settings

KINDS = (bool, int, float, str)  # that a setting may have
FIT = ("train", "validation", "context", "progress")


def _annotations(cls: type) -> dict[str, Any]:
    """Annotated values of a class and its bases, the class's own last."""
    found: dict[str, Any] = {}
    for one in cls.__mro__[::-1]:
        if not issubclass(BaseRecommender, one):
            found |= vars(one).get("__annotations__", {})
    return found


def settings_of(cls: type) -> type:
    """A settings dataclass of the values that a class annotates: `power: float = 0.5`."""
    rows = []
    for name, kind in _annotations(cls).items():
        default = next((vars(one)[name] for one in cls.__mro__ if name in vars(one)), None)
        if kind not in KINDS or default is None:
            raise InputError(
                f"{cls.__name__}.{name}: a setting is a bool, int, float or str with a default, "
                f"such as {name}: float = 0.5"
            )
        rows.append((name, kind, field(default=kind(default))))
    return make_dataclass(f"{cls.__name__}Settings", rows, bases=(Settings,), frozen=True)


def check_model(cls: Any) -> None:
    """Raise unless it is a class that can be fitted and asked."""
    if not isinstance(cls, type):
        raise InputError(f"{cls!r} is no model: a class with fit and score is needed")
    for method in ("fit", "score"):
        home = next((one for one in cls.__mro__ if method in vars(one)), BaseRecommender)
        if home is BaseRecommender or not callable(vars(home)[method]):
            raise InputError(f"{cls.__name__} has no {method}: a model needs fit and score")
    takes = [p.name for p in signature(cls.fit).parameters.values()][1:]
    known = [p for p in takes if p in FIT]
    if takes != known and not _takes_anything(cls):
        odd = next(p for p in takes if p not in FIT)
        raise InputError(f"{cls.__name__}.fit takes {odd!r}: choose from {', '.join(FIT)}")


def _takes_anything(cls: type) -> bool:
    kinds = [p.kind for p in signature(cls.fit).parameters.values()]
    return Parameter.VAR_KEYWORD in kinds or issubclass(cls, BaseRecommender)


def adapted(cls: type) -> type[BaseRecommender]:
    """The class as a Recommender.

    Its `fit` gets what it names of train, validation, context and progress; what `score` gives is
    checked. The settings, `self.seed` and `self.catalogue` are there before `fit`.
    """
    takes = [name for name in FIT if name in signature(cls.fit).parameters]
    is_complete = issubclass(cls, BaseRecommender)
    bases = (cls,) if is_complete else (cls, BaseRecommender)

    class Adapted(*bases):
        def __init__(self, settings: Any, baskets: Baskets, seed: int = 0) -> None:
            if is_complete:
                super().__init__(settings, baskets, seed)
                return
            if cls.__init__ is not object.__init__:
                cls.__init__(self)
            BaseRecommender.__init__(self, settings, baskets, seed)
            for name, value in vars(settings).items():
                setattr(self, name, value)

        def fit(
            self, train: Part, validation: Part, context: Baskets, progress: bool = False
        ) -> "Adapted":
            given = dict(zip(FIT, (train, validation, context, progress), strict=True))
            cls.fit(self, **{name: given[name] for name in takes})
            return self

        def score(self, histories: Baskets) -> np.ndarray:
            found = cls.score(self, histories)
            return checked_scores(cls.__name__, found, histories.n_users, len(self.catalogue))

    Adapted.__name__ = Adapted.__qualname__ = cls.__name__
    return Adapted
