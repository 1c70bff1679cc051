import numpy as np
import pytest
import scipy.sparse as sp
import torch

from nnbr_core.baselines.beacon import Beacon, BeaconSettings
from nnbr_core.baselines.clea import Clea, CleaSettings
from nnbr_core.baselines.dnntsp import Dnntsp, DnntspSettings
from nnbr_core.baselines.neural import in_blocks, seeded, shuffled, users_with
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import roles, split
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError

KINDS = {
    "dnntsp": (Dnntsp, DnntspSettings, {}),
    "beacon": (Beacon, BeaconSettings, {"learning_rate": 0.1}),
    "clea": (Clea, CleaSettings, {"contrast_epochs": 1, "candidates": 20}),
}


def fitted(kind, baskets, seed=0, **settings):
    make, kind_of_settings, quick = KINDS[kind]
    fold = split(baskets, 0)
    options = {"dim": 8, "epochs": 2, "batch_size": 32} | quick | settings
    model = make(kind_of_settings(**options), baskets, seed)
    model.fit(fold.train, fold.validation, fold.test.histories)
    return model, fold.test.histories


def with_other_last_baskets(baskets, users):
    """The same baskets, except that some users' last ones go round among them."""
    lists = [baskets.lists(user) for user in range(baskets.n_users)]
    lasts = [lists[user][-1] for user in users]
    for user, last in zip(users, np.roll(np.array(lasts, dtype=object), 1), strict=True):
        lists[user] = [*lists[user][:-1], list(last)]
    return Baskets.from_lists(lists, catalogue=baskets.catalogue, user_ids=baskets.user_ids)


@pytest.fixture(scope="module")
def baskets():
    return world(n_users=150).baskets


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def trained(kind, baskets):
    return fitted(kind, baskets)


def test_a_user_alone_scores_as_among_others(trained):
    model, histories = trained
    together = model.score(histories)
    longest, shortest = (
        int(pick(histories.baskets_per_user)) for pick in (np.argmax, np.argmin)
    )
    assert together.shape == (histories.n_users, histories.n_items)
    assert together.dtype == np.float32
    for user in (longest, shortest):
        alone = model.score(histories.select([user]))
        np.testing.assert_allclose(alone[0], together[user], rtol=0, atol=2e-6)
    np.testing.assert_array_equal(model.score(histories), together)


def test_no_score_depends_on_a_test_users_last_basket(kind, trained, baskets):
    model, histories = trained
    other = with_other_last_baskets(baskets, np.flatnonzero(roles(baskets, 0) == 2))
    assert other.fingerprint != baskets.fingerprint
    again, _ = fitted(kind, other)
    np.testing.assert_array_equal(again.score(histories), model.score(histories))


def test_a_training_users_last_basket_does_matter(kind, trained, baskets):
    model, histories = trained
    other = with_other_last_baskets(baskets, np.flatnonzero(roles(baskets, 0) == 0))
    again, _ = fitted(kind, other)
    assert not np.array_equal(again.score(histories), model.score(histories))


def test_seed_and_labels_change_the_scores(kind, trained, baskets):
    model, histories = trained
    before = torch.get_rng_state()
    for change in ({"seed": 1}, {"labels": "explore"}):
        other, _ = fitted(kind, baskets, **change)
        assert not np.array_equal(other.score(histories), model.score(histories))
    assert torch.equal(torch.get_rng_state(), before)  # nothing was drawn from the global one


def test_what_was_saved_scores_as_before(kind, trained, baskets, tmp_path):
    model, histories = trained
    model.save(tmp_path)
    loaded = KINDS[kind][0].load(tmp_path, baskets)
    assert loaded.settings == model.settings
    np.testing.assert_array_equal(loaded.score(histories), model.score(histories))


@pytest.mark.parametrize(
    "wrong", [{"labels": "novel"}, {"dim": 0}, {"patience": 0}, {"learning_rate": -1.0}]
)
def test_wrong_settings_are_refused_by_name(kind, wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        KINDS[kind][1](**wrong)


def test_batches_hold_everybody_once_and_are_about_equal():
    batches = shuffled(np.arange(10, 19), 4, torch.Generator().manual_seed(0))
    assert [len(batch) for batch in batches] == [3, 3, 3]
    assert sorted(np.concatenate(batches).tolist()) == list(range(10, 19))


def test_users_without_a_label_teach_nothing():
    labels = sp.csr_matrix([[False, True], [False, False], [True, True]])
    assert users_with(labels).tolist() == [0, 2]
    with pytest.raises(InputError, match="nothing to learn"):
        users_with(labels[[1]])


def test_weights_come_from_the_seed_alone():
    with seeded(3):
        first = torch.rand(2)
    with seeded(3):
        assert torch.equal(torch.rand(2), first)


def test_blocks_are_put_back_in_order():
    histories = Baskets.from_lists([[[0]], [[1]], [[2]]])
    found = in_blocks(lambda some: torch.from_numpy(some.matrix().toarray()), histories, 2)
    assert found.tolist() == np.eye(3).tolist()
