import pytest

from nnbr_core.analysis.study import Study
from nnbr_core.btbr import Btbr
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.errors import InputError
from nnbr_core.figures.masks import example, masked_baskets
from nnbr_core.widgets.masks import mask_browser, mask_explorer, mask_page

SELECT = BtbrSettings(masking="item_select", mask_ratio=0.5)


def by_label(box) -> dict:
    return {control.description: control for control in box.children}


def test_in_batch_the_plain_result_is_shown(shown, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME")
    monkeypatch.delenv("VSCODE_PID", raising=False)
    study = Study()
    mask_explorer(study, 1, SELECT, seed=3)
    assert shown[0].data == masked_baskets(example(study.baskets, 1, SELECT.stages()[0], 3))


def test_the_page_asks_a_model_for_the_first_hidden_item(three):
    (stage,) = BtbrSettings(masking="basket_all").stages()
    page = mask_page(three, 1, stage, 0, Btbr(SELECT, three))
    assert "Hidden item: 0 (basket 3)" in page and "this is it" in page


def test_another_dataset_is_a_choice_away(shown):
    mask_explorer(Study(), 0, SELECT)
    menu, area, _ = shown[0].children
    (browser,) = area.children
    assert menu.children[0].value == "toy" and "Row 0: user 0" in browser.children[1].value
    menu.children[0].value = "completejourney"
    (other,) = area.children
    assert other is not browser and "hidden" in other.children[1].value


def test_every_control_changes_what_is_shown(three):
    controls, page = mask_browser(three, 0, SELECT, 0).children
    control = by_label(controls)
    control["Masker"].value = "basket_all"
    assert "2 hidden, 2 distinct, 1 novel" in page.value
    control["Row"].value = 1
    assert "Row 1: user B" in page.value and "2 hidden, 2 distinct, 2 novel" in page.value
    control["Masker"].value = "item_random"
    control["Swap ratio"].value = 1.0
    assert "2 moved" in page.value


def test_ratios_mean_nothing_to_basket_level_maskers(three):
    box = mask_browser(three, 0, BtbrSettings(masking="item_select", swap_ratio=0.5), 0)
    control = by_label(box.children[0])
    assert not control["Mask ratio"].disabled
    control["Masker"].value = "basket_explore"
    assert all(control[name].disabled for name in ("Mask ratio", "Swap ratio", "Swap", "Hop"))
    assert "1 hidden" in box.children[1].value


def test_a_user_who_is_left_out_is_a_sentence_and_no_question(three):
    explore = BtbrSettings(masking="basket_explore")
    box = mask_browser(three, 0, explore, 0, Btbr(explore, three))
    controls, page, asked, guessed = box.children
    assert asked.children[0].options == {"3 (basket 3)": 0}
    assert "this is it" in guessed.value
    by_label(controls)["Row"].value = 2
    assert "user C bought nothing new in the last basket" in page.value
    assert asked.children[0].options == () and guessed.value == ""


def test_the_chosen_hidden_item_is_the_one_asked_for(three):
    every = BtbrSettings(masking="basket_all")
    *_, asked, guessed = mask_browser(three, 0, every, 0, Btbr(every, three)).children
    hidden = asked.children[0]
    assert list(hidden.options) == ["1 (basket 3)", "3 (basket 3)"]
    first = guessed.value
    hidden.index = 1
    assert guessed.value != first and guessed.value.count("this is it") == 1


def test_two_stages_at_once_cannot_be_shown():
    with pytest.raises(InputError, match="unknown masker 'joint'"):
        mask_explorer(Study(), 0, BtbrSettings(masking="joint"))
