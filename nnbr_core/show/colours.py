"""One colour per idea, the same in every figure; told apart by colour-blind readers too."""

REPEAT = "#0072B2"  # blue
NOVEL = "#E69F00"  # orange
NEUTRAL = "#6E6E6E"  # grey, for what has no side

# Okabe and Ito's palette; black text is readable on the light ones, white on the others.
BY_NAME = {
    "popularity": "#6E6E6E",
    "last_popularity": "#000000",
}
LIGHT = {NOVEL}


def text_on(colour: str) -> str:
    """A text colour that can be read on this background."""
    return "#000000" if colour in LIGHT else "#FFFFFF"
