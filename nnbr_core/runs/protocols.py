"""Split by users or by calendar: which baskets a run sees, its fold, and what a model is given.

By calendar everything before the cut-off T may be read, but settings are chosen a horizon
earlier, at V. A method that only counts is therefore fitted twice: up to V, which chooses its
settings, and with these once more up to T, as a shop would. What is trained keeps the weights
of V, since the days between V and T decide when to stop:

    ............................V.............T.............
    choose settings, stop       |  validation |
    count again                               |  test
"""

from dataclasses import fields, replace

from nnbr_core.baselines.api import Recommender
from nnbr_core.data import calendar, folds
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Fold, known_visits, part
from nnbr_core.data.prepare import load, load_whole
from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError
from nnbr_core.runs.config import CALENDAR, Config


def load_for(protocol: str, dataset: str, recipe: Recipe, progress: bool = False) -> Baskets:
    """All baskets that a protocol starts from."""
    read = load_whole if protocol == CALENDAR else load
    return read(dataset, recipe, progress)


def data_of(config: Config, fingerprint: str, days: str) -> str:
    """What a record names its data by: the baskets, and their days where the run reads them."""
    if config.reads_days and not days:
        raise InputError(
            f"{config.dataset} has no dates, only the order of baskets: {config.model} cannot be "
            f"run on it with protocol {config.protocol!r}"
        )
    return f"{fingerprint}-{days}" if config.reads_days else fingerprint


def fingerprint_of(config: Config, baskets: Baskets) -> str:
    """`data_of` these baskets."""
    days = "" if baskets.days is None else baskets.days_fingerprint
    return data_of(config, baskets.fingerprint, days)


def n_folds(config: Config, baskets: Baskets) -> int:
    """How many folds or cut-offs there are."""
    if config.protocol == CALENDAR:
        return len(calendar.cutoffs(baskets, config.horizon))
    return folds.n_folds(baskets)


def split_for(config: Config, baskets: Baskets) -> Fold:
    """Train, validation and test of a run; days of visits are told in one track alone."""
    if config.protocol == CALENDAR:
        return calendar.split(
            baskets, config.fold, config.horizon, config.recipe, config.visit_date
        )
    fold = folds.split(baskets, config.fold)
    if config.visit_date == "known":
        told = {name: known_visits(getattr(fold, name)) for name in ("validation", "test")}
        return replace(fold, **told)
    return fold


def is_counted_again(config: Config) -> bool:
    return config.protocol == CALENDAR and not config.kind.is_seeded


def context_of(config: Config, fold: Fold) -> Baskets:
    """What everybody bought before the day up to which a model is first fitted."""
    if config.protocol != CALENDAR:
        return fold.test.histories
    return fold.validation.past if is_counted_again(config) else fold.test.past


def counted_again(config: Config, model: Recommender, fold: Fold) -> Recommender:
    """The model that answers for test users: up to T, with the settings chosen up to V."""
    if not is_counted_again(config):
        return model
    own = {f.name for f in fields(config.settings)}
    found = {name: value for name, value in model.chosen.items() if name in own}
    past = fold.test.past
    is_long = past.baskets_per_user >= config.recipe.min_baskets
    later = config.kind.make(replace(config.settings, **found), past, config.seed)
    later.fit(part(past.select(is_long.nonzero()[0])), fold.validation, past)
    return later
