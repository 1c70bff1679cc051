"""Every model that can be named in a run."""

from dataclasses import dataclass, field

from nnbr_core.baselines import (
    beacon,
    clea,
    dnntsp,
    dream,
    item_knn,
    popularity,
    tifuknn,
    user_knn,
)
from nnbr_core.baselines.api import BaseRecommender
from nnbr_core.baselines.dated import knn as time_knn
from nnbr_core.baselines.dated import recent_popularity
from nnbr_core.baselines.ranker.model import Ranker
from nnbr_core.baselines.ranker.settings import RankerSettings
from nnbr_core.btbr import Btbr
from nnbr_core.btbr_recent import RecentBtbr, RecentBtbrSettings
from nnbr_core.btbr_settings import BtbrSettings


@dataclass(frozen=True)
class Model:
    """How to make a model, and what makes two runs of it the same."""

    make: type[BaseRecommender]  # called with (settings, baskets, seed)
    settings: type  # a flat frozen dataclass
    version: int = 1  # raise it whenever the model's numbers change
    is_seeded: bool = True  # does the seed change anything?
    quick: dict = field(default_factory=dict)  # settings of the quick profile


# 500 users in batches of 128 would be three steps an epoch: small batches learn something.
SMALL = {"dim": 16, "epochs": 3, "batch_size": 16, "learning_rate": 0.01}

MODELS = {
    "popularity": Model(popularity.Popularity, popularity.PopularitySettings, is_seeded=False),
    "last_popularity": Model(
        popularity.LastPopularity, popularity.LastPopularitySettings, is_seeded=False
    ),
    "recent_popularity": Model(
        recent_popularity.RecentPopularity,
        recent_popularity.RecentPopularitySettings,
        is_seeded=False,
    ),
    "item_knn": Model(item_knn.ItemKnn, item_knn.ItemKnnSettings, is_seeded=False),
    "user_knn": Model(user_knn.UserKnn, user_knn.UserKnnSettings, is_seeded=False),
    "time_item_knn": Model(time_knn.TimeItemKnn, time_knn.TimeItemKnnSettings, is_seeded=False),
    "time_user_knn": Model(time_knn.TimeUserKnn, time_knn.TimeUserKnnSettings, is_seeded=False),
    "tifuknn": Model(tifuknn.Tifuknn, tifuknn.TifuknnSettings, is_seeded=False),
    "dream": Model(dream.Dream, dream.DreamSettings, quick=SMALL),
    "beacon": Model(beacon.Beacon, beacon.BeaconSettings, quick=SMALL),
    "dnntsp": Model(dnntsp.Dnntsp, dnntsp.DnntspSettings, quick=SMALL),
    "clea": Model(clea.Clea, clea.CleaSettings, quick=SMALL | {"contrast_epochs": 2}),
    "ranker": Model(Ranker, RankerSettings, quick={"n_models": 1}),
    "btbr": Model(Btbr, BtbrSettings, quick=SMALL),
    "btbr_recent": Model(RecentBtbr, RecentBtbrSettings, quick=SMALL),
}
