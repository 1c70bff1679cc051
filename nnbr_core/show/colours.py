"""One look per idea, the same in every figure; told apart by colour-blind readers too."""

from typing import NamedTuple

# Okabe and Ito's palette, and a grey.
BLACK, GREY = "#000000", "#6E6E6E"
ORANGE, VERMILION = "#E69F00", "#D55E00"
SKY, BLUE, GREEN = "#56B4E9", "#0072B2", "#009E73"
PINK, WINE = "#CC79A7", "#882255"  # wine: a dark pink from Tol's palette

REPEAT = BLUE
NOVEL = ORANGE
NEUTRAL = GREY  # for what has no side
VISIBLE, HIDDEN, MOVED = "#DDDDDD", BLACK, SKY  # items of a training row
LIGHT = {ORANGE, VISIBLE, MOVED}  # black text is readable on these, white on the others


class Look(NamedTuple):
    """How a method is drawn: no two share both."""

    colour: str
    symbol: str  # plotly's name


STRATEGIES = {
    "item_random": Look(SKY, "circle"),
    "item_select": Look(BLUE, "diamond"),
    "item_random_swap": Look(SKY, "square"),
    "item_select_swap": Look(BLUE, "square"),
    "basket_all": Look(VERMILION, "triangle-up"),
    "basket_explore": Look(ORANGE, "triangle-down"),
    "joint": Look(GREEN, "star"),
}
REFERENCES = {
    "popularity": Look(GREY, "circle"),
    "last_popularity, all": Look(BLACK, "circle"),
    "last_popularity, explore": Look(BLACK, "diamond"),
    "item_knn": Look(BLACK, "square"),
    "user_knn": Look(BLACK, "triangle-up"),
}
SYMBOLS = {
    "tifuknn": "circle",
    "dream": "diamond",
    "beacon": "square",
    "clea": "triangle-up",
    "dnntsp": "cross",
}
BASELINES = {"best baseline": Look(WINE, "hexagon")} | {
    f"{model}, {labels}": Look(colour, symbol)
    for model, symbol in SYMBOLS.items()
    for labels, colour in {"all": PINK, "explore": WINE}.items()
}
LOOKS = REFERENCES | BASELINES | STRATEGIES
OTHER = Look(GREY, "hexagon")  # a strategy that somebody added


def look(name: str) -> Look:
    """The look of a method; of what it starts with for variants such as "joint, shuffled"."""
    whole_first = sorted(LOOKS, key=len, reverse=True)
    return next((LOOKS[known] for known in whole_first if name.startswith(known)), OTHER)


def text_on(colour: str) -> str:
    """A text colour that can be read on this background."""
    return BLACK if colour in LIGHT else "#FFFFFF"
