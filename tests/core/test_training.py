import numpy as np
import pytest
import torch
from torch import nn

from nnbr_core.data.baskets import Baskets, numbered_catalogue
from nnbr_core.data.folds import part
from nnbr_core.errors import InputError
from nnbr_core.training import (
    Stage,
    adam,
    load_checkpoint,
    save_checkpoint,
    train_stages,
    validation_metrics,
)


class Counter(nn.Module):
    """One weight, pulled up by a fixed step: after s steps of SGD it is s."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))


def stage(counter, epochs=5, patience=5, name="count", loss=None):
    return Stage(
        name=name,
        batches=lambda rng: [0, 1],  # two steps an epoch
        loss=loss or (lambda batch, rng: -counter.weight.sum()),
        optimiser=lambda parameters: torch.optim.SGD(parameters, lr=1.0),
        epochs=epochs,
        patience=patience,
    )


def judged(*recalls):
    """Validation that finds these recalls, one epoch after the other."""
    found = iter(recalls)
    return lambda: {"recall@10": next(found), "ndcg@10": 0.0}


def test_the_best_epoch_is_kept_and_patience_ends_the_stage(rng):
    counter = Counter()
    stages = [stage(counter, 9, patience=2)]
    trained = train_stages(counter, stages, judged(0.1, 0.3, 0.2, 0.3), rng)
    assert counter.weight.item() == 2 * 2  # two epochs of two steps
    assert [row["recall@10"] for row in trained.curve] == [0.1, 0.3, 0.2, 0.3]
    assert [row["epoch"] for row in trained.curve] == [1, 2, 3, 4]
    assert trained.curve[0]["loss"] == -(0 + 1) / 2
    assert all(row["seconds"] > 0 for row in trained.curve)


def test_a_stage_starts_from_the_best_weights_of_the_one_before(rng):
    counter = Counter()
    stages = [stage(counter, 2, name="first"), stage(counter, 1, name="second")]
    trained = train_stages(counter, stages, judged(0.3, 0.1, 0.2), rng)
    assert counter.weight.item() == 2 + 2  # the first epoch of each
    assert [row["stage"] for row in trained.curve] == ["first", "first", "second"]


def test_the_criterion_may_be_a_sum(rng):
    counter, found = Counter(), iter([(0.1, 0.1, 0.9), (0.3, 0.2, 0.1)])
    names = ("recall@5", "recall@10", "recall@20")
    train_stages(
        counter,
        [stage(counter, 2)],
        lambda: dict(zip(names, next(found), strict=True)),
        rng,
        select_on="+".join(names),
    )
    assert counter.weight.item() == 2  # 1.1 beats 0.6, although recall@10 is lower


def test_interrupting_keeps_the_best_weights_and_says_so(rng):
    counter = Counter()

    def third_epoch_is_interrupted(batch, generator):
        if counter.weight.item() == 4:
            raise KeyboardInterrupt
        return -counter.weight.sum()

    stages = [stage(counter, loss=third_epoch_is_interrupted)] * 2
    with pytest.warns(UserWarning, match="after 2 epochs: the best weights so far are kept"):
        trained = train_stages(counter, stages, judged(0.3, 0.2), rng)
    assert counter.weight.item() == 2
    assert trained.was_interrupted


def test_interrupting_the_first_epoch_is_an_interruption(rng):
    def at_once(batch, generator):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_stages(Counter(), [stage(Counter(), loss=at_once)], judged(), rng)


def test_a_loss_that_is_no_number_stops_with_epoch_step_and_rate(rng):
    counter = Counter()

    def fourth_step_is_nan(batch, generator):
        return -counter.weight.sum() / (float("nan") if counter.weight.item() == 3 else 1)

    with pytest.raises(InputError, match="loss is nan in epoch 2, step 2, with learning rate 1"):
        train_stages(counter, [stage(counter, loss=fourth_step_is_nan)], judged(0.1), rng)


def test_progress_shows_loss_recall_and_time_left(rng, capsys):
    counter = Counter()
    train_stages(counter, [stage(counter, 2)], judged(0.25, 0.125), rng, progress=True)
    shown = capsys.readouterr().err
    assert "recall@10 0.1250" in shown and "loss" in shown and "left" in shown


def test_validation_leaves_out_users_without_a_novel_item():
    people = part(Baskets.from_lists([[[0], [1]], [[2], [2]], [[3], [4, 5]]], n_items=30))

    def score(histories):
        return np.tile(-np.arange(30, dtype=np.float32), (histories.n_users, 1))

    found = validation_metrics(score, people)
    assert found["recall@5"] == (1 + 2 / 2) / 2
    assert set(found) == {f"{name}@{k}" for name in ("recall", "ndcg") for k in (5, 10, 20)}


def test_validation_without_any_novel_item_is_refused():
    people = part(Baskets.from_lists([[[2], [2]]], n_items=30))
    with pytest.raises(InputError, match="no validation user has a novel item"):
        validation_metrics(lambda h: np.zeros((1, 30), dtype=np.float32), people)


def test_adam_is_fused():
    assert adam(0.5)([nn.Parameter(torch.zeros(1))]).defaults["fused"] is True


def test_a_checkpoint_comes_back_and_another_dataset_is_refused(tmp_path):
    module, catalogue = Counter(), numbered_catalogue(3)
    save_checkpoint(tmp_path / "here", module, {"dim": 8}, 1, catalogue)
    facts, weights = load_checkpoint(tmp_path / "here", catalogue)
    assert facts["settings"] == {"dim": 8} and facts["n_items"] == 3
    assert torch.equal(weights["weight"], module.weight)
    other = catalogue.assign(id=["a", "b", "c"])
    with pytest.raises(InputError, match="was trained on another dataset"):
        load_checkpoint(tmp_path / "here", other)
    with pytest.raises(InputError, match="holds no checkpoint"):
        load_checkpoint(tmp_path / "nowhere", catalogue)


def test_a_callback_sees_every_epoch_with_the_weights_of_that_moment(rng):
    counter, seen = Counter(), []
    train_stages(
        counter,
        [stage(counter, 3)],
        judged(0.3, 0.2, 0.1),
        rng,
        on_epoch=lambda row, module: seen.append((row, module.weight.item())),
    )
    assert [row["epoch"] for row, _ in seen] == [1, 2, 3]
    assert [row["recall@10"] for row, _ in seen] == [0.3, 0.2, 0.1]
    assert {"stage", "loss", "seconds"} <= set(seen[0][0])
    assert [weight for _, weight in seen] == [2, 4, 6]
    assert counter.weight.item() == 2  # the best epoch, as without a callback


def test_a_callback_that_returns_true_ends_its_stage_and_the_next_one_begins(rng):
    counter = Counter()
    stages = [stage(counter, 5, name="first"), stage(counter, 2, name="second")]
    trained = train_stages(
        counter,
        stages,
        judged(0.1, 0.2, 0.3, 0.4),
        rng,
        on_epoch=lambda row, module: row["stage"] == "first" and row["epoch"] == 2,
    )
    assert [(row["stage"], row["epoch"]) for row in trained.curve] == [
        ("first", 1),
        ("first", 2),
        ("second", 1),
        ("second", 2),
    ]
    assert counter.weight.item() == 2 * 4 and not trained.was_interrupted
