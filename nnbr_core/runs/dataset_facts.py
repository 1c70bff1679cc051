"""What records are about: a dataset's fingerprint, folds and statistics, kept beside them.

Reports are built from records alone, on machines that have none of the data.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from nnbr_core import paths
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.calendar import HORIZON
from nnbr_core.data.describe import basket_table, popular_overlap, statistics
from nnbr_core.data.folds import n_folds
from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import find_source
from nnbr_core.errors import InputError
from nnbr_core.runs import protocols
from nnbr_core.runs.config import CALENDAR, Config
from nnbr_core.runs.run import data_for, folder_for

DIGITS = 6  # of a stored ratio: the same text on every machine
MIN_BASKETS = 30  # means over fewer are left out


@dataclass(frozen=True)
class Facts:
    """A dataset as its runs see it."""

    fingerprint: str
    n_users: int
    n_folds: int
    statistics: dict[str, float]  # the paper's dataset table
    repeat_by_number: dict[str, float]  # basket number -> mean share of repeat items
    shared_best_sellers: dict[str, float]  # of the n best of histories, share among last baskets'
    days: str = ""  # fingerprint of the baskets' days; empty where there are none

    def data_of(self, config: Config) -> str:
        """What the record of this run names its data by."""
        return protocols.data_of(config, self.fingerprint, self.days)


def measure(baskets: Baskets) -> Facts:
    table = basket_table(baskets).groupby("number")["repeat_ratio"].agg(["mean", "size"])
    repeat = table.loc[table["size"] >= MIN_BASKETS, "mean"]
    overlap = popular_overlap(baskets).set_index("n")["overlap"]

    def rounded(series) -> dict[str, float]:
        return {str(name): round(float(value), DIGITS) for name, value in series.items()}

    return Facts(
        fingerprint=baskets.fingerprint,
        n_users=baskets.n_users,
        n_folds=n_folds(baskets),
        statistics=rounded(statistics(baskets)),
        repeat_by_number=rounded(repeat),
        shared_best_sellers=rounded(overlap),
        days="" if baskets.days is None else baskets.days_fingerprint,
    )


def measure_for(config: Config) -> Facts:
    """The facts behind a run, measured on its data."""
    baskets = data_for(config)
    return replace(measure(baskets), n_folds=protocols.n_folds(config, baskets))


def facts_path(dataset: str) -> Path:
    return paths.project_root() / "reports" / "datasets" / f"{dataset}.json"


def write_facts(dataset: str, facts: Facts) -> None:
    path = facts_path(dataset)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(facts), indent=1) + "\n")


def read_facts(dataset: str) -> Facts:
    """The recorded facts about a dataset."""
    path = facts_path(dataset)
    if not path.is_file():
        raise InputError(f"nothing is recorded about {dataset}: {path} does not exist")
    return Facts(**json.loads(path.read_text()))


def facts_name(config: Config) -> str:
    """Under which name facts are kept: by calendar a dataset has other users and folds."""
    name = find_source(config.dataset).name
    return f"{name}-{CALENDAR}" if config.protocol == CALENDAR else name


def _recorded(config: Config) -> Facts | None:
    """What is recorded about the data of this run; only whole datasets, prepared as usual, are."""
    name = facts_name(config)
    is_usual = config.profile != "quick" and not config.recipe.changed()
    if not (is_usual and config.horizon == HORIZON and facts_path(name).is_file()):
        return None
    return read_facts(name)


def other_version(config: Config) -> str:
    """A sentence if the data here is not what the records are about; empty otherwise."""
    try:
        whole = replace(config, profile="paper", recipe=Recipe())
        recorded, baskets = _recorded(whole), data_for(whole)
    except InputError:
        return ""  # no data here: the records stand for it
    if recorded is None or config.recipe.changed() or recorded.fingerprint == baskets.fingerprint:
        return ""
    folder = folder_for(replace(config, profile="paper"))
    n_records = len(list(folder.glob("*.json")))
    return (
        f"The data here is another version than the recorded one: {baskets.n_users:,} users here, "
        f"{recorded.n_users:,} behind the {n_records} records in {folder.name}. Records of this "
        "version are made by profile='paper' with train_missing=True, or by "
        f"python -m nnbr_core sweep rq2 --dataset {config.dataset}."
    )


def dataset_facts(config: Config) -> Facts:
    """The facts behind this run: as recorded if they are about this data, else measured.

    Where the data is missing, the recorded facts stand for it.
    """
    recorded = _recorded(config)
    try:
        baskets = data_for(config)
    except InputError:
        if recorded is None:
            raise
        return recorded
    is_same = recorded is not None and recorded.fingerprint == baskets.fingerprint
    if not is_same:
        return measure_for(config)
    days = "" if baskets.days is None else baskets.days_fingerprint
    return replace(recorded, days=days)  # facts may be older than days are
