"""Maskers, swaps and models that somebody wrote: registered by name, captured for a run.

A run carries the text of its code (see own/capture.py) and executes that text, in this process as
on a worker that never saw the notebook. So an edited function is another run, always.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import FunctionType
from typing import Any

from nnbr_core import masking, swapping
from nnbr_core.btbr_settings import NAMED_PAIRS, BtbrSettings
from nnbr_core.errors import InputError
from nnbr_core.own.capture import capture
from nnbr_core.own.checks import checked_masker, checked_swap
from nnbr_core.own.code import Code, build, built, nameless
from nnbr_core.own.models import adapted, check_model, settings_of
from nnbr_core.runs.registry import MODELS, Model

BUILT_IN = {"masker": masking.BUILT_IN, "swap": swapping.BUILT_IN, "model": dict(MODELS)}
REGISTRIES = {"masker": masking.MASKERS, "swap": swapping.SWAPS, "model": MODELS}
CHECKED = {"masker": checked_masker, "swap": checked_swap}
SETTINGS = {"masking": "masker", "swap": "swap"}  # settings that may be a function
_written: dict[int, tuple[Any, Any]] = {}  # what a registry holds, by its id, and what was written


def _as_model(cls: type) -> Model:
    """What the registry knows of somebody's class.

    It may inherit from a method of the package, and then has its settings.
    """
    check_model(cls)
    parent = next((kind for kind in BUILT_IN["model"].values() if kind.make in cls.__mro__), None)
    if parent:
        return Model(adapted(cls), parent.settings, quick=parent.quick)
    return Model(adapted(cls), settings_of(cls))


@lru_cache(None)
def _built_model(code: Code) -> Model:
    return _as_model(vars(built(code.source))[code.name])


def register(kind: str, thing: Any) -> str:
    """Make somebody's masker, swap or model known by its name; the name is returned.

    Registering another thing under the same name replaces it; names of the package are taken.
    """
    if kind != "model" and not isinstance(thing, FunctionType):
        raise InputError(f"{thing!r} is no {kind}: a function is needed")
    name = nameless(thing) if thing.__name__ == "<lambda>" else thing.__name__
    if name in BUILT_IN[kind] or name in NAMED_PAIRS:
        raise InputError(
            f"{name} is the name of a {kind} that comes with the package: "
            f"give the {'class' if kind == 'model' else 'function'} another one"
        )
    made = _as_model(thing) if kind == "model" else CHECKED[kind](name, thing)
    REGISTRIES[kind][name] = made
    _written[id(made)] = (made, thing)
    return name


def _captured(kind: str, name: str) -> Code | None:
    """The code behind a name as it is now; None for what comes with the package.

    A function that was put into the registry by hand counts as well.
    """
    known = REGISTRIES[kind].get(name)
    if known is None or BUILT_IN[kind].get(name) is known:
        return None
    if id(known) in _written:
        return capture(kind, name, _written[id(known)][1])
    return None if kind == "model" else capture(kind, name, known)


def captured(model: str, settings: Any) -> tuple[Code, ...]:
    """The code that somebody wrote among what a run names."""
    names = [("model", model)]
    if isinstance(settings, BtbrSettings):
        names += [("masker", name) for name in settings.stage_names]
        names += [("swap", settings.swap)] if settings.swap_ratio > 0 else []
    found = [_captured(*one) for one in dict.fromkeys(names)]
    return tuple(code for code in found if code)


def model_kind(model: str, code: Iterable[Code]) -> Model:
    """How to make a run's model: from its own code, or as the package knows it."""
    own = [one for one in code if one.kind == "model"]
    return _built_model(own[0]) if own else MODELS[model]


@contextmanager
def installed(code: Iterable[Code]) -> Iterator[None]:
    """While a run is done, the names of its code mean what its text says."""
    before = []
    try:
        for one in code:
            if one.kind in CHECKED:
                registry = REGISTRIES[one.kind]
                before.append((registry, one.name, registry.get(one.name)))
                made = vars(build(one.source))[one.name]
                registry[one.name] = CHECKED[one.kind](one.name, made)
        yield
    finally:
        for registry, name, was in before[::-1]:
            registry.pop(name)
            if was is not None:
                registry[name] = was


def masker(function: Callable) -> Callable:
    """Announce a masker: a function that decides which items are hidden in training.

    It gets a batch, the mask ratio and a random generator, and returns `hide(batch, hidden)`.
    From then on it can be named: in `run`, `compare`, `sweep`, in tables and menus. An edited
    function is a new run; the old number is found again when the edit is undone.

    >>> import nnbr_core as nnbr
    >>> @nnbr.masker
    ... def first_basket(batch, ratio, rng):
    ...     return nnbr.hide(batch, batch.positions == 1)
    >>> nnbr.run("toy", masking="first_basket", profile="quick", epochs=1).users_scored
    83
    """
    register("masker", function)
    return function


def swap(function: Callable) -> Callable:
    """Announce a swap: a function that moves items to other baskets in training.

    It gets a batch, the swap ratio, the hop and a random generator, and returns
    `move(batch, target, ratio, rng)`. Name it as `swap=`, with a `swap_ratio` above 0.

    >>> import nnbr_core as nnbr
    >>> @nnbr.swap
    ... def to_the_end(batch, ratio, hop, rng):
    ...     return nnbr.move(batch, batch.last_position.expand_as(batch.positions), ratio, rng)
    >>> settings = {"masking": "item_select", "swap": "to_the_end", "swap_ratio": 0.5, "epochs": 1}
    >>> nnbr.run("toy", profile="quick", **settings).users_scored
    83
    """
    register("swap", function)
    return function


def model(cls: type) -> type:
    """Announce a model: a class with `fit` and `score`.

    `fit` may take what it needs of `train`, `validation` (parts with `.histories` and `.targets`),
    `context` (the histories of those who are judged) and `progress`. `score(histories)` gives a row
    per user and a column per item. Values with a type are settings.

    >>> import nnbr_core as nnbr
    >>> @nnbr.model
    ... class Together:
    ...     power: float = 0.5
    ...     def fit(self, train):
    ...         bought = train.histories.matrix() > 0
    ...         self.pairs = (bought.T @ bought).astype(float).power(self.power)
    ...     def score(self, histories):
    ...         return (histories.matrix() @ self.pairs).toarray()
    >>> record = nnbr.run("toy", "Together", power=1.0, profile="quick")
    >>> record.test["recall@10"] > 0
    True
    """
    register("model", cls)
    return cls
