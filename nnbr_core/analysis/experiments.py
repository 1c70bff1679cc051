"""What each notebook needs to be run: the list behind `sweep rq3`, its tables and the reports.

Some runs depend on others: swaps are run at the mask ratio that validation users prefer. So the
list is asked for again when what it named is recorded, until nothing new comes up.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from nnbr_core.analysis import ablations, calendar, grid_runs, methods
from nnbr_core.analysis.methods import Method
from nnbr_core.analysis.study import Study
from nnbr_core.runs.config import Config
from nnbr_core.runs.sweep import Outcome, sweep


def _of(study: Study, wanted: dict[str, Method]) -> list[Config]:
    return [config for method in wanted.values() for config in study.configs(method)]


def _baselines(study: Study) -> list[Config]:
    return _of(study, methods.baselines() | methods.references() | methods.best_lists())


def _strategies(study: Study) -> list[Config]:
    return _of(study, methods.baselines() | methods.strategies()) + grid_runs.ratio_configs(study)


def _strategies_of(names: Sequence[str]) -> dict[str, Method]:
    return {name: methods.strategies()[name] for name in names}


def _swaps(study: Study) -> list[Config]:
    swapped = grid_runs.swap_methods(study)
    plain = [
        methods.unswapped(one.grid[0]["masking"], one.grid[0]["mask_ratio"])
        for one in swapped.values()
    ]
    few = _of(study.over(1), _strategies_of(methods.ITEM_LEVEL))  # their mask ratio is chosen there
    unswapped = [config for method in plain for config in study.configs(method)]
    return few + unswapped + _of(study, swapped)


def _ratios_and_curves(study: Study) -> list[Config]:
    """Claims about training compare the levels, and popularity tells what has learned."""
    popularity = {"popularity": methods.baselines()["popularity"]}
    found = _of(study, popularity | _strategies_of(methods.BASKET_LEVEL))
    found += grid_runs.ratio_configs(study) + _of(study.over(1), _strategies_of(("joint",)))
    return found + grid_runs.curve_configs(study)


def _joint(study: Study) -> list[Config]:
    return _of(study, methods.baselines() | methods.strategies()) + _swaps(study)


def _claims(study: Study) -> list[Config]:
    each = (_baselines, _strategies, _joint)
    return [config for needs in each for config in needs(study)]


EXPERIMENTS: dict[str, Callable[[Study], list[Config]]] = {
    "rq1": _baselines,
    "rq2": _strategies,
    "rq3": _swaps,
    "rq4": _ratios_and_curves,
    "rq5": _joint,
    "ablations": ablations.configs,
    "claims": _claims,
    "calendar": calendar.calendar_configs,
}


def needed(experiment: str, study: Study) -> list[Config]:
    """The runs that the notebook of this experiment shows, as far as is known now."""
    asked = replace(study, train_missing=False)
    return list(dict.fromkeys(EXPERIMENTS[experiment](asked)))


def sweep_experiment(experiment: str, study: Study, **options) -> list[Outcome]:
    """Compute everything that the notebook of an experiment needs; what is recorded is skipped."""
    done: dict[Config, Outcome] = {}
    while todo := [config for config in needed(experiment, study) if config not in done]:
        done |= {outcome.config: outcome for outcome in sweep(todo, **options)}
    return list(done.values())
