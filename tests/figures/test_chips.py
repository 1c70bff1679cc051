import pytest

from nnbr_core.data.baskets import Baskets, numbered_catalogue
from nnbr_core.errors import InputError
from nnbr_core.figures.baskets import chip, user_baskets
from nnbr_core.figures.colours import NOVEL, REPEAT


def test_there_is_a_chip_per_purchase_and_a_column_per_basket(three):
    page = user_baskets(three, 0)  # {0, 1}, {1, 2}, {1, 3}
    assert page.count('class="nnbr-chip"') == 6
    assert page.count("nnbr-legend") == 2
    assert page.count(f"background:{NOVEL}") == 4 + 1
    assert page.count(f"background:{REPEAT}") == 2 + 1
    assert [f"basket {n}" in page for n in (1, 2, 3)] == [True, True, False]
    assert "last basket" in page and "Row 0: user A" in page


def test_names_cannot_break_the_page():
    catalogue = numbered_catalogue(1).assign(name="<script>")
    page = user_baskets(Baskets.from_lists([[[0]]], catalogue=catalogue), 0)
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_text_on_a_chip_can_be_read():
    assert "color:#000000" in chip("a", NOVEL)
    assert "color:#FFFFFF" in chip("a", REPEAT)


def test_without_a_colour_a_chip_is_an_outline():
    assert "dashed" in chip("a") and "background" not in chip("a")


def test_a_user_who_is_not_there_is_refused(three):
    with pytest.raises(InputError, match="row 3 does not exist: choose 0 to 2"):
        user_baskets(three, 3)
