"""Lists for everybody: what a grocer would load into a campaign tool."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from nnbr_core import paths
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import split
from nnbr_core.data.prepare import load
from nnbr_core.errors import InputError
from nnbr_core.evaluation import NOBODY, USERS_AT_ONCE, mask_repeats, top_k
from nnbr_core.experiments import runs
from nnbr_core.experiments.config import Config
from nnbr_core.experiments.models import MODELS
from nnbr_core.experiments.study import Study

# A model that is looked at, not compared, is worth more seconds than the quick profile spends.
# The best of four settings for the validation users of the toy world's fold 1, which is shown
# because others were once tried by looking at the test users of fold 0.
LONGER = {"mask_ratio": 0.5, "dim": 64, "epochs": 40, "learning_rate": 0.003}
DEMO_FOLD = 1


def demo_config(study: Study, masking: str = "joint") -> Config:
    """The BTBR run behind a notebook's recommendations."""
    more = LONGER if study.profile == "quick" else {}
    return study.config("btbr", DEMO_FOLD, masking=masking, **more)


def trained_model(config: Config, progress: bool = False) -> object:
    """The model of a run: its cached weights, or trained now (and then recorded and cached)."""
    baskets = runs.data_for(config, progress)
    make = MODELS[config.model].make
    weights = paths.weights() / runs.run_id(config, baskets)
    if hasattr(make, "load"):
        if not weights.is_dir():
            runs.run(config, progress=progress, again=True)
        return make.load(weights, baskets)
    return runs.train(config, baskets, split(baskets, config.fold), progress)


def novel_lists(model: object, baskets: Baskets, k: int) -> Iterator[pd.DataFrame]:
    """For blocks of users: user, rank, item, name, group, score of the best k novel items.

    Everything a user has bought counts as history here, the last basket too: the question is
    what comes after it.
    """
    labels = baskets.catalogue
    for start in range(0, baskets.n_users, USERS_AT_ONCE):
        block = baskets.select(np.arange(start, min(start + USERS_AT_ONCE, baskets.n_users)))
        scores = mask_repeats(model.score(block), block)
        top = top_k(scores, k)  # (U, k)
        user, rank = np.nonzero(top != NOBODY)
        item = top[user, rank]
        yield pd.DataFrame(
            {
                "user": block.user_ids[user],
                "rank": rank + 1,
                "item": labels["id"].to_numpy()[item],
                "name": labels["name"].to_numpy()[item],
                "group": labels["group"].to_numpy()[item],
                "score": scores[user, item],
            }
        )


def write_lists(config: Config, k: int, path: Path, progress: bool = False) -> int:
    """Novel lists for every user of the dataset as CSV; returns how many users there are."""
    baskets = load(config.dataset, config.recipe, progress)
    if not 1 <= k <= baskets.n_items:
        raise InputError(f"k = {k}: 1 to {baskets.n_items}, the number of items")
    model = trained_model(config, progress)
    unfinished = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=path.absolute().parent, delete=False, newline="", encoding="utf-8"
        ) as file:
            unfinished = Path(file.name)
            with tqdm(total=baskets.n_users, unit="user", disable=not progress) as bar:
                for number, block in enumerate(novel_lists(model, baskets, k)):
                    block.to_csv(file, index=False, header=number == 0)
                    bar.update(block["user"].nunique())
        os.chmod(unfinished, 0o644)
        os.replace(unfinished, path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)
    return baskets.n_users
