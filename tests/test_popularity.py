import numpy as np
import pytest

from nnbr_core.baselines.popularity import (
    LastPopularity,
    LastPopularitySettings,
    Popularity,
    PopularitySettings,
)
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part
from nnbr_core.errors import InputError
from nnbr_core.evaluation import top_novel
from nnbr_core.experiments.config import configure
from nnbr_core.experiments.runs import run

# Histories of A: {0, 1}, {1, 2}; of B: {1}, {3}. The last baskets hold 3 and 0, 2.
TRAIN = part(Baskets.from_lists([[[0, 1], [1, 2], [3]]], n_items=4))
OTHER = part(Baskets.from_lists([[[1], [3], [0, 2]]], n_items=4))


def fitted(scope: str) -> Popularity:
    model = Popularity(PopularitySettings(scope), TRAIN.histories, seed=0)
    model.fit(TRAIN, OTHER, OTHER.histories)
    return model


def test_history_baskets_are_counted_and_last_ones_never():
    # A's counts 1 2 1 0, and B's 0 1 0 1 twice: as validation and as test user.
    assert fitted("all_users").counts.tolist() == [1, 4, 1, 2]
    assert fitted("train_users").counts.tolist() == [1, 2, 1, 0]


def test_everyone_gets_the_same_order_without_what_they_own():
    model = fitted("all_users")
    assert top_novel(model.score, TRAIN.histories, 1).tolist() == [[3]]
    assert top_novel(model.score, OTHER.histories, 2).tolist() == [[0, 2]]


def test_last_popularity_counts_training_targets():
    train = part(Baskets.from_lists([[[0], [0, 1]], [[1], [2, 1]]], n_items=4))
    for labels, expected in (("all", [1, 2, 1, 0]), ("explore", [0, 1, 1, 0])):
        model = LastPopularity(LastPopularitySettings(labels), train.histories, seed=0)
        model.fit(train, OTHER, OTHER.histories)
        assert model.counts.tolist() == expected
        assert model.score(OTHER.histories).dtype == np.float32


def test_unknown_settings_are_refused():
    with pytest.raises(InputError, match="did you mean 'all_users'"):
        PopularitySettings("al_users")
    with pytest.raises(InputError, match="unknown labels 'novel'"):
        LastPopularitySettings("novel")


# The paper prints .0587 .0603 .0874 .0703 for G-TopFreq; last-basket popularity is not in it.
PUBLISHED = {
    "popularity": ([0.0587, 0.0604, 0.0874, 0.0703], 0.0001),
    "last_popularity": ([0.1016, 0.0857, 0.1252, 0.0953], 0.0002),
}


@pytest.mark.needs("tafeng")
@pytest.mark.parametrize("model", PUBLISHED)
def test_published_tafeng_scores_come_out(model, elsewhere):
    records = [run(configure("tafeng", model, fold)) for fold in range(3)]
    expected, tolerance = PUBLISHED[model]
    metrics = ["recall@10", "ndcg_code@10", "recall@20", "ndcg_code@20"]
    found = [np.mean([record.test[name] for record in records]) for name in metrics]
    assert found == pytest.approx(expected, abs=tolerance)
    assert [record.users_scored for record in records] == [2_633, 2_612, 2_610]
