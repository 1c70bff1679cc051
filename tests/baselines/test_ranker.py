"""The ranker: nothing leaks into a training user's features, and every list is full."""

import json
from dataclasses import replace

import numpy as np
import pytest

from nnbr_core import explain
from nnbr_core.baselines.popularity import LastPopularity, LastPopularitySettings
from nnbr_core.baselines.ranker import learners
from nnbr_core.baselines.ranker.candidates import candidate_table
from nnbr_core.baselines.ranker.learners import Labels, recall
from nnbr_core.baselines.ranker.members import Members, faded
from nnbr_core.baselines.ranker.model import Ranker
from nnbr_core.baselines.ranker.panel import Panel, cross_fitted, folds_of_people
from nnbr_core.baselines.ranker.settings import RankerSettings
from nnbr_core.baselines.ranker.weights import _loss
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part, part, split
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError
from nnbr_core.training import validation_metrics

CHEAP = RankerSettings(n_each=10)
N_USERS = 400


@pytest.fixture(scope="module")
def fold():
    return split(world(N_USERS).baskets, 0)


def trained(settings, fold):
    model = Ranker(settings, fold.train.histories)
    return model.fit(fold.train, fold.validation, fold.test.histories)


@pytest.fixture(scope="module", params=["weights", "trees"])
def model(request, fold):
    return trained(replace(CHEAP, learner=request.param), fold)


def test_windows_of_one_person_share_a_fold():
    ids = np.array(["a", "b", "c", "a", "d", "b", "e"])
    fold = folds_of_people(ids, n_folds=5, seed=0)
    assert fold[0] == fold[3] and fold[1] == fold[5]
    assert sorted(fold[[0, 1, 2, 4, 6]]) == [0, 1, 2, 3, 4]
    with pytest.raises(InputError, match="5 training users cannot make 6 folds"):
        folds_of_people(ids, n_folds=6, seed=0)


def test_no_feature_of_a_training_user_knows_a_last_basket_of_the_same_fold(fold):
    train = fold.train
    in_fold = np.flatnonzero(folds_of_people(train.histories.user_ids, CHEAP.n_folds, 0) == 2)
    source = np.arange(train.n_users)
    source[in_fold] = in_fold[::-1]  # these users swap their last baskets
    other = Part(train.histories, train.targets.select(source))
    before, after = (
        cross_fitted(CHEAP, some, fold.validation, 0, False) for some in (train, other)
    )
    rows = [np.isin(table.user, in_fold) for table in (before, after)]
    assert rows[0].any()
    np.testing.assert_array_equal(before.item[rows[0]], after.item[rows[1]])
    np.testing.assert_array_equal(before.features[rows[0]], after.features[rows[1]])
    assert not np.array_equal(before.features[~rows[0]], after.features[~rows[1]])


def test_older_purchases_fade():
    histories = Baskets.from_lists([[[0, 1], [1]], [[2]]])
    assert faded(histories, 0.5).toarray().tolist() == [[0.5, 1.5, 0], [0, 0, 1]]


def test_a_neighbours_share_is_of_the_weight_of_all_neighbours():
    """The asker shares an item with the first two only; one of these ends with 3, one with 4."""
    people = part(Baskets.from_lists([[[0], [3]], [[0], [4]], [[1], [2]]]))
    asker = Baskets.from_lists([[[0]]], catalogue=people.histories.catalogue)
    said = Members(people).scores(asker)
    np.testing.assert_allclose(said["user kNN, plain 1, last"], [[0, 0, 0, 1 / 2, 1 / 2]])
    np.testing.assert_allclose(said["popularity, last"], [[0, 0, 1 / 3, 1 / 3, 1 / 3]])


def test_candidates_are_novel_and_a_small_catalogue_is_ranked_whole(three):
    people = part(three)
    members, histories = Members(people), people.histories
    table = candidate_table(members.scores(histories), members, histories, n_each=100)
    found = [table.item[table.user == user].tolist() for user in range(3)]
    assert found == [[3, 4], [0, 2, 4], [1, 2, 3]]
    assert np.isfinite(table.features).all()
    labels = Labels(table, people.labels("explore"))
    assert labels.n_wanted.tolist() == [1, 2, 0] and labels.ceiling == 1
    at_one = recall(-table.item, table, labels, k=1)  # the lowest item number first
    np.testing.assert_array_equal(at_one, [1, 1 / 2, np.nan])


def test_the_gradient_of_the_weights_is_the_slope_of_their_loss():
    rng = np.random.default_rng(0)
    x, start = rng.normal(size=(9, 3)), np.array([0, 4])
    point = np.array([0, 0.5, 0.5, 0, 0, 0, 1, 0, 0])
    at, step = np.array([0.3, 0.1, 0.7]), 1e-6
    slope = [
        (_loss(at + step * e, x, point, start)[0] - _loss(at - step * e, x, point, start)[0])
        / (2 * step)
        for e in np.eye(3)
    ]
    np.testing.assert_allclose(_loss(at, x, point, start)[1], slope, rtol=1e-6)


def test_weights_are_not_negative_and_not_worse_than_the_best_member(fold):
    model = trained(replace(CHEAP, learner="weights"), fold)
    assert (model.learner.weights >= 0).all()
    table = cross_fitted(CHEAP, fold.train, fold.validation, 0, False)
    labels = Labels(table, fold.train.labels("explore"))
    best = [name for name, kind in table.names if kind == "score"].index(model.best)
    alone = table.features[:, table.columns("score")[best]]
    ranked = model.learner.logits(table.features)
    assert np.nanmean(recall(ranked, table, labels)) >= np.nanmean(recall(alone, table, labels))


def test_the_list_beats_popularity_in_the_planted_world(model, fold):
    popular = LastPopularity(LastPopularitySettings(), fold.train.histories)
    popular.fit(fold.train, fold.validation, fold.test.histories)
    ours, theirs = (
        validation_metrics(one.score, fold.test)["recall@10"] for one in (model, popular)
    )
    assert ours > 1.3 * theirs


def test_candidates_are_above_zero_and_the_rest_follows_the_best_member(model, fold):
    histories = fold.test.histories.select([5])
    scores, said = model.score(histories)[0], model.panel.scores(histories)
    table = candidate_table(said, model.panel.members, histories, CHEAP.n_each)
    is_candidate = np.zeros(len(scores), dtype=bool)
    is_candidate[table.item] = True
    assert (scores[is_candidate] > 0).all() and (scores[~is_candidate] <= 0).all()
    best = said[model.best][0, ~is_candidate]
    np.testing.assert_array_equal(
        np.argsort(-scores[~is_candidate], kind="stable"), np.argsort(-best, kind="stable")
    )


def test_a_user_who_owns_everything_has_no_candidates_and_finite_scores(model, fold):
    everything = [[list(range(fold.train.histories.n_items))]]
    histories = Baskets.from_lists(everything, catalogue=fold.train.histories.catalogue)
    scores = model.score(histories)
    assert np.isfinite(scores).all() and (scores <= 0).all()


def test_one_thread_and_two_give_the_same_trees(fold, monkeypatch):
    settings = replace(CHEAP, learner="trees", max_trees=30)
    scores = []
    for n_threads in (1, 2, 2):
        monkeypatch.setitem(learners.TREES, "num_threads", n_threads)
        scores.append(trained(settings, fold).score(fold.test.histories))
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[1], scores[2])


def test_a_record_says_members_ceiling_and_how_much_was_tried(model):
    chosen = json.loads(json.dumps(model.chosen))
    assert chosen["best_member"] in chosen["members"] and "btbr" not in chosen["members"]
    assert 0 < chosen["ceiling"] <= 1 and 0 < chosen["ceiling_training"] <= 1
    assert chosen["n_tried"] > len(chosen["members"])


def test_members_and_purchases_speak_for_an_item(model, fold):
    history = fold.test.histories.select([5])
    best = explain.recommend(model, history, k=1)
    item = int(np.flatnonzero(history.catalogue["id"] == best["id"][0])[0])
    speaking = model.speaking_for(history, item)
    assert set(model.chosen["members"]) <= set(speaking["member"])
    assert speaking["effect"].is_monotonic_decreasing and speaking["effect"].sum() > 0
    purchases = explain.why(model, history, best["id"][0])
    assert len(purchases) == len(np.unique(history.items))
    assert purchases["effect"].max() > 0
    owned = int(history.items[0])
    with pytest.raises(InputError, match="is no candidate"):
        model.speaking_for(history, owned)


def test_a_saved_ranker_scores_as_before_and_only_for_its_catalogue(model, fold, three, tmp_path):
    model.save(tmp_path)
    histories = fold.test.histories
    loaded = Ranker.load(tmp_path, histories)
    np.testing.assert_array_equal(loaded.score(histories), model.score(histories))
    with pytest.raises(InputError, match="was trained on another dataset"):
        Ranker.load(tmp_path, three)
    with pytest.raises(InputError, match="holds no ranker: model.json is missing"):
        Ranker.load(tmp_path / "histories", histories)


def test_nothing_novel_to_learn_from_is_said_in_a_sentence(three):
    people = part(three.select([2, 2, 2]))  # all of the last basket is known
    with pytest.raises(InputError, match="no training user has a novel item"):
        Ranker(CHEAP, three).fit(people, part(three), three)
    with pytest.raises(InputError, match="no validation user has a novel item"):
        Ranker(CHEAP, three).fit(part(three), people, three)


def test_a_member_that_fails_is_named(three):
    """BTBR cannot be asked about somebody who bought nothing."""
    people = part(three)
    _, emptied = explain.without_each(people.histories.select([0]))
    nobody = replace(emptied, items=emptied.items[:0], basket_ptr=0 * emptied.basket_ptr)
    validation = Part(nobody, people.targets.select(np.zeros(nobody.n_users, dtype=int)))
    with pytest.raises(InputError, match="the ranker's member btbr failed: user A has an empty"):
        Panel.fit(RankerSettings(btbr=True), people, validation, 0)
