import numpy as np
import pytest

from nnbr_core.baselines.popularity import (
    LastPopularity,
    LastPopularitySettings,
    Popularity,
    PopularitySettings,
)
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part, part
from nnbr_core.errors import InputError
from nnbr_core.evaluation import NOBODY, top_novel
from nnbr_core.runs.config import configure
from nnbr_core.runs.run import run

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


def test_two_users_of_the_worked_example():
    model = Popularity(PopularitySettings(), TRAIN.histories, seed=0)
    nobody = OTHER.histories.select([])
    model.fit(TRAIN, Part(nobody, OTHER.targets.select([])), OTHER.histories)
    assert model.counts.tolist() == [1, 3, 1, 1]
    assert top_novel(model.score, TRAIN.histories, 1).tolist() == [[3]]
    assert top_novel(model.score, OTHER.histories, 2).tolist() == [[0, 2]]


def test_a_list_is_the_global_order_without_what_a_user_owns_in_any_order():
    model = fitted("all_users")
    same = Baskets.from_lists([[[1, 2], [0]], [[0, 1], [2]], [[2]]], n_items=4)
    everything = [1, 3, 0, 2]  # counts 4, 2, 1, 1
    lists = top_novel(model.score, same, 3).tolist()
    assert lists[0] == lists[1] == [3, NOBODY, NOBODY]
    assert lists[2] == [item for item in everything if item != 2]


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


# An independent program's values on each of the three splits.
EACH_SPLIT = [
    ("popularity", {}, "recall@10", [0.0555, 0.0597, 0.0610]),
    ("popularity", {}, "recall@20", [0.0817, 0.0911, 0.0893]),
    ("popularity", {}, "ndcg@10", [0.0591, 0.0632, 0.0641]),
    ("popularity", {}, "ndcg@20", [0.0669, 0.0724, 0.0722]),
    ("popularity", {"scope": "train_users"}, "recall@10", [0.0544, 0.0598, 0.0610]),
    ("last_popularity", {}, "recall@10", [0.0984, 0.1056, 0.1007]),
    ("last_popularity", {}, "recall@20", [0.1190, 0.1292, 0.1275]),
    ("last_popularity", {"labels": "explore"}, "recall@10", [0.0984, 0.1076, 0.1044]),
    ("last_popularity", {"labels": "explore"}, "recall@20", [0.1189, 0.1297, 0.1278]),
]


@pytest.mark.needs("tafeng")
def test_published_tafeng_scores_come_out_on_each_split(elsewhere):
    for model, settings, metric, expected in EACH_SPLIT:
        configs = [configure("tafeng", model, fold, **settings) for fold in range(3)]
        found = [run(config).test[metric] for config in configs]
        assert found == pytest.approx(expected, abs=0.0002), (model, settings, metric)
