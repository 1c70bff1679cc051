from itertools import combinations

import pytest

from nnbr_core.analysis.methods import ITEM_LEVEL, every_row
from nnbr_core.figures.colours import (
    HIDDEN,
    LOOKS,
    MOVED,
    NOVEL,
    OTHER,
    REPEAT,
    TEXT,
    VISIBLE,
    WHITE,
    look,
    text_on,
)
from nnbr_core.figures.data import figure

JUPYTER_DARK = "#111111"


def luminance(colour: str) -> float:
    """Relative luminance as web accessibility guidelines define it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def plain(colour: str) -> str:
    """What a colour of the theme falls back to where there is no theme."""
    return colour.split(",")[-1].strip(" )")


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_text_on_chips_has_the_contrast_readers_need():
    chips = (REPEAT, NOVEL, VISIBLE, HIDDEN, MOVED)
    pairs = [(plain(colour), plain(text_on(colour))) for colour in chips]
    assert all(contrast(*pair) >= 4.5 for pair in pairs)


def test_figures_can_be_read_on_light_and_on_dark():
    for background in (WHITE, JUPYTER_DARK):
        assert contrast(TEXT, background) >= 4.2  # no grey has more on both
        assert all(contrast(one.colour, background) >= 2.2 for one in LOOKS.values())
        assert figure("", "", "").layout.template.layout.font.color == TEXT
    for colour in (VISIBLE, HIDDEN):
        assert colour.startswith("var(--jp-") and text_on(colour).startswith("var(--jp-")


def test_no_two_methods_look_the_same():
    assert all(one != other for one, other in combinations(LOOKS.values(), 2))


@pytest.mark.parametrize("name", [*every_row(), *(f"{name}_swap" for name in ITEM_LEVEL)])
def test_every_method_has_a_look_of_its_own(name):
    assert look(name) is LOOKS[name]


def test_a_variant_looks_like_its_method_and_a_stranger_like_none():
    assert look("item_select_swap, shuffled") is LOOKS["item_select_swap"]
    assert look("first_basket") is OTHER
