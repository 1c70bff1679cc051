"""What a notebook works on: a dataset, how thoroughly, and the records behind its tables."""

import ast
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import n_folds
from nnbr_core.data.prepare import load
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import find_source
from nnbr_core.errors import InputError, nearest
from nnbr_core.experiments.config import QUICK_USERS, Config, checked, configure
from nnbr_core.experiments.facts import Facts, dataset_facts
from nnbr_core.experiments.methods import Method
from nnbr_core.experiments.records import Record
from nnbr_core.experiments.runs import find_by, run
from nnbr_core.experiments.sweep import sweep
from nnbr_core.significance import interval

CHOICE = "recall@10"  # of validation users: what settings are chosen by
INJECTED = "# Parameters"  # papermill starts the cell it adds with this line


def is_interactive() -> bool:
    """Is somebody there to click? Jupyter's server names the session; papermill does not."""
    return "JPY_SESSION_NAME" in os.environ or "VSCODE_PID" in os.environ


def n_leading(records: Sequence[Record | None]) -> int:
    """How many of the first folds are recorded."""
    return next((i for i, record in enumerate(records) if record is None), len(records))


@dataclass(frozen=True)
class Row:
    """A method's results: one record per fold, chosen on that fold's validation users."""

    method: Method
    records: tuple[Record, ...]  # folds 0, 1, ... as far as they are recorded
    n_settings: int  # how many were compared, the same ones in every fold
    n_missing: int  # runs of the method's grid that are not recorded

    @property
    def folds(self) -> int:
        return len(self.records)

    def values(self, metric: str, folds: int | None = None) -> pd.Series:
        """One value per test user of the first `folds` folds."""
        return per_user(list(self.records[:folds]), metric)


@dataclass(frozen=True)
class Study:
    """The parameters that every notebook shares."""

    dataset: str = "toy"
    profile: str = "quick"
    folds: int = 1  # how many, counted from fold 0
    seed: int = 0
    train_missing: bool = True  # or show only what is recorded
    recipe: Recipe = Recipe()

    @cached_property
    def baskets(self) -> Baskets:
        """The whole dataset; in the quick profile, runs see at most 500 users of it."""
        return load(self.dataset, self.recipe, progress=is_interactive())

    @cached_property
    def facts(self) -> Facts:
        """What the runs see, from the data or, where that is missing, as it was recorded."""
        return dataset_facts(self.config("popularity", 0))

    @property
    def name(self) -> str:
        return find_source(self.dataset).name

    def config(self, model: str, fold: int, **settings: Any) -> Config:
        return configure(
            self.dataset, model, fold, self.seed, self.profile, self.recipe, **settings
        )

    def find(self, configs: Sequence[Config]) -> list[Record | None]:
        """The record of each run, or None."""
        return [find_by(config, self.facts.fingerprint) for config in configs]

    def collect(self, configs: Sequence[Config]) -> list[Record | None]:
        """The same; unless `train_missing` is off, what is missing is computed first."""
        found = self.find(configs)
        missing = [config for config, record in zip(configs, found, strict=True) if not record]
        if not missing or not self.train_missing:
            return found
        if self.profile == "paper":
            for outcome in sweep(missing, progress=is_interactive()):
                if outcome.error:
                    raise InputError(f"{outcome.config}: {outcome.error}")
        else:
            for config in tqdm(missing, "runs", leave=False, disable=not is_interactive()):
                run(config)
        return self.find(configs)

    def records(self, model: str, **settings: Any) -> list[Record]:
        """One record per fold: found, or computed now."""
        return [run(self.config(model, fold, **settings)) for fold in range(self.folds)]

    def row(self, method: Method) -> Row:
        """The method's best settings of every fold, by validation.

        As many folds as any one of its settings is recorded for; every setting recorded for
        all of these takes part, so that each fold chooses among the same.
        """
        wanted = [
            [self.config(method.model, fold, **one) for fold in range(self.folds)]
            for one in method.grid
        ]
        found = self.collect([config for configs in wanted for config in configs])
        n_missing = sum(record is None for record in found)
        table = [found[i : i + self.folds] for i in range(0, len(found), self.folds)]
        for one in method.more:
            configs = [self.config(method.model, fold, **one) for fold in range(self.folds)]
            if configs not in wanted:  # a default spelled out is the same run
                table.append(self.find(configs))
        n_recorded = [n_leading(row) for row in table]
        folds = max(n_recorded)
        taking_part = [row for row, n in zip(table, n_recorded, strict=True) if n >= folds > 0]
        chosen = tuple(
            max((row[fold] for row in taking_part), key=lambda record: record.validation[CHOICE])
            for fold in range(folds)
        )
        return Row(method, chosen, len(taking_part), n_missing)

    def rows(self, methods: dict[str, Method]) -> dict[str, Row]:
        return {name: self.row(method) for name, method in methods.items()}

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


def fold_mean(records: Sequence[Record], metric: str) -> float:
    """The mean over folds of test users' means, which is what the paper prints.

    TaFeng's splits share test users: averaging those first, as tests do, gives another mean.
    """
    return float(np.mean([record.per_user()[metric].mean() for record in records]))


def fold_interval(records: Sequence[Record], metric: str) -> tuple[float, float]:
    """A 95 % interval around `fold_mean`, as wide as users make it who count once each."""
    values = per_user(list(records), metric).to_numpy()
    shift = fold_mean(records, metric) - float(np.nanmean(values))
    low, high = interval(values)
    return low + shift, high + shift


def paired(a: Row, b: Row, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Both methods' values for the same users: those of the folds that both are recorded for."""
    folds = min(a.folds, b.folds)
    if folds == 0:
        return np.array([]), np.array([])
    return a.values(metric, folds).to_numpy(), b.values(metric, folds).to_numpy()


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
