"""Does BTBR find what was planted in the toy world?"""

from dataclasses import replace

import torch
from trained import fitted

from nnbr_core.baselines.popularity import Popularity, PopularitySettings
from nnbr_core.btbr import Btbr
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part, split
from nnbr_core.data.toy import world
from nnbr_core.training import validation_metrics

# Of five settings the best for the toy world's validation users, as a mean of three seeds.
PLANTED = BtbrSettings(
    masking="item_select",
    mask_ratio=0.5,
    item_level_sees_last_basket=True,
    batch_size=32,
    learning_rate=2e-3,
    epochs=15,
)


def recall(score, test: Part) -> float:
    return validation_metrics(score, test)["recall@10"]


def share_of_rebought(model: Btbr, histories: Baskets) -> float:
    """How much of what the model expects next was already bought twice or more."""
    expected = torch.from_numpy(model.score(histories)).softmax(dim=1).numpy()
    return (expected * (histories.matrix().toarray() > 1)).sum(axis=1).mean()


def test_the_planted_world_is_found_by_three_seeds_and_select_is_less_distracted():
    planted = world()  # what the dataset `toy` is
    fold = split(planted.baskets, 0)
    popularity = Popularity(PopularitySettings(), planted.baskets, 0)
    popularity.fit(fold.train, fold.validation, fold.test.histories)
    models = [fitted(fold, PLANTED, seed) for seed in range(3)]
    for model in models:
        assert recall(model.score, fold.test) > 2 * recall(popularity.score, fold.test)
        assert recall(model.score, fold.test) > 0.8 * recall(planted.oracle, fold.test)
    random = fitted(fold, replace(PLANTED, masking="item_random"))
    shares = [share_of_rebought(model, fold.test.histories) for model in (random, *models)]
    assert shares[0] > 1.1 * max(shares[1:])
