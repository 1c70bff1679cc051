"""The model of a run, ready to score: from its weights, or trained now."""

from nnbr_core.baselines.api import Recommender
from nnbr_core.runs import run as runs
from nnbr_core.runs import weights
from nnbr_core.runs.config import Config
from nnbr_core.runs.own_code import installed
from nnbr_core.runs.protocols import split_for


def trained_model(config: Config, progress: bool = False) -> Recommender:
    """The model of a run: its cached weights, or trained now (and then recorded and cached)."""
    baskets = runs.data_for(config, progress)
    make = config.kind.make
    if make.can_be_saved:
        with installed(config.code):
            found = weights.load(make, runs.run_id(config, baskets), baskets)
        if found:
            return found
        return runs.run_again(config, progress)
    return runs.train(config, split_for(config, baskets), progress)
