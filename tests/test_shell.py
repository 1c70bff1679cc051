import ipywidgets

from nnbr_core.errors import InputError
from nnbr_core.show import shell


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
