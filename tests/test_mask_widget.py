import pytest

from nnbr_core.btbr import Btbr
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.errors import InputError
from nnbr_core.show.mask_view import example, masked_baskets
from nnbr_core.show.mask_widget import mask_explorer

SELECT = BtbrSettings(masking="item_select", mask_ratio=0.5)


def by_label(box) -> dict:
    return {control.description: control for control in box.children}


def test_in_batch_the_plain_result_is_shown(three, shown, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME")
    monkeypatch.delenv("VSCODE_PID", raising=False)
    mask_explorer(three, 1, SELECT, seed=3)
    assert shown[0].data == masked_baskets(example(three, 1, SELECT.stages()[0], 3))
    mask_explorer(three, 1, BtbrSettings(masking="basket_all"), model=Btbr(SELECT, three))
    assert "Hidden item: 0 (basket 3)" in shown[1].data and "this is it" in shown[1].data


def test_every_control_changes_what_is_shown(three, shown):
    mask_explorer(three, 0, SELECT)
    controls, page = shown[0].children
    control = by_label(controls)
    control["Masker"].value = "basket_all"
    assert "2 hidden, 2 distinct, 1 novel" in page.value
    control["User no."].value = 1
    assert "User B" in page.value and "2 hidden, 2 distinct, 2 novel" in page.value
    control["Masker"].value = "item_random"
    control["Swap ratio"].value = 1.0
    assert "2 moved" in page.value


def test_ratios_mean_nothing_to_basket_level_maskers(three, shown):
    mask_explorer(three, 0, BtbrSettings(masking="item_select", swap_ratio=0.5))
    control = by_label(shown[0].children[0])
    assert not control["Mask ratio"].disabled
    control["Masker"].value = "basket_explore"
    assert all(control[name].disabled for name in ("Mask ratio", "Swap ratio", "Swap", "Hop"))
    assert "1 hidden" in shown[0].children[1].value


def test_a_user_who_is_left_out_is_a_sentence_and_no_question(three, shown):
    explore = BtbrSettings(masking="basket_explore")
    mask_explorer(three, 0, explore, model=Btbr(explore, three))
    controls, page, asked, guessed = shown[0].children
    assert asked.children[0].options == {"3 (basket 3)": 0}
    assert "this is it" in guessed.value
    by_label(controls)["User no."].value = 2
    assert "user C bought nothing new in the last basket" in page.value
    assert asked.children[0].options == () and guessed.value == ""


def test_the_chosen_hidden_item_is_the_one_asked_for(three, shown):
    every = BtbrSettings(masking="basket_all")
    mask_explorer(three, 0, every, model=Btbr(every, three))
    *_, asked, guessed = shown[0].children
    hidden = asked.children[0]
    assert list(hidden.options) == ["1 (basket 3)", "3 (basket 3)"]
    first = guessed.value
    hidden.index = 1
    assert guessed.value != first and guessed.value.count("this is it") == 1


def test_two_stages_at_once_cannot_be_shown(three):
    with pytest.raises(InputError, match="unknown masker 'joint'"):
        mask_explorer(three, 0, BtbrSettings(masking="joint"))
