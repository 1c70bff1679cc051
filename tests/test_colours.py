from itertools import combinations

from nnbr_core.show.colours import BY_NAME, NOVEL, REPEAT, text_on


def luminance(colour: str) -> float:
    """Relative luminance as web accessibility guidelines define it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_text_on_chips_has_the_contrast_readers_need():
    assert all(contrast(colour, text_on(colour)) >= 4.5 for colour in (REPEAT, NOVEL))


def test_no_two_methods_share_a_colour():
    assert all(one != other for one, other in combinations(BY_NAME.values(), 2))
