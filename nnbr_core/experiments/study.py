"""What a notebook works on: a dataset, how thoroughly, and the records behind its tables."""

import ast
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import pandas as pd

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import n_folds
from nnbr_core.data.prepare import load
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import find_source
from nnbr_core.errors import InputError, nearest
from nnbr_core.experiments.config import QUICK_USERS, Config, checked, configure
from nnbr_core.experiments.records import Record
from nnbr_core.experiments.runs import run

INJECTED = "# Parameters"  # papermill starts the cell it adds with this line


@dataclass(frozen=True)
class Study:
    """The parameters that every notebook shares."""

    dataset: str = "toy"
    profile: str = "quick"
    folds: int = 1  # how many, counted from fold 0
    seed: int = 0
    recipe: Recipe = Recipe()

    @cached_property
    def baskets(self) -> Baskets:
        """The whole dataset; in the quick profile, runs see at most 500 users of it."""
        return load(self.dataset, self.recipe, progress=True)

    @property
    def name(self) -> str:
        return find_source(self.dataset).name

    def config(self, model: str, fold: int, **settings: Any) -> Config:
        return configure(
            self.dataset, model, fold, self.seed, self.profile, self.recipe, **settings
        )

    def records(self, model: str, **settings: Any) -> list[Record]:
        """One record per fold: found, or computed now."""
        return [run(self.config(model, fold, **settings)) for fold in range(self.folds)]

    def __str__(self) -> str:
        n_users = self.baskets.n_users
        if self.profile == "quick" and n_users > QUICK_USERS:
            users = f"{QUICK_USERS} of {n_users:,} users"
        else:
            users = f"{n_users:,} users"
        return f"{self.name}: {users}, {self.folds} of {n_folds(self.baskets)} folds"


def per_user(records: list[Record], metric: str) -> pd.Series:
    """One value per user, averaged over the folds that tested them (index: row in the dataset)."""
    values = pd.concat([record.per_user()[metric] for record in records])
    return values.groupby(level=0).mean()


def _assigned(source: str) -> list[str]:
    """Names that a cell assigns at its top level."""
    lines = ast.parse(source).body
    plain = [target for line in lines if isinstance(line, ast.Assign) for target in line.targets]
    return [target.id for target in plain if isinstance(target, ast.Name)]


def _refuse_unknown(cells: list[str]) -> None:
    """Raise if papermill was given a name that the notebook's parameters cell does not have.

    `cells` are the sources run so far, this one last. Papermill itself only warns.
    """
    if len(cells) < 3 or not cells[-2].startswith(INJECTED):
        return
    known = _assigned(cells[-3])
    for name in _assigned(cells[-2]):
        if name not in known:
            raise InputError(f"unknown parameter {name!r}: {nearest(name, known)}")


def begin(namespace: dict[str, Any]) -> Study:
    """Check a notebook's parameters, say what it will work on, and hand it over.

    Called with globals() in the cell after the parameters. A typo, a wrong type or a missing
    dataset stops the notebook here, in its first seconds.
    """
    _refuse_unknown(namespace.get("In", []))
    shared = {f.name: f.type for f in fields(Study) if f.name != "recipe"}
    columns = {f.name: f.type for f in fields(Recipe)}
    given = {k: checked(k, v, shared[k]) for k, v in namespace.items() if k in shared}
    cooked = {k: checked(k, v or None, t) for k, t in columns.items() if (v := namespace.get(k))}
    study = Study(**given, recipe=Recipe(**cooked))
    study.config("popularity", 0)  # checks profile and seed
    if not 1 <= study.folds <= n_folds(study.baskets):
        raise InputError(f"folds = {study.folds}: 1 to {n_folds(study.baskets)} for {study.name}")
    print(study)
    return study
