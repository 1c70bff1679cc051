"""What holds for every model that can be named in a run."""

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import TEST, TRAIN, roles, split
from nnbr_core.data.toy import season_world, world
from nnbr_core.errors import InputError
from nnbr_core.explain import recommend
from nnbr_core.runs.registry import MODELS

TINY = {"dim": 8, "epochs": 2, "batch_size": 32}
OPTIONS = {
    "dream": TINY,
    "beacon": TINY | {"learning_rate": 0.1},
    "dnntsp": TINY,
    "clea": TINY | {"contrast_epochs": 1, "candidates": 20},
    "ranker": {"btbr": True, "btbr_epochs": 2},
    "btbr": TINY,
    "btbr_recent": TINY,
}


def fitted(name, baskets, seed=0, **settings):
    """A small model of fold 0, and what it is asked: test users' histories."""
    kind, fold = MODELS[name], split(baskets, 0)
    model = kind.make(kind.settings(**OPTIONS.get(name, {}), **settings), baskets, seed)
    assert model.fit(fold.train, fold.validation, fold.test.histories) is model
    if name == "clea":
        model.network.selects.fill_(True)  # what the selector adds is asked too
    return model, fold.test.histories


def with_one_last_basket(baskets, role):
    """The same baskets, except that all users of this role end with what the first one ended."""
    lists = [baskets.lists(user) for user in range(baskets.n_users)]
    users = np.flatnonzero(roles(baskets, 0) == role)
    for user in users:
        lists[user] = [*lists[user][:-1], lists[users[0]][-1]]
    same = Baskets.from_lists(lists, catalogue=baskets.catalogue, user_ids=baskets.user_ids)
    return replace(same, days=baskets.days)


@pytest.fixture(scope="module", params=MODELS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def baskets(name):
    """With dates for a method that reads them."""
    return season_world(150) if MODELS[name].make.reads_days else world(n_users=150).baskets


@pytest.fixture(scope="module")
def trained(name, baskets):
    return fitted(name, baskets)


def test_a_model_has_frozen_settings_with_defaults(name):
    kind = MODELS[name]
    assert is_dataclass(kind.settings) and kind.settings.__dataclass_params__.frozen
    assert set(kind.quick) <= {field.name for field in fields(kind.settings)}
    assert kind.settings() == kind.settings()


def test_scores_are_finite_one_row_per_user_and_the_same_when_asked_again(trained):
    model, histories = trained
    scores = model.score(histories)
    assert scores.shape == (histories.n_users, histories.n_items)
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(model.score(histories), scores)


def test_a_padded_batch_scores_like_a_single_user(trained):
    model, histories = trained
    longest, shortest = (int(f(histories.baskets_per_user)) for f in (np.argmax, np.argmin))
    together = model.score(histories.select([longest, shortest]))
    for row, user in enumerate((longest, shortest)):
        alone = model.score(histories.select([user]))
        np.testing.assert_allclose(alone[0], together[row], rtol=0, atol=1e-5)


def test_scores_do_not_depend_on_the_other_users_of_the_call(trained):
    model, histories = trained
    everyone = model.score(histories)
    backwards = np.arange(histories.n_users)[::-1]
    np.testing.assert_allclose(
        model.score(histories.select(backwards)), everyone[backwards], rtol=0, atol=1e-5
    )
    few = model.score(histories.select([3, 4]))
    np.testing.assert_allclose(few, everyone[[3, 4]], rtol=0, atol=1e-5)


def test_no_score_depends_on_a_test_users_last_basket(name, trained, baskets):
    model, histories = trained
    other = with_one_last_basket(baskets, TEST)
    assert other.fingerprint != baskets.fingerprint
    again, _ = fitted(name, other)
    np.testing.assert_array_equal(again.score(histories), model.score(histories))


def test_a_training_users_last_basket_does_matter(name, trained, baskets):
    """Otherwise the test above would prove nothing. Two methods count histories alone.

    A third reads no sales after a shopper's last history day, a week before all last baskets.
    """
    model, histories = trained
    again, _ = fitted(name, with_one_last_basket(baskets, TRAIN))
    is_same = np.array_equal(again.score(histories), model.score(histories))
    assert is_same == (name in ("popularity", "tifuknn", "recent_popularity"))


def test_the_seed_matters_where_the_table_says_so(name, trained, baskets):
    model, histories = trained
    other, _ = fitted(name, baskets, seed=1)
    is_same = np.array_equal(other.score(histories), model.score(histories))
    assert is_same != MODELS[name].is_seeded


def test_what_was_saved_scores_as_before(name, trained, baskets, tmp_path):
    model, histories = trained
    assert model.can_be_saved == MODELS[name].is_seeded  # the others are trained in seconds
    if not model.can_be_saved:
        with pytest.raises(InputError, match=f"{type(model).__name__} is not saved"):
            model.save(tmp_path)
        with pytest.raises(InputError, match=f"{type(model).__name__} is not saved"):
            type(model).load(tmp_path, baskets)
        return
    model.save(tmp_path)
    loaded = type(model).load(tmp_path, baskets)
    assert loaded.settings == model.settings
    np.testing.assert_array_equal(loaded.score(histories), model.score(histories))


def test_a_model_says_what_was_learned_and_chosen(name, trained):
    model, histories = trained
    assert model.was_interrupted is False
    assert bool(model.curve) == model.can_be_saved
    searching = ("item_knn", "user_knn", "tifuknn", "clea", "ranker")
    assert bool(model.chosen) == (name in searching or MODELS[name].make.reads_days)
    assert model.catalogue.equals(histories.catalogue)


def test_every_model_recommends_to_one_person(trained):
    model, histories = trained
    one = histories.select([0])
    table = recommend(model, one, k=3)
    novel = np.setdiff1d(np.arange(one.n_items), one.items)
    best = model.score(one)[0, novel].max()
    assert len(table) == 3 and table["score"][0] == best


def test_a_training_can_be_watched_and_ended(name, baskets):
    if not MODELS[name].make.can_be_saved or name == "ranker":  # trees grow without epochs
        return
    kind, fold, seen = MODELS[name], split(baskets, 0), []
    model = kind.make(kind.settings(**OPTIONS[name]), baskets, 0)

    def stop_at_once(row, module):
        assert module is model.network
        seen.append(row)
        return True

    model.fit(fold.train, fold.validation, fold.test.histories, on_epoch=stop_at_once)
    assert [row["epoch"] for row in model.curve] == [1] * (2 if name == "clea" else 1)
    assert seen == model.curve and not model.was_interrupted
