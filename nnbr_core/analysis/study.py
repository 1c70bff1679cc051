"""What a notebook works on: a dataset, how thoroughly, and the records behind its tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from nnbr_core.analysis.methods import Method
from nnbr_core.analysis.rows import CHOICE, Row, best_by_validation, n_leading
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.calendar import HORIZON, VISITS
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import SOURCES, find_source
from nnbr_core.errors import InputError
from nnbr_core.runs import records
from nnbr_core.runs.config import QUICK_USERS, USERS, Config, configure
from nnbr_core.runs.cost import Cost, cores, estimate
from nnbr_core.runs.dataset_facts import Facts, dataset_facts
from nnbr_core.runs.progress import Progress, is_interactive
from nnbr_core.runs.protocols import load_for
from nnbr_core.runs.records import Record
from nnbr_core.runs.run import find_by, folder_for, run
from nnbr_core.runs.sweep import sweep

GRIDS = ("few", "paper")  # the settings we always run; all that the paper searches


def _changed(folders: Iterable[Path]) -> tuple[int, ...]:
    """When these folders last changed; 0 for one that is not there."""
    return tuple(one.stat().st_mtime_ns if one.is_dir() else 0 for one in sorted(folders))


@dataclass(frozen=True)
class Study:
    """The parameters that every notebook shares."""

    dataset: str = "toy"
    profile: str = "quick"
    folds: int = 1  # how many, counted from fold 0
    seed: int = 0
    train_missing: bool | None = True  # False: show what is recorded; None: compute what is quick
    recipe: Recipe = Recipe()
    grid: str = "few"  # which settings of a method are computed if they are missing
    protocol: str = USERS  # or by calendar: folds are cut-offs then
    visit_date: str = VISITS[0]  # the track: is a model told the day of the visit?
    horizon: int = HORIZON  # days from a cut-off in which a shopper must come back

    @property
    def name(self) -> str:
        return find_source(self.dataset).name

    @property
    def is_preview(self) -> bool:
        """Too few users and too small models for any verdict."""
        return self.profile == "quick"

    @cached_property
    def baskets(self) -> Baskets:
        """The whole dataset; in the quick profile, runs see at most 500 users of it."""
        return load_for(self.protocol, self.dataset, self.recipe, progress=is_interactive())

    @cached_property
    def facts(self) -> Facts:
        """What the runs see, from the data or, where that is missing, as it was recorded."""
        return dataset_facts(self.config("popularity", 0))

    def config(self, model: str, fold: int, **settings: Any) -> Config:
        days = {"protocol": self.protocol, "visit_date": self.visit_date, "horizon": self.horizon}
        return configure(
            self.dataset, model, fold, self.seed, self.profile, self.recipe, **days, **settings
        )

    def n_folds(self, method: Method) -> int:
        """On how many folds a method is run."""
        return min(self.folds, method.folds or self.folds)

    def configs(self, method: Method, settings: Sequence[dict] | None = None) -> list[Config]:
        """The runs of a method that are computed if they are missing, setting after setting."""
        if settings is None:
            settings = method.grid if self.grid == "few" else (*method.grid, *method.more)
        folds = range(self.n_folds(method))
        wanted = [self.config(method.model, fold, **one) for one in settings for fold in folds]
        return list(dict.fromkeys(wanted))  # a default spelled out is the same run

    def find(self, configs: Sequence[Config]) -> list[Record | None]:
        """The record of each run, or None."""
        return [find_by(config, self.facts.data_of(config)) for config in configs]

    def missing(self, configs: Sequence[Config]) -> list[Config]:
        """Those that are not recorded."""
        return [c for c, record in zip(configs, self.find(configs), strict=True) if not record]

    @property
    def n_cores(self) -> int:
        """How many runs go side by side: a preview's are too short to start processes for."""
        return 1 if self.is_preview else cores()

    def cost(self, configs: Sequence[Config]) -> Cost:
        """What it takes to compute those of these runs that are missing."""
        missing = self.missing(configs)
        return estimate(missing, self.facts.fingerprint, self.facts.n_users, self.n_cores)

    @cached_property
    def _left_out(self) -> set[Config]:
        """Runs that would have taken too long: said once, and not asked for again one by one."""
        return set()

    def collect(self, configs: Sequence[Config]) -> list[Record | None]:
        """The record of each run; what is missing is computed first if `train_missing` says so.

        What takes long is computed only where that was said: otherwise a sentence tells how.
        """
        absent = [] if self.train_missing is False else self.missing(configs)
        if wanted := [config for config in absent if config not in self._left_out]:
            cost = self.cost(wanted)
            if self.train_missing or cost.is_small:
                print(f"{cost}.", flush=True)
                self.compute(wanted)
            else:
                self._left_out.update(wanted)
                print(f"{cost}: what is recorded is shown. train_missing=True computes the rest.")
        return self.find(configs)

    def compute(self, configs: Sequence[Config]) -> None:
        """Train these runs and keep their records: large ones side by side, on all cores."""
        if self.n_cores == 1 or len(configs) == 1:
            with Progress(len(configs)) as bar:
                for config in configs:
                    run(config)
                    bar.done()
            return
        for outcome in sweep(configs):
            if outcome.error:
                raise InputError(f"{outcome.config}: {outcome.error}")

    @cached_property
    def _rows(self) -> dict[tuple, Row]:
        """Rows that were looked up before, and when the store last changed."""
        return {}

    def row(self, method: Method) -> Row:
        """The method's best settings of every fold, by validation."""
        configs = tuple(self.configs(method, (*method.grid, *method.more)))  # with their code
        folders = {folder_for(config) for config in configs}
        key = (repr(method), configs, _changed(folders))
        if key not in self._rows:
            found = self._choose(method)
            self._rows[repr(method), configs, _changed(folders)] = found
            return found
        return self._rows[key]

    def rows(self, methods: dict[str, Method]) -> dict[str, Row]:
        """A row for each; what is missing of any of them is computed together."""
        self.collect([config for method in methods.values() for config in self.configs(method)])
        return {name: self.row(method) for name, method in methods.items()}

    def _choose(self, method: Method) -> Row:
        """As many folds as any one setting is recorded for, and the best setting of each.

        Every setting that is recorded for all of these folds takes part, so that each fold
        chooses among the same.
        """
        wanted = self.configs(method)
        n_missing = sum(record is None for record in self.collect(wanted))
        every = self.configs(method, (*method.grid, *method.more))
        found, n = self.find(every), self.n_folds(method)
        table = [found[i : i + n] for i in range(0, len(found), n)]
        n_recorded = [n_leading(row) for row in table]
        folds = max(n_recorded)
        taking_part = [row for row, n in zip(table, n_recorded, strict=True) if n >= folds > 0]
        chosen = tuple(
            max((row[fold] for row in taking_part), key=lambda record: record.validation[CHOICE])
            for fold in range(folds)
        )
        return Row(method, chosen, len(taking_part), n_missing)

    def best(self, methods: dict[str, Method], name: str = "nothing recorded") -> Row:
        """The method that validation users prefer."""
        return best_by_validation(self.rows(methods).values(), name)

    def over(self, folds: int) -> "Study":
        """The same study of its first folds."""
        return self if folds == self.folds else replace(self, folds=folds)

    @property
    def has_records(self) -> bool:
        """Are there records of this dataset, and is known what they are about?"""
        paths = folder_for(self.config("popularity", 0)).glob("*.json")
        found = (record for path in paths if (record := records.find(path)))
        try:
            data = self.facts.data_of(self.config("popularity", 0))
            return any(record.data == data for record in found)
        except InputError:
            return False

    def everywhere(self) -> dict[str, "Study"]:
        """This study first, then the same of every other dataset with records: all their folds.

        Nothing is trained there.
        """
        found = {self.name: self}
        for name in SOURCES:
            own = {"dataset": name, "recipe": Recipe(), "folds": 1, "train_missing": False}
            other = replace(self, **own)
            if name != self.name and other.has_records:
                found[name] = other.over(other.facts.n_folds)
        return found

    def __str__(self) -> str:
        n_users = self.facts.n_users
        windows = self.recipe.window_weeks or find_source(self.dataset).default_window_weeks
        users = f"{n_users:,} {'sequences' if windows else 'users'}"
        if self.is_preview and n_users == QUICK_USERS:
            users = f"{n_users:,} of {self.baskets.n_users:,} users"
        if self.protocol == USERS:
            return f"{self.name}: {users}, {self.folds} of {self.facts.n_folds} folds"
        days = (
            f"by calendar, {self.folds} of {self.facts.n_folds} cut-offs, {self.horizon} days each"
        )
        return f"{self.name}: {users}, {days}"
