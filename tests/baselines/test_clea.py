import numpy as np
import pytest
import torch
from judged import fitted_recall

from nnbr_core.baselines.clea.model import CLIP, WEIGHT_DECAY, Clea, CleaSettings, Turns
from nnbr_core.baselines.clea.network import Network, flatten
from nnbr_core.baselines.neural import clipped_adam
from nnbr_core.baselines.popularity import LastPopularity, LastPopularitySettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import split
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError


@pytest.fixture
def histories():
    """Two, three and one basket over six items."""
    return Baskets.from_lists([[[0, 1], [1]], [[2], [0, 2], [2, 3]], [[4, 5]]], n_items=6)


@pytest.fixture
def network():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return Network(n_items=6, dim=4, rate=0.2)


def test_who_waits_is_not_changed(network, histories):
    turns = Turns(network, phase_epochs=1, coldest=0.3)
    optimiser = clipped_adam(0.01, CLIP, WEIGHT_DECAY)(network.parameters())
    user, targets = torch.tensor([0, 0, 1, 2]), torch.tensor([4, 5, 1, 0])
    pairs = flatten(histories.select(user.numpy()))
    rng = torch.Generator().manual_seed(0)
    for is_selectors in (True, False, True):
        turns.next_epoch()
        turns.next_batch()
        before = {name: p.detach().clone() for name, p in network.named_parameters()}
        found = network.losses(flatten(histories), pairs, user, targets, rng)
        optimiser.zero_grad()
        (found.selector_phase if turns.is_selectors else found.encoder_phase).backward()
        optimiser.step()
        assert turns.is_selectors == is_selectors
        for name, parameter in network.named_parameters():
            may_change = name.startswith("selector.") == is_selectors
            assert torch.equal(before[name], parameter) != may_change, name


def test_turns_pass_every_few_epochs_and_only_the_selector_anneals(network):
    turns = Turns(network, phase_epochs=2, coldest=0.3)
    seen = []
    for _ in range(5):
        turns.next_epoch()
        for _ in range(500):
            turns.next_batch()
        seen.append((turns.is_selectors, round(network.temperature.item(), 3)))
    warm = [(True, 9.512), (True, 8.607)]
    assert seen == [*warm, (False, 0.3), (False, 0.3), (True, 7.408)]


@pytest.fixture(scope="module")
def fold():
    return split(world(n_users=300).baskets, 0)


@pytest.fixture(scope="module")
def fitted(fold):
    settings = CleaSettings(dim=8, epochs=2, contrast_epochs=4, phase_epochs=1, candidates=20)
    model = Clea(settings, fold.train.histories, seed=0)
    model.fit(fold.train, fold.validation, fold.test.histories)
    return model


def test_both_stages_are_watched_and_the_better_one_is_kept(fitted):
    stages = [row["stage"] for row in fitted.curve]
    assert stages == ["anchor"] * 2 + ["contrast"] * 4
    assert all(0.1 < row["share_kept"] < 0.9 for row in fitted.curve[2:])
    best = max(fitted.curve, key=lambda row: row["recall@10"])
    assert fitted.chosen == {"stage": best["stage"]}
    assert bool(fitted.network.selects) == (best["stage"] == "contrast")


def test_the_second_stage_is_not_given_up_before_the_encoder_had_its_turn(fold):
    settings = CleaSettings(
        dim=8, epochs=1, contrast_epochs=9, phase_epochs=3, patience=1, learning_rate=1e-9
    )  # nothing is learned, so that nothing gets better
    model = Clea(settings, fold.train.histories, seed=0)
    model.fit(fold.train, fold.validation, fold.test.histories)
    stages = [row["stage"] for row in model.curve]
    assert stages == ["anchor"] + ["contrast"] * stages.count("contrast")
    assert 5 <= stages.count("contrast") < 9


def test_candidates_come_first_in_the_selectors_order(fitted, fold):
    histories = fold.test.histories.select([0, 1])
    fitted.network.selects.fill_(False)
    anchor = fitted.score(histories)
    fitted.network.selects.fill_(True)
    scores = fitted.score(histories)
    for user in range(2):
        bought = np.unique(np.concatenate(histories.lists(user)))
        novel = np.setdiff1d(np.arange(histories.n_items), bought)
        candidates = novel[np.argsort(-anchor[user, novel])][:20]
        rest = np.setdiff1d(np.arange(histories.n_items), candidates)
        assert scores[user, candidates].min() > scores[user, rest].max()
        order = np.argsort(anchor[user, rest])
        assert (np.diff(scores[user, rest][order]) >= 0).all()
        alone = fitted._kept(histories, torch.tensor([user]), torch.tensor([int(candidates[3])]))
        assert scores[user, candidates[3]] == pytest.approx(alone.item(), abs=1e-5)


def test_someone_who_bought_everything_still_gets_scores(fitted):
    everything = Baskets.from_lists([[list(range(fitted.network.items.num_embeddings))]])
    assert np.isfinite(fitted.score(everything)).all()


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="candidates = 0: 1 to 1,000,000 is needed"):
        CleaSettings(candidates=0)


def test_the_anchor_finds_what_goes_together_in_the_toy_world():
    fold = split(world(n_users=800).baskets, 0)
    settings = CleaSettings(dim=32, learning_rate=0.003, batch_size=20, epochs=6, contrast_epochs=0)
    clea = fitted_recall(Clea(settings, fold.train.histories, seed=0), fold)
    late = LastPopularity(LastPopularitySettings(), fold.train.histories, seed=0)
    assert clea > fitted_recall(late, fold) + 0.02
