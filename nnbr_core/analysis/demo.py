"""The run behind what notebooks demonstrate on single people: lists, guesses, reasons."""

from dataclasses import replace

import numpy as np

from nnbr_core.analysis.methods import Method, every_row
from nnbr_core.analysis.rows import Row
from nnbr_core.analysis.study import Study
from nnbr_core.baselines.api import Recommender
from nnbr_core.data.folds import Part
from nnbr_core.evaluation import hits, top_novel
from nnbr_core.runs.config import Config
from nnbr_core.runs.run import run

# A model that is looked at, not compared, is worth more seconds than the quick profile spends.
# The best of four settings for the validation users of the toy world's fold 1, which is shown
# because others were once tried by looking at the test users of fold 0.
LONGER = {"mask_ratio": 0.5, "dim": 64, "epochs": 40, "learning_rate": 0.003}
DEMO_FOLD = 1
GENERATED = ("toy", "toy_season")  # worlds whose small catalogue is learned within seconds


def demo_config(study: Study, masking: str = "joint") -> Config:
    """The BTBR run behind a notebook's recommendations: small, unless training is asked for.

    With a real catalogue more epochs would take minutes, and 500 users teach little more.
    """
    if study.train_missing and not study.is_preview:
        return study.config("btbr", DEMO_FOLD, masking=masking)
    longer = LONGER if study.name in GENERATED else {}
    return replace(study, profile="quick").config("btbr", DEMO_FOLD, masking=masking, **longer)


SIMPLE = ("popularity", "item_knn")  # what a trained model is shown beside


def demo_rows(study: Study, masking: str = "joint") -> dict[str, Row]:
    """Two simple methods and a strategy: as recorded in full size, or in a preview as small runs.

    A preview shows the model that the notebook trains, on the fold that it is trained for.
    """
    if not study.is_preview:
        every = every_row()
        known = every.get(masking, Method(masking, "btbr", ({"masking": masking},)))
        return study.rows({name: every[name] for name in SIMPLE} | {masking: known})
    configs = {name: study.config(name, DEMO_FOLD) for name in SIMPLE}
    configs[masking] = demo_config(study, masking)
    return {
        name: Row(Method(name, config.model), (run(config),), n_settings=1)
        for name, config in configs.items()
    }


def hits_per_user(model: Recommender, test: Part, n_users: int, k: int = 10) -> np.ndarray:
    """int [users]: how many of their k novel items the first test users went on to buy."""
    first = np.arange(min(n_users, test.n_users))
    top = top_novel(model.score, test.histories.select(first), k)
    return hits(top, test.labels("explore")[first]).sum(axis=1)
