import numpy as np

from nnbr_core.analysis.study import Study
from nnbr_core.data.describe import last_basket_table
from nnbr_core.figures.baskets import user_baskets
from nnbr_core.widgets.data import (
    NOBODY,
    dataset_explorer,
    matching_users,
    user_browser,
    user_page,
)


def test_both_ends_of_a_filter_belong_to_it(three):
    table = last_basket_table(three)  # repeat ratios 1/2, 0 and 1; two history baskets each
    assert matching_users(table, (0, 2), (0, 1)).tolist() == [0, 1, 2]
    assert matching_users(table, (2, 2), (1 / 2, 1)).tolist() == [0, 2]
    assert matching_users(table, (0, 2), (0, 0)).tolist() == [1]
    assert matching_users(table, (3, 9), (0, 1)).tolist() == []


def test_the_page_says_how_many_match_and_whether_this_one_does(three):
    assert "2 of 3 users match." in user_page(three, 0, np.array([0, 2]))
    assert "2 of 3 users match; row 1 does not." in user_page(three, 1, np.array([0, 2]))
    assert NOBODY in user_page(three, 0, np.array([], dtype=int))


def test_in_batch_the_plain_result_is_shown(shown, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME")
    monkeypatch.delenv("VSCODE_PID", raising=False)
    study = Study()
    dataset_explorer(study, user=1)
    assert user_baskets(study.baskets, 1) in shown[0].data


def test_picking_filtering_and_stepping_show_the_right_user(three):
    controls, page = user_browser(three).children
    picker, back, onward, _, repeats = controls.children
    picker.value = 1
    assert user_baskets(three, 1) in page.value
    repeats.value = (1 / 2, 1)  # users 0 and 2: the one shown is no longer among them
    assert picker.value == 2 and "2 of 3 users match." in page.value
    onward.click()
    assert picker.value == 0
    back.click()
    assert user_baskets(three, 2) in page.value
    repeats.value = (0.6, 0.9)
    assert NOBODY in page.value
