"""One run's settings: validated, frozen, and the same text for the same run."""

import json
import types
from dataclasses import asdict, dataclass, field, fields
from typing import Any, get_args

from nnbr_core.data.recipe import Recipe, changed
from nnbr_core.errors import InputError, choose, nearest
from nnbr_core.experiments.models import MODELS

PROFILES = ("quick", "paper")
QUICK_USERS = 500  # at most, in the quick profile


def _kinds(annotation: Any) -> tuple[type, ...]:
    """The types an annotation allows: `int | None` gives int and NoneType."""
    return get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)


def checked(name: str, value: Any, annotation: Any) -> Any:
    """The value, if it is of the annotated type; whole numbers pass as floats."""
    kinds = _kinds(annotation)
    if float in kinds and type(value) is int:
        return float(value)
    if type(value) not in kinds:
        wanted = " or ".join("nothing" if k is types.NoneType else k.__name__ for k in kinds)
        raise InputError(f"{name} = {value!r}: {wanted} is needed")
    return value


def parsed(name: str, text: str, annotation: Any) -> Any:
    """A value typed on a command line, as the annotated type."""
    for kind in _kinds(annotation):
        try:
            if kind is bool:
                return {"true": True, "false": False}[text.lower()]
            if kind is not types.NoneType:
                return kind(text)
        except (ValueError, KeyError):
            continue
    raise InputError(f"{name} = {text!r}: {annotation} is needed")


@dataclass(frozen=True)
class Config:
    """Everything that decides a run. Make one with `configure`."""

    dataset: str  # a registered name, or a path to a file
    model: str
    fold: int
    seed: int  # training only; folds never depend on it
    profile: str  # "quick": at most 500 users and small models; "paper": the full setting
    settings: Any  # the model's own
    recipe: Recipe = field(default_factory=Recipe)

    def identity(self, fingerprint: str) -> str:
        """Canonical JSON of all that the numbers depend on.

        Defaults are left out, so that a new option orphans no record. The data counts by
        its contents, not by its name.
        """
        kind = MODELS[self.model]
        read = {"model": self.model, "version": kind.version, "fold": self.fold}
        read |= {"data": fingerprint, "settings": changed(self.settings)}
        if kind.is_seeded:
            read["seed"] = self.seed
        return json.dumps(read, sort_keys=True)

    def as_dict(self) -> dict:
        """Plain values, for a record."""
        return asdict(self) | {"recipe": self.recipe.changed()}

    def __str__(self) -> str:
        options, recipe = (
            "".join(f", {name} {value}" for name, value in changed(settings).items())
            for settings in (self.settings, self.recipe)
        )
        seed = f", seed {self.seed}" if MODELS[self.model].is_seeded else ""
        return f"{self.model}{options} on {self.dataset}{recipe}, fold {self.fold}{seed}"


def configure(
    dataset: str = "toy",
    model: str = "popularity",
    fold: int = 0,
    seed: int = 0,
    profile: str = "paper",
    recipe: Recipe | None = None,
    **settings: Any,
) -> Config:
    """A checked Config from flat names; an unknown one is refused with the nearest valid name."""
    choose("model", model, MODELS)
    choose("profile", profile, PROFILES)
    kind = MODELS[model]
    known = {f.name: f.type for f in fields(kind.settings)}
    for name in settings:
        if name not in known:
            raise InputError(f"{model} has no setting {name!r}: {nearest(name, known)}")
    if profile == "quick":
        settings = kind.quick | settings
    values = {name: checked(name, value, known[name]) for name, value in settings.items()}
    for name, value in {"fold": fold, "seed": seed}.items():
        if checked(name, value, int) < 0:
            raise InputError(f"{name} = {value}: 0 or more is needed")
    made = kind.settings(**values)
    return Config(dataset, model, fold, seed, profile, made, recipe or Recipe())
