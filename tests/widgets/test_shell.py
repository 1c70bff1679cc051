import ipywidgets

from nnbr_core.analysis.study import Study
from nnbr_core.errors import InputError
from nnbr_core.widgets import _shared as shell


def failing(error: Exception):
    def produce():
        raise error

    return produce


def test_a_result_is_shown_as_it_is():
    assert shell.rendered(lambda: "<b>fine</b>") == "<b>fine</b>"


def test_what_a_user_can_put_right_is_a_sentence():
    page = shell.rendered(failing(InputError("k < 1 is too few")))
    assert page == '<p class="nnbr-note" role="status">k &lt; 1 is too few</p>'


def test_any_other_exception_is_shown_with_its_traceback():
    page = shell.rendered(failing(KeyError("lost")))
    assert "nnbr-error" in page and "Traceback" in page and "KeyError: &#x27;lost&#x27;" in page


def test_a_change_of_any_watched_control_is_noticed():
    one, other = ipywidgets.IntText(1), ipywidgets.IntText(2)
    heard = []
    shell.watch([one, other], lambda: heard.append((one.value, other.value)))
    one.value = 5
    other.value = 6
    assert heard == [(5, 2), (5, 6)]


def test_controls_wrap_in_a_narrow_window():
    box = shell.row(ipywidgets.IntText(description="K"))
    assert box.layout.flex_flow == "row wrap"
    assert box.children[0].layout.max_width == "100%"


def test_only_users_who_exist_can_be_picked():
    picker = shell.user_picker(0, n_users=3)
    picker.value = 7
    assert picker.value == 2


def test_a_chosen_dataset_is_loaded_and_a_failure_is_shown_in_its_place(shown):
    def build(baskets):
        if baskets.n_users != 3000:
            raise InputError("this one cannot be shown")
        return ipywidgets.HTML(f"{baskets.n_users} users")

    shell.by_dataset(Study(), build)
    menu, area, _ = shown[0].children
    assert area.children[0].value == "3000 users"
    menu.children[0].value = "completejourney"
    assert "this one cannot be shown" in area.children[0].value
    menu.children[0].value = "toy"
    assert area.children[0].value == "3000 users"
