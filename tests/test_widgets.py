import ipywidgets
import pytest

from nnbr_core.show import widgets
from nnbr_core.show.chips import user_baskets


@pytest.fixture
def shown(monkeypatch):
    """What a cell would display."""
    things = []
    monkeypatch.setattr(widgets, "display", things.append)
    for variable in ("JPY_SESSION_NAME", "VSCODE_PID"):
        monkeypatch.delenv(variable, raising=False)
    return things


def test_in_batch_the_plain_result_is_shown(three, shown):
    widgets.user_explorer(three, user=1)
    assert shown[0].data == user_baskets(three, 1)


def test_picking_a_user_shows_their_baskets(three, shown, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "here.ipynb")
    widgets.user_explorer(three)
    controls, page = shown[0].children
    assert isinstance(page, ipywidgets.HTML)
    assert page.value == user_baskets(three, 0)
    controls.children[0].value = 2  # typed
    assert page.value == user_baskets(three, 2)
    controls.children[1].value = 1  # moved
    assert page.value == user_baskets(three, 1)
