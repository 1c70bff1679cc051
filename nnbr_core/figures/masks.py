"""One training row of one user: what is visible, hidden, moved or left out of it."""

from dataclasses import replace
from html import escape
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from nnbr_core.batching import MASK
from nnbr_core.btbr import Btbr, MaskedBatch, masked_batch, stage_view
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import part
from nnbr_core.errors import InputError
from nnbr_core.figures.baskets import (
    basket_heads,
    chip,
    grid,
    legend,
    one_user,
    user_title,
)
from nnbr_core.figures.colours import HIDDEN, MOVED, VISIBLE
from nnbr_core.masking import BASKET_VIEWS, MASKERS
from nnbr_core.people import item_labels

NO_MASK = -1
LEGEND = [("visible", VISIBLE), ("? hidden: to be predicted", HIDDEN)]
MOVED_LEGEND = [("← 2: moved here from basket 2", MOVED), ("→ 3: was here, moved to basket 3", "")]
REMOVED_LEGEND = [("✕ left out of this row", "")]


class Example(NamedTuple):
    """One user as a stage of training sees them."""

    title: str  # who this is
    items: pd.DataFrame  # a row per purchase, see `example`
    question: MaskedBatch  # what the model is asked


def _numbers(baskets: Baskets) -> np.ndarray:
    """The number, from 1, of the basket each of one user's purchases lies in."""
    return np.repeat(np.arange(1, baskets.n_baskets + 1), baskets.basket_sizes)


def _counts_backwards(settings: BtbrSettings, row: Baskets, question: MaskedBatch) -> bool:
    """Does this stage number the last basket 1? A batch without moved items tells."""
    if settings.swap_ratio > 0:
        question = masked_batch(replace(settings, swap_ratio=0.0), row, torch.Generator())
    return bool(question.positions[0, 0] > question.positions[0, -1])


def _shown(row: Baskets, question: MaskedBatch, backwards: bool, n_forgotten: int) -> pd.DataFrame:
    """The purchases that one user's training row holds; of a long history
    the latest baskets are read, and `n_forgotten` older ones are not."""
    is_hidden = (question.inputs[0] == MASK).numpy()
    position = question.positions[0].numpy()
    in_order = position.max() + 1 - position if backwards else position
    return pd.DataFrame(
        {
            "basket": n_forgotten + _numbers(row),
            "item": row.items,
            "shown_in": n_forgotten + in_order,
            "position": position,
            "is_hidden": is_hidden,
            "mask": np.where(is_hidden, is_hidden.cumsum() - 1, NO_MASK),
        }
    )


def example(baskets: Baskets, user: int, settings: BtbrSettings, seed: int = 0) -> Example:
    """What training with one stage's settings would show of this user, one draw of it.

    The frame has one row per purchase: `basket` it was bought in, item, name, group, `shown_in`
    (the basket it is moved to, or its own; 0 if the row leaves it out), `position` (the number
    the model reads for that basket, or 0), is_hidden, is_moved, is_removed, and `mask`, the
    number of the mask that hides it.
    """
    one = one_user(baskets, user)
    history = part(one)
    if settings.masking in BASKET_VIEWS and BASKET_VIEWS[settings.masking](history).n_users == 0:
        who = f"user {one.user_ids[0]} bought nothing new in the last basket"
        raise InputError(f"{who}: {settings.masking} leaves them out")
    row = stage_view(settings, history)
    question = masked_batch(settings, row, torch.Generator().manual_seed(seed))
    n_read = one.n_baskets if settings.sees_last_basket else one.n_baskets - 1
    backwards = _counts_backwards(settings, row, question)
    shown = _shown(row, question, backwards, n_forgotten=n_read - row.n_baskets)
    named = one.catalogue.assign(name=item_labels(one.catalogue))
    labels = named.iloc[one.items][["name", "group"]].reset_index(drop=True)
    bought = pd.DataFrame({"basket": _numbers(one), "item": one.items}).join(labels)
    items = bought.merge(shown, on=["basket", "item"], how="left")
    is_removed = items["shown_in"].isna()
    items = items.assign(
        shown_in=items["shown_in"].fillna(0).astype(int),
        position=items["position"].fillna(0).astype(int),
        mask=items["mask"].fillna(NO_MASK).astype(int),
        is_hidden=items["is_hidden"].eq(True),
        is_removed=is_removed,
    )
    is_moved = ~is_removed & (items["shown_in"] != items["basket"])
    return Example(user_title(baskets, user), items.assign(is_moved=is_moved), question)


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


def _positions(items: pd.DataFrame, n_baskets: int) -> list[str]:
    """For every basket the number that the model reads for it, as its batch has it."""
    read = items[~items["is_removed"]].groupby("shown_in")["position"].first()
    return [
        f"position {read[number]}" if number in read.index else "not read"
        for number in range(1, n_baskets + 1)
    ]


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
    heading = f"<b>{escape(one.title)}</b>: {summary(one.items)}"
    shown = grid(columns, basket_heads(n_baskets), _positions(one.items, n_baskets))
    return f"<div>{heading}{legend(meanings)}{shown}</div>"


def hidden_items(items: pd.DataFrame) -> dict[str, int]:
    """What can be asked about: a label for every hidden purchase, and the number of its mask."""
    hidden = items[items["is_hidden"]]
    labels = hidden["name"] + " (basket " + hidden["basket"].astype(str) + ")"
    return dict(zip(labels, hidden["mask"], strict=True))


@torch.inference_mode()
def predictions(model: Btbr, one: Example, mask: int, k: int = 5) -> pd.DataFrame:
    """The model's best k guesses at one mask, and the truth at its own rank if it is not there."""
    states = model.network(one.question.inputs, one.question.positions)
    scores = model.network.scores(states[mask : mask + 1])[0].cpu().numpy()
    order = np.argsort(-scores, kind="stable")
    k = min(k, len(order))
    truth = int(one.question.item[mask])
    place = int(np.flatnonzero(order == truth)[0])
    places = [*range(k), *([place] if place >= k else [])]
    named = model.catalogue.assign(name=item_labels(model.catalogue))
    table = named.iloc[order[places]][["name", "group"]]
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
