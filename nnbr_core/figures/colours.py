"""One look per idea, the same in every figure; told apart by colour-blind readers too.

JupyterLab has a light and a dark theme. Plotly takes plain colours only, so figures have no
background of their own and use colours that can be seen on both; HTML asks for the theme's.
"""

from typing import NamedTuple

# Okabe and Ito's palette, and a grey.
BLACK, WHITE, GREY = "#000000", "#FFFFFF", "#6E6E6E"
ORANGE, VERMILION = "#E69F00", "#D55E00"
SKY, BLUE, GREEN = "#56B4E9", "#0072B2", "#009E73"
PINK, PURPLE, OLIVE = "#CC79A7", "#AA4499", "#999933"  # the last two from Tol's palette

TEXT = "#7A7A7A"  # of figures: as far from white as from JupyterLab's dark grey
LINES = "rgba(128,128,128,0.3)"  # axes and grids
EMPTY = "rgba(128,128,128,0.15)"  # a cell without a value
CLEAR = "rgba(0,0,0,0)"  # whatever is behind

REPEAT = BLUE
NOVEL = ORANGE
NEUTRAL = GREY  # for what has no side
MOVED = SKY
VISIBLE = "var(--jp-layout-color2, #DDDDDD)"  # items of a training row, in HTML
HIDDEN = "var(--jp-inverse-layout-color0, #000000)"
BORDER = "var(--jp-border-color1, #BDBDBD)"
LIGHT = {ORANGE, SKY}  # black text is readable on these, white on the others
THEME_TEXT = {  # on what follows the theme
    VISIBLE: "var(--jp-ui-font-color0, #000000)",
    HIDDEN: "var(--jp-ui-inverse-font-color0, #FFFFFF)",
}


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
    "last_popularity, all": Look(OLIVE, "circle"),
    "last_popularity, explore": Look(OLIVE, "diamond"),
    "item_knn": Look(OLIVE, "square"),
    "user_knn": Look(OLIVE, "triangle-up"),
    "ranker": Look(GREEN, "hexagon"),
}
SYMBOLS = {
    "tifuknn": "circle",
    "dream": "diamond",
    "beacon": "square",
    "clea": "triangle-up",
    "dnntsp": "cross",
}
BASELINES = {"best baseline": Look(PURPLE, "hexagon")} | {
    f"{model}, {labels}": Look(colour, symbol)
    for model, symbol in SYMBOLS.items()
    for labels, colour in {"all": PINK, "explore": PURPLE}.items()
}
LOOKS = REFERENCES | BASELINES | STRATEGIES
OTHER = Look(GREY, "hexagon")  # a strategy that somebody added


def look(name: str) -> Look:
    """The look of a method; of what it starts with for variants such as "joint, shuffled"."""
    whole_first = sorted(LOOKS, key=len, reverse=True)
    return next((LOOKS[known] for known in whole_first if name.startswith(known)), OTHER)


def text_on(colour: str) -> str:
    """A text colour that can be read on this background."""
    return THEME_TEXT.get(colour, BLACK if colour in LIGHT else WHITE)
