import pytest

from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.errors import InputError


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"masking": "item_selct"}, "did you mean 'item_select'"),
        ({"masking": "item_select+nothing"}, "unknown masking 'nothing'"),
        ({"masking": "joint+basket_all"}, "unknown masking 'joint'"),
        ({"masking": "item_select", "mask_ratio": 0.0}, "mask_ratio = 0.0"),
        ({"masking": "item_select", "mask_ratio": 1.0}, "mask_ratio = 1.0"),
        ({"masking": "item_select", "swap_ratio": 1.5}, "swap_ratio = 1.5"),
        ({"masking": "item_select", "swap_hop": 0}, "swap_hop = 0"),
        ({"masking": "item_select", "swap": "far"}, "unknown swap 'far'"),
        ({"masking": "basket_all", "swap_ratio": 0.1}, "cannot be combined with swapping"),
        ({"masking": "item_select", "mask_tokens": "one"}, "means nothing to item_select"),
        ({"mask_tokens": "two"}, "unknown mask_tokens 'two'"),
        ({"dim": 60}, "dim = 60: it cannot be divided by heads = 8"),
        ({"dropout": 1.0}, "dropout = 1.0"),
        ({"epochs": 0}, "epochs = 0"),
        ({"select_on": "recall@7"}, "unknown select_on"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(wrong, words):
    with pytest.raises(InputError, match=words):
        BtbrSettings(**wrong)


def test_joint_is_select_on_whole_sequences_and_then_all():
    first, second = BtbrSettings(masking="joint", swap_ratio=0.3, mask_tokens="one").stages()
    assert (first.masking, second.masking) == ("item_select", "basket_all")
    assert first.item_level_sees_last_basket
    assert (first.swap_ratio, second.swap_ratio) == (0.3, 0.0)
    assert (first.mask_tokens, second.mask_tokens) == ("item", "one")


def test_alone_an_item_level_masking_does_not_see_the_last_basket_unless_told():
    assert BtbrSettings(masking="item_random").stages()[0].item_level_sees_last_basket is False
    told = BtbrSettings(masking="item_random", item_level_sees_last_basket=True)
    assert told.stages()[0].item_level_sees_last_basket is True


@pytest.mark.parametrize(
    ("masking", "told", "sees"),
    [
        ("basket_all", None, True),
        ("basket_explore", False, True),
        ("item_select", None, False),
        ("item_select", True, True),
    ],
)
def test_a_stage_knows_whether_its_rows_end_with_the_last_basket(masking, told, sees):
    (stage,) = BtbrSettings(masking=masking, item_level_sees_last_basket=told).stages()
    assert stage.sees_last_basket is sees


def test_any_two_maskings_can_be_joined():
    pair = BtbrSettings(masking="item_random+basket_explore").stages()
    assert [stage.masking for stage in pair] == ["item_random", "basket_explore"]
