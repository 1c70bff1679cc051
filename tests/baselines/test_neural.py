import numpy as np
import pytest
import scipy.sparse as sp
import torch

from nnbr_core.baselines.beacon import Beacon, BeaconSettings
from nnbr_core.baselines.clea import Clea, CleaSettings
from nnbr_core.baselines.dnntsp import Dnntsp, DnntspSettings
from nnbr_core.baselines.dream import Dream, DreamSettings
from nnbr_core.baselines.neural import clipped_adam, in_blocks, seeded, shuffled, users_with
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import split
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError
from nnbr_core.training import validation_metrics

KINDS = {
    "dream": (Dream, DreamSettings),
    "beacon": (Beacon, BeaconSettings),
    "dnntsp": (Dnntsp, DnntspSettings),
    "clea": (Clea, CleaSettings),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def fold():
    return split(world(n_users=150).baskets, 0)


def fitted(kind, fold, **settings):
    make, kind_of_settings = KINDS[kind]
    quick = {"contrast_epochs": 1} if kind == "clea" else {}
    options = {"dim": 8, "epochs": 2, "batch_size": 32, "learning_rate": 0.05} | quick | settings
    model = make(kind_of_settings(**options), fold.train.histories, seed=0)
    model.fit(fold.train, fold.validation, fold.test.histories)
    return model


def test_labels_change_the_scores_and_nothing_is_drawn_from_the_global_generator(kind, fold):
    before = torch.get_rng_state()
    scores = [
        fitted(kind, fold, labels=mode).score(fold.test.histories) for mode in ("all", "explore")
    ]
    assert not np.array_equal(*scores)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_best_epoch_is_kept(kind, fold):
    model = fitted(kind, fold, epochs=4)
    best = max(row["recall@10"] for row in model.curve)
    assert validation_metrics(model.score, fold.validation)["recall@10"] == best


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


def test_a_long_gradient_is_shortened_before_the_step():
    x = torch.nn.Parameter(torch.zeros(2))
    optimiser = clipped_adam(0.1, 20.0)([x])
    for gradient, expected in (([300.0, 400.0], [12, 16]), ([3.0, 4.0], [3, 4])):
        x.grad = torch.tensor(gradient)
        optimiser.step()
        assert x.grad.tolist() == pytest.approx(expected, rel=1e-5)


def test_weights_decay_as_strongly_as_told():
    x = torch.nn.Parameter(torch.tensor([2.0, -2]))
    x.grad = torch.zeros(2)
    clipped_adam(0.1, 1.0, weight_decay=0.5)([x]).step()  # Adam's first step is its rate
    assert x.tolist() == pytest.approx([1.9, -1.9], rel=1e-5)


def test_weights_come_from_the_seed_alone():
    with seeded(3):
        first = torch.rand(2)
    with seeded(3):
        assert torch.equal(torch.rand(2), first)


def test_blocks_are_put_back_in_order():
    histories = Baskets.from_lists([[[0]], [[1]], [[2]]])
    found = in_blocks(lambda some: torch.from_numpy(some.matrix().toarray()), histories, 2)
    assert found.tolist() == np.eye(3).tolist()
