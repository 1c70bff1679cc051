"""What records are about: a dataset's fingerprint, folds and statistics, kept beside them.

Reports are built from records alone, on machines that have none of the data.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from nnbr_core import paths
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import basket_table, popular_overlap, statistics
from nnbr_core.data.folds import n_folds
from nnbr_core.data.sources import find_source
from nnbr_core.errors import InputError
from nnbr_core.experiments.config import Config
from nnbr_core.experiments.runs import data_for

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
    )


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


def dataset_facts(config: Config) -> Facts:
    """The facts behind this run: from its data, or as recorded where the data is missing."""
    try:
        return measure(data_for(config))
    except InputError:
        name = find_source(config.dataset).name
        if config.profile == "quick" or config.recipe.changed() or not facts_path(name).is_file():
            raise
        return read_facts(name)
