"""One user's baskets as a grid of named chips, in plain HTML."""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import is_repeat
from nnbr_core.errors import InputError
from nnbr_core.figures.colours import NOVEL, REPEAT, text_on
from nnbr_core.people import item_labels

CHIP = "display:block;margin:2px 0;padding:1px 6px;border-radius:8px;font-size:12px;line-height:1.5"
OUTLINE = "border:1px dashed currentColor;opacity:0.75"  # of what is not really there
COLUMN = "flex:0 0 auto;max-width:13em;margin-right:8px"
GRID = "display:flex;overflow-x:auto;padding:4px 0;align-items:flex-start"
CELL = "text-align:left;vertical-align:top;padding:2px 6px;line-height:1.4"  # of a table
SMALL = "font-size:11px;line-height:1.5;opacity:0.8"
WRAP = "display:flex;flex-wrap:wrap;gap:6px;margin:4px 0"


def chip(name: str, colour: str = "", title: str = "", kind: str = "nnbr-chip") -> str:
    """A name on a coloured pill; without a colour, in a dashed outline."""
    look = f"background:{colour};color:{text_on(colour)}" if colour else OUTLINE
    text, title = escape(name), escape(title)
    return f'<span class="{kind}" style="{CHIP};{look}" title="{title}">{text}</span>'


def legend(meanings: Iterable[tuple[str, str]]) -> str:
    """A line of chips that say what a colour means: pairs of a text and a colour."""
    chips = "".join(chip(text, colour, kind="nnbr-legend") for text, colour in meanings)
    return f'<div style="{WRAP}">{chips}</div>'


def grid(columns: Sequence[str], heads: Sequence[str], notes: Sequence[str] = ()) -> str:
    """Columns of chips side by side under their heads; they scroll where they do not fit."""
    below = [f'<div style="{SMALL}">{escape(note)}</div>' for note in notes or [""] * len(heads)]
    boxes = "".join(
        f'<div style="{COLUMN}"><b style="font-size:12px">{escape(head)}</b>{note}{chips}</div>'
        for head, note, chips in zip(heads, below, columns, strict=True)
    )
    return f'<div style="{GRID}" tabindex="0">{boxes}</div>'


def basket_heads(n_baskets: int) -> list[str]:
    return [f"basket {number}" for number in range(1, n_baskets)] + ["last basket"]


def one_user(baskets: Baskets, user: int) -> Baskets:
    if not 0 <= user < baskets.n_users:
        raise InputError(f"row {user} does not exist: choose 0 to {baskets.n_users - 1}")
    return baskets.select(np.array([user]))


def user_title(baskets: Baskets, user: int) -> str:
    """Which row of the dataset, and who that is in the source."""
    return f"Row {user}: user {baskets.user_ids[user]}"


def user_baskets(baskets: Baskets, user: int, title: str = "") -> str:
    """HTML: one column per basket, oldest first; novel and repeat items coloured."""
    one = one_user(baskets, user)
    names, groups = item_labels(one.catalogue), one.catalogue["group"]
    chips = [
        chip(names.iloc[item], REPEAT if repeat else NOVEL, groups.iloc[item])
        for item, repeat in zip(one.items, is_repeat(one), strict=True)
    ]
    ptr = one.basket_ptr
    columns = ["".join(chips[ptr[b] : ptr[b + 1]]) for b in range(one.n_baskets)]
    meanings = legend([("novel: first time", NOVEL), ("repeat: bought before", REPEAT)])
    number = f"{one.n_baskets} basket{'s' * (one.n_baskets > 1)}"
    heading = f"<b>{escape(title or user_title(baskets, user))}</b>, {number}"
    return f"<div>{heading}{meanings}{grid(columns, basket_heads(one.n_baskets))}</div>"
