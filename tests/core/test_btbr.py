from dataclasses import replace

import numpy as np
import pytest
from trained import SMALL, fitted

from nnbr_core.batching import MASK, PAD
from nnbr_core.btbr import Btbr, masked_batch, stage_view
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part
from nnbr_core.errors import InputError


def view(three, **settings):
    return stage_view(replace(SMALL, **settings).stages()[0], part(three))


def test_item_level_maskings_train_on_histories_unless_told(three):
    assert view(three, masking="item_select").lists(0) == [[0, 1], [1, 2]]
    seeing = view(three, masking="item_select", item_level_sees_last_basket=True)
    assert seeing.lists(0) == [[0, 1], [1, 2], [1, 3]]


def test_basket_level_maskings_train_on_last_baskets(three):
    assert view(three, masking="basket_all").lists(0) == [[0, 1], [1, 2], [1, 3]]
    explore = view(three, masking="basket_explore")
    assert explore.lists(0) == [[0, 1], [1, 2], [3]]
    assert explore.user_ids.tolist() == ["A", "B"]  # C repeats all of the last basket


def test_explore_without_a_novel_item_anywhere_is_refused(three):
    with pytest.raises(InputError, match="no training user has a novel item"):
        stage_view(replace(SMALL, masking="basket_explore"), part(three.select([2])))


def test_a_batch_names_the_mask_and_the_item_it_hides(rng):
    users = Baskets.from_lists([[[2], [0, 1]], [[3], [4]]])
    batch = masked_batch(SMALL, users, rng)
    assert batch.inputs.tolist() == [[4, MASK, MASK], [5, MASK, PAD]]
    assert batch.row.tolist() == [0, 1, 2]
    assert batch.item.tolist() == [0, 1, 4]


def test_with_one_mask_token_a_user_asks_once_for_the_whole_basket(rng):
    users = Baskets.from_lists([[[2], [0, 1]], [[3], [4]]])
    batch = masked_batch(replace(SMALL, mask_tokens="one"), users, rng)
    assert batch.inputs.tolist() == [[4, MASK, PAD], [5, MASK, PAD]]
    assert batch.row.tolist() == [0, 0, 1]
    assert batch.item.tolist() == [0, 1, 4]


def test_swapping_changes_positions_in_training_only(rng, toy_fold):
    users = Baskets.from_lists([[[0], [1], [2], [3]]])
    swapping = replace(SMALL, masking="item_select", swap_ratio=1.0)
    assert masked_batch(swapping, users, rng).positions.tolist() != [[1, 2, 3, 4]]
    still = replace(swapping, swap_ratio=0.0)
    assert masked_batch(still, users, rng).positions.tolist() == [[1, 2, 3, 4]]
    model = fitted(toy_fold, replace(swapping, epochs=1))
    first, again = (model.score(toy_fold.test.histories) for _ in range(2))
    assert np.array_equal(first, again)


@pytest.mark.parametrize("masking", ["basket_all", "item_select", "joint"])
def test_the_same_seed_gives_the_same_numbers_twice_and_another_does_not(masking, toy_fold):
    settings = replace(SMALL, masking=masking)
    one, two, other = (fitted(toy_fold, settings, seed) for seed in (0, 0, 1))
    assert np.array_equal(one.score(toy_fold.test.histories), two.score(toy_fold.test.histories))
    assert [row["loss"] for row in one.curve] == [row["loss"] for row in two.curve]
    assert not np.array_equal(
        one.score(toy_fold.test.histories), other.score(toy_fold.test.histories)
    )


def test_joint_records_both_stages_in_its_curve(toy_fold):
    curve = fitted(toy_fold, replace(SMALL, masking="joint")).curve
    assert [(row["stage"], row["epoch"]) for row in curve] == [
        ("item_select", 1),
        ("item_select", 2),
        ("basket_all", 1),
        ("basket_all", 2),
    ]
    assert {"loss", "recall@10", "ndcg@10", "seconds"} <= set(curve[0])


def test_stages_of_any_kind_can_be_given(toy_fold):
    model = Btbr(SMALL, toy_fold.train.histories, device="cpu")
    stages = [
        replace(SMALL, masking="basket_explore", epochs=1),
        replace(SMALL, masking="item_random", epochs=2),
    ]
    model.fit(toy_fold.train, toy_fold.validation, toy_fold.test.histories, stages=stages)
    names = [row["stage"] for row in model.curve]
    assert names == ["basket_explore", "item_random", "item_random"]


def test_scores_do_not_depend_on_the_other_users(toy_fold):
    model, histories = fitted(toy_fold), toy_fold.test.histories
    together = model.score(histories)
    alone = model.score(histories.select([5]))
    assert together.dtype == np.float32
    np.testing.assert_allclose(alone[0], together[5], atol=1e-5)


def test_a_long_history_is_cut_to_its_latest_baskets(toy_fold):
    model = fitted(toy_fold, replace(SMALL, max_length=3))
    old = Baskets.from_lists([[[7], [1, 2], [3, 4]]], catalogue=model.catalogue)
    recent = Baskets.from_lists([[[1, 2], [3, 4]]], catalogue=model.catalogue)
    np.testing.assert_array_equal(model.score(old), model.score(recent))


def test_more_baskets_than_positions_can_be_scored(toy_fold):
    model, daily = fitted(toy_fold), [[day % 5] for day in range(100)]
    scores = model.score(Baskets.from_lists([daily, daily[-63:]], catalogue=model.catalogue))
    np.testing.assert_array_equal(scores[0], scores[1])


def test_an_empty_history_and_another_catalogue_are_refused(toy_fold):
    model, histories = fitted(toy_fold), toy_fold.test.histories.select([0])
    nothing = replace(
        histories, items=histories.items[:0], basket_ptr=np.zeros_like(histories.basket_ptr)
    )
    with pytest.raises(InputError, match="has an empty history"):
        model.score(nothing)
    with pytest.raises(InputError, match="histories of 3 items cannot be scored"):
        model.score(Baskets.from_lists([[[0, 1, 2]]]))


def test_a_loaded_model_scores_bit_for_bit_the_same(toy_fold, tmp_path):
    model = fitted(toy_fold, replace(SMALL, masking="joint", dropout=0.2))
    model.save(tmp_path)
    loaded = Btbr.load(tmp_path, toy_fold.train.histories, device="cpu")
    assert loaded.settings == model.settings
    expected = model.score(toy_fold.test.histories)
    assert np.array_equal(loaded.score(toy_fold.test.histories), expected)
    with pytest.raises(InputError, match="was trained on another dataset"):
        Btbr.load(tmp_path, Baskets.from_lists([[[0, 1]]]))


def test_a_checkpoint_keeps_no_pickle(toy_fold, tmp_path):
    fitted(toy_fold).save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "weights.safetensors"]
