from itertools import combinations

import pytest

from nnbr_core.experiments.methods import all_methods
from nnbr_core.show.colours import (
    HIDDEN,
    LOOKS,
    MOVED,
    NOVEL,
    OTHER,
    REPEAT,
    VISIBLE,
    look,
    text_on,
)


def luminance(colour: str) -> float:
    """Relative luminance as web accessibility guidelines define it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_text_on_chips_has_the_contrast_readers_need():
    chips = (REPEAT, NOVEL, VISIBLE, HIDDEN, MOVED)
    assert all(contrast(colour, text_on(colour)) >= 4.5 for colour in chips)


def test_no_two_methods_look_the_same():
    assert all(one != other for one, other in combinations(LOOKS.values(), 2))


@pytest.mark.parametrize("name", all_methods())
def test_every_method_has_a_look_of_its_own(name):
    assert look(name) is LOOKS[name]


def test_a_variant_looks_like_its_method_and_a_stranger_like_none():
    assert look("item_select_swap, shuffled") is LOOKS["item_select_swap"]
    assert look("first_basket") is OTHER
