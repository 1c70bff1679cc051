"""One user's baskets as a grid of named chips, in plain HTML."""

from html import escape

import numpy as np

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import is_repeat
from nnbr_core.errors import InputError
from nnbr_core.show.colours import NOVEL, REPEAT, text_on

CHIP = "display:block;margin:2px 0;padding:1px 6px;border-radius:8px;font-size:12px;line-height:1.5"
COLUMN = "flex:0 0 auto;max-width:13em;margin-right:8px"
GRID = "display:flex;overflow-x:auto;padding:4px 0;align-items:flex-start"


def chip(name: str, colour: str, title: str = "") -> str:
    style = f"{CHIP};background:{colour};color:{text_on(colour)}"
    return f'<span class="nnbr-chip" style="{style}" title="{escape(title)}">{escape(name)}</span>'


def _legend() -> str:
    chips = chip("novel: first time", NOVEL) + chip("repeat: bought before", REPEAT)
    return f'<div style="display:flex;gap:6px;margin:4px 0">{chips}</div>'


def user_baskets(baskets: Baskets, user: int) -> str:
    """HTML: one column per basket, oldest first; novel and repeat items coloured."""
    if not 0 <= user < baskets.n_users:
        raise InputError(f"user {user} does not exist: choose 0 to {baskets.n_users - 1}")
    one = baskets.select(np.array([user]))
    repeat = is_repeat(one)
    names, groups = one.catalogue["name"], one.catalogue["group"]
    columns = []
    for number in range(one.n_baskets):
        tokens = range(one.basket_ptr[number], one.basket_ptr[number + 1])
        chips = "".join(
            chip(
                names.iloc[one.items[t]],
                REPEAT if repeat[t] else NOVEL,
                groups.iloc[one.items[t]],
            )
            for t in tokens
        )
        head = "last basket" if number == one.n_baskets - 1 else f"basket {number + 1}"
        columns.append(f'<div style="{COLUMN}"><b style="font-size:12px">{head}</b>{chips}</div>')
    heading = f"<b>User {escape(str(one.user_ids[0]))}</b>, {one.n_baskets} baskets"
    return f'<div>{heading}{_legend()}<div style="{GRID}">{"".join(columns)}</div></div>'
