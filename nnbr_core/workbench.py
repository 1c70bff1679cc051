"""What a notebook or script needs, each in one call. Import it as `import nnbr_core as nnbr`."""

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import pandas as pd

from nnbr_core import explain
from nnbr_core.analysis.compare import Entry, compared
from nnbr_core.analysis.study import Study
from nnbr_core.baselines.api import Recommender
from nnbr_core.data import prepare, sources
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import split
from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError
from nnbr_core.figures.compared import ShownComparison
from nnbr_core.figures.tables import HEADLINE
from nnbr_core.people import Typed, item_number, typed_person, user_of
from nnbr_core.runs import own_code
from nnbr_core.runs import run as runs
from nnbr_core.runs import sweep as sweeps
from nnbr_core.runs.config import Config, configure, restored
from nnbr_core.runs.grids import expand
from nnbr_core.runs.records import Record
from nnbr_core.runs.trained import trained_model
from nnbr_core.training import OnEpoch

FIRST = ["id", "dataset", "profile", "is_own", "model", "fold", "seed", "description"]


def datasets() -> pd.DataFrame:
    """Every dataset by name: what it is, whether it is here, and how to get it.

    >>> import nnbr_core as nnbr
    >>> bool(nnbr.datasets().loc["toy", "is_here"])
    True
    """
    here = set(sources.present())
    rows = [(s.name, s.what, s.name in here, s.how_to_get) for s in sources.SOURCES.values()]
    return pd.DataFrame(rows, columns=["name", "what", "is_here", "how_to_get"]).set_index("name")


def load(dataset: str, **recipe: Any) -> Baskets:
    """The baskets of a dataset by name, or of your own CSV or parquet file.

    A file needs `user_column`, `time_column` and `item_column`; `name_column` and `group_column`
    are shown to readers. Built once, then kept.

    >>> import nnbr_core as nnbr
    >>> shop = nnbr.load("toy")
    >>> shop.n_users, shop.n_items, shop.catalogue["name"][0]
    (3000, 168, 'oats')
    """
    return prepare.load(dataset, Recipe(**recipe))


def _fit_here(config: Config, baskets: Baskets, on_epoch: OnEpoch | None) -> Recommender:
    """Trained now, recorded nowhere."""
    watched = {} if on_epoch is None else {"on_epoch": on_epoch}
    fold = split(baskets, config.fold)
    with own_code.installed(config.code):
        made = config.kind.make(config.settings, baskets, config.seed)
        if watched and "on_epoch" not in signature(made.fit).parameters:
            raise InputError(f"{config.model} has no epochs to watch")
        return made.fit(fold.train, fold.validation, fold.test.histories, **watched)


def fit(
    dataset: str | Baskets,
    model: str | type = "btbr",
    fold: int = 0,
    seed: int = 0,
    profile: str = "paper",
    on_epoch: OnEpoch | None = None,
    **settings: Any,
) -> Recommender:
    """A trained model: of a dataset by name, whose weights are kept, or of baskets at hand.

    `profile="quick"` trains a small model on at most 500 users. `on_epoch(row, network)` is called
    after every epoch with loss, metrics and weights at hand, and may return True to stop; then,
    as with baskets, nothing is kept: `fitted.save(folder)` does that.

    >>> import nnbr_core as nnbr
    >>> fitted = nnbr.fit("toy", "btbr", masking="joint", profile="quick", epochs=1)
    >>> fitted.score(nnbr.load("toy").select([0])).shape
    (1, 168)
    """
    if isinstance(dataset, Baskets):
        config = configure("these baskets", model, fold, seed, profile, **settings)
        return _fit_here(config, dataset, on_epoch)
    config = configure(dataset, model, fold, seed, profile, **settings)
    if on_epoch is not None:
        return _fit_here(config, runs.data_for(config), on_epoch)
    return trained_model(config)


def _person(fitted: Recommender, person: Typed | Baskets, among: Baskets | None) -> Baskets:
    if isinstance(person, Baskets):
        return explain.one_person(fitted, person)
    if isinstance(person, int) or (among is not None and isinstance(person, str)):
        if among is None:
            raise InputError(f"user {person} of which dataset? Say among=nnbr.load(...)")
        return user_of(among, person)
    return typed_person(fitted.catalogue, person)


def recommend(
    fitted: Recommender, person: Typed | Baskets, k: int = 10, among: Baskets | None = None
) -> pd.DataFrame:
    """The best k items a person has never bought, best first.

    A person is a typed basket (names, parts of names, or ids), several of them in lists, or with
    `among` a user of these baskets, by number or by id as text.

    >>> import nnbr_core as nnbr
    >>> shop = nnbr.load("toy")
    >>> fitted = nnbr.fit(shop, "item_knn")
    >>> nnbr.recommend(fitted, ["salsa", "tortillas"], k=3)["group"].tolist()
    ['tacos', 'tacos', 'tacos']
    >>> len(nnbr.recommend(fitted, 7, among=shop))
    10
    """
    found = explain.recommend(fitted, _person(fitted, person, among), k)
    return found.set_axis(pd.RangeIndex(1, len(found) + 1, name="rank"))


def why(
    fitted: Recommender, person: Typed | Baskets, item: str | int, among: Baskets | None = None
) -> pd.DataFrame:
    """How much each item a person bought speaks for recommending `item`, the strongest first.

    >>> import nnbr_core as nnbr
    >>> fitted = nnbr.fit(nnbr.load("toy"), "item_knn")
    >>> nnbr.why(fitted, ["salsa", "nori"], "avocado")["name"].tolist()
    ['salsa', 'nori']
    """
    wanted = fitted.catalogue["id"].iloc[item_number(fitted.catalogue, item)]
    return explain.why(fitted, _person(fitted, person, among), wanted)


def run(
    dataset: str | Record,
    model: str | type = "btbr",
    fold: int = 0,
    seed: int = 0,
    profile: str = "paper",
    again: bool = False,
    **settings: Any,
) -> Record:
    """One run's record: found, or trained now and kept. `again` trains in any case.

    Any setting can be given by name; `masking` and `swap` may be functions and `model` a class of
    your own. A record instead of a dataset is done again from what it holds, its code included.

    >>> import nnbr_core as nnbr
    >>> record = nnbr.run("toy", "user_knn", profile="quick", n_neighbours=50)
    >>> nnbr.run(record, again=True).test == record.test
    True
    """
    if isinstance(dataset, Record):
        config = restored(dataset.config, dataset.code)
    else:
        config = configure(dataset, model, fold, seed, profile, **settings)
    if again:
        runs.run_again(config)
    return runs.run(config)


def sweep(
    dataset: str,
    model: str | type | list = "btbr",
    client: Any = None,
    workers: int | None = None,
    progress: bool = True,
    **settings: Any,
) -> pd.DataFrame:
    """Every combination of settings, side by side: on this machine's cores, or on a Dask client.

    A list means: each of these. Every run keeps its record; the table says what became of it.

    >>> import nnbr_core as nnbr
    >>> done = nnbr.sweep("toy", ["popularity", "user_knn"], fold=[0, 1], workers=1, progress=False)
    >>> done["state"].tolist()
    ['done', 'done', 'done', 'done']
    """
    configs = expand({"dataset": dataset, "model": model} | settings)
    return sweeps.summary(sweeps.sweep(configs, client, workers=workers, progress=progress))


def _stored(own: bool, profile: str) -> list[Record]:
    return [
        one
        for name in runs.recorded_datasets(profile, own)
        for one in runs.all_records(name, profile=profile, own=own)
    ]


def records(own: bool = True, quick: bool = False) -> pd.DataFrame:
    """All runs on record, of all datasets: a row each, settings, validation and test means.

    `own=False` leaves out runs of code that somebody wrote, whose text is in the column `source`;
    `quick=True` adds previews.

    >>> import nnbr_core as nnbr
    >>> record = nnbr.run("toy", "popularity")
    >>> nnbr.records().query("dataset == 'toy'")["id"].tolist() == [record.id]
    True
    """
    rows = []
    for profile in ("paper", "quick") if quick else ("paper",):
        for is_own in (False, True) if own else (False,):
            rows += [one.as_row() | {"is_own": is_own} for one in _stored(is_own, profile)]
    table = pd.DataFrame(rows, columns=None if rows else FIRST)
    return table[[*FIRST, *(name for name in table if name not in FIRST)]]


def record(start: str) -> Record:
    """One run's record, by its id or the start of it: `.test`, `.curve`, `.code`, `.per_user()`.

    >>> import nnbr_core as nnbr
    >>> known = nnbr.run("toy", "popularity")
    >>> nnbr.record(known.id[:6]).test == known.test
    True
    """
    found = runs.find_by_id(start)
    if len(found) != 1:
        n = len(found) or "no"
        raise InputError(f"{n} records start with {start!r}: nnbr.records() lists all ids")
    return found[0]


def compare(
    methods: Mapping[str, Entry],
    dataset: str | Study = "toy",
    folds: int = 1,
    metrics: Sequence[str] = HEADLINE,
    profile: str = "auto",
    seed: int = 0,
) -> ShownComparison:
    """Methods against the first of them, for the same users: means, intervals, paired tests.

    A method is a model or masking by name, a masker or model of your own, a dict of settings (a
    list means: validation users choose), or a record or list of records. What is not recorded is
    trained first. In a cell the result shows tables and a figure; `.to_frame()`, `.to_latex()` and
    `.to_csv()` give it away.

    >>> import nnbr_core as nnbr
    >>> both = {"popularity": "popularity", "kNN": {"model": "user_knn", "n_neighbours": 50}}
    >>> found = nnbr.compare(both, "toy", profile="quick")  # doctest: +ELLIPSIS
    2 runs missing, about ... on 1 core.
    >>> found.to_frame()["method"].unique().tolist()
    ['popularity', 'kNN']
    """
    found = compared(methods, dataset, folds, metrics, profile, seed)
    return ShownComparison(found)
