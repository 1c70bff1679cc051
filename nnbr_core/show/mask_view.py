"""One training row of one user: what is visible, hidden, moved or left out of it."""

from html import escape
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from nnbr_core.batching import MASK
from nnbr_core.btbr import Btbr, Question, ask, stage_view
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part
from nnbr_core.errors import InputError
from nnbr_core.masking import BASKET_VIEWS, MASKERS
from nnbr_core.show.chips import basket_heads, chip, grid, legend, one_user
from nnbr_core.show.colours import HIDDEN, MOVED, VISIBLE

NO_MASK = -1
LEGEND = [("visible", VISIBLE), ("? hidden: to be predicted", HIDDEN)]
MOVED_LEGEND = [("← 2: moved here from basket 2", MOVED), ("→ 3: was here, moved to basket 3", "")]
REMOVED_LEGEND = [("✕ left out of this row", "")]


class Example(NamedTuple):
    """One user as a stage of training sees them."""

    user_id: str
    items: pd.DataFrame  # a row per purchase, see `example`
    question: Question  # what the model is asked


def _numbers(baskets: Baskets) -> np.ndarray:
    """The number, from 1, of the basket each of one user's purchases lies in."""
    return np.repeat(np.arange(1, baskets.n_baskets + 1), baskets.basket_sizes)


def _shown(row: Baskets, question: Question, n_forgotten: int) -> pd.DataFrame:
    """The purchases that one user's training row holds; of a long history
    the latest baskets are read, and `n_forgotten` older ones are not."""
    is_hidden = (question.inputs[0] == MASK).numpy()
    return pd.DataFrame(
        {
            "basket": n_forgotten + _numbers(row),
            "item": row.items,
            "shown_in": n_forgotten + question.positions[0].numpy(),
            "is_hidden": is_hidden,
            "mask": np.where(is_hidden, is_hidden.cumsum() - 1, NO_MASK),
        }
    )


def example(baskets: Baskets, user: int, settings: BtbrSettings, seed: int = 0) -> Example:
    """What training with one stage's settings would show of this user, one draw of it.

    The frame has one row per purchase: `basket` it was bought in, item, name, group, `shown_in`
    (the basket it is moved to, or its own; 0 if the row leaves it out), is_hidden, is_moved,
    is_removed, and `mask`, the number of the mask that hides it.
    """
    one = one_user(baskets, user)
    history = part(one)
    if settings.masking in BASKET_VIEWS and BASKET_VIEWS[settings.masking](history).n_users == 0:
        who = f"user {one.user_ids[0]} bought nothing new in the last basket"
        raise InputError(f"{who}: {settings.masking} leaves them out")
    row = stage_view(settings, history)
    question = ask(settings, row, torch.Generator().manual_seed(seed))
    n_read = one.n_baskets if settings.sees_last_basket else one.n_baskets - 1
    shown = _shown(row, question, n_forgotten=n_read - row.n_baskets)
    labels = one.catalogue.iloc[one.items][["name", "group"]].reset_index(drop=True)
    bought = pd.DataFrame({"basket": _numbers(one), "item": one.items}).join(labels)
    items = bought.merge(shown, on=["basket", "item"], how="left")
    is_removed = items["shown_in"].isna()
    items = items.assign(
        shown_in=items["shown_in"].fillna(0).astype(int),
        mask=items["mask"].fillna(NO_MASK).astype(int),
        is_hidden=items["is_hidden"].eq(True),
        is_removed=is_removed,
    )
    is_moved = ~is_removed & (items["shown_in"] != items["basket"])
    return Example(str(one.user_ids[0]), items.assign(is_moved=is_moved), question)


def counts(items: pd.DataFrame) -> dict[str, int]:
    """How many purchases are hidden, moved, removed; and of the hidden ones, how many distinct
    items there are and how many of those are novel: no copy of them is visible anywhere."""
    hidden = items.loc[items["is_hidden"], "item"]
    visible = items.loc[~items["is_hidden"] & ~items["is_removed"], "item"]
    return {
        "hidden": len(hidden),
        "distinct": hidden.nunique(),
        "novel": len(set(hidden) - set(visible)),
        "moved": int(items["is_moved"].sum()),
        "removed": int(items["is_removed"].sum()),
    }


def _chip(purchase) -> str:
    """A purchase where the model finds it."""
    if purchase.is_removed:
        return chip(f"✕ {purchase.name}", title=purchase.group, kind="nnbr-chip nnbr-removed")
    text = f"? {purchase.name}" if purchase.is_hidden else purchase.name
    kinds, colour = ["nnbr-chip"], VISIBLE
    if purchase.is_moved:
        text, colour = f"{text} ← {purchase.basket}", MOVED
        kinds.append("nnbr-moved")
    if purchase.is_hidden:
        colour = HIDDEN
        kinds.append("nnbr-hidden")
    return chip(text, colour, purchase.group, " ".join(kinds))


def summary(items: pd.DataFrame) -> str:
    n = counts(items)
    text = f"{n['hidden']} hidden, {n['distinct']} distinct, {n['novel']} novel among hidden"
    more = [f"{n[kind]} {kind}" for kind in ("moved", "removed") if n[kind]]
    return ", ".join([text, *more])


def masked_baskets(one: Example) -> str:
    """HTML: one column per basket, every purchase as a chip whose look says what happened to it.

    A moved item is shown where it went, and in outline where it came from.
    """
    n_baskets = int(one.items["basket"].max())
    columns = [""] * n_baskets
    for purchase in one.items.itertuples(index=False):
        place = purchase.basket if purchase.is_removed else purchase.shown_in
        columns[place - 1] += _chip(purchase)
        if purchase.is_moved:
            gone = f"{purchase.name} → {purchase.shown_in}"
            columns[purchase.basket - 1] += chip(gone, title=purchase.group, kind="nnbr-gone")
    meanings = LEGEND + MOVED_LEGEND * bool(one.items["is_moved"].any())
    meanings = meanings + REMOVED_LEGEND * bool(one.items["is_removed"].any())
    heading = f"<b>User {escape(one.user_id)}</b>: {summary(one.items)}"
    return f"<div>{heading}{legend(meanings)}{grid(columns, basket_heads(n_baskets))}</div>"


def hidden_items(items: pd.DataFrame) -> dict[str, int]:
    """What can be asked about: a label for every hidden purchase, and the number of its mask."""
    hidden = items[items["is_hidden"]]
    labels = hidden["name"] + " (basket " + hidden["basket"].astype(str) + ")"
    labels += np.where(labels.duplicated(keep=False), " #" + hidden["item"].astype(str), "")
    return dict(zip(labels, hidden["mask"], strict=True))


@torch.inference_mode()
def predictions(model: Btbr, one: Example, mask: int, k: int = 5) -> pd.DataFrame:
    """The model's best k guesses at one mask, and the truth at its own rank if it is not there."""
    inputs, positions = (x.to(model.device) for x in (one.question.inputs, one.question.positions))
    states = model.network(inputs, positions)
    scores = model.network.scores(states[mask : mask + 1])[0].cpu().numpy()
    order = np.argsort(-scores, kind="stable")
    k = min(k, len(order))
    truth = int(one.question.item[mask])
    place = int(np.flatnonzero(order == truth)[0])
    places = [*range(k), *([place] if place >= k else [])]
    table = model.catalogue.iloc[order[places]][["name", "group"]]
    marks = ["this is it" if order[p] == truth else "" for p in places]
    return table.assign(truth=marks).set_index(pd.Index([p + 1 for p in places], name="rank"))


def every_masker(baskets: Baskets, user: int, mask_ratio: float, seed: int = 0) -> str:
    """HTML: the same user as each masker would show them, one below the other."""
    pages = []
    for masking in MASKERS:
        (stage,) = BtbrSettings(masking=masking, mask_ratio=mask_ratio).stages()
        try:
            page = masked_baskets(example(baskets, user, stage, seed))
        except InputError as error:  # basket_explore leaves some users out
            page = f"<p>{escape(str(error))}</p>"
        pages.append(f"<h4>{escape(masking)}</h4>{page}")
    return "".join(pages)
