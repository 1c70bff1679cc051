"""Novel lists of several models for one person, side by side, with reasons, in plain HTML."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import InputError, nearest
from nnbr_core.evaluation import NOBODY, top_novel
from nnbr_core.explain import effects, recommend
from nnbr_core.figures.baskets import CELL, SMALL, WRAP, user_baskets
from nnbr_core.figures.data import figure
from nnbr_core.people import item_labels

N_REASONS = 2  # purchases named as the reason for an item
NO_REASON = "no purchase in particular"  # popularity's list does not depend on any
ONLY_REASON = "because of the only item there is"
LIST = "flex:1 1 16em;min-width:0;font-size:13px;line-height:1.4"


def typed_basket(catalogue: pd.DataFrame, labels: Sequence[str]) -> Baskets:
    """A person who bought one basket of the items with these labels."""
    number = {label: item for item, label in enumerate(item_labels(catalogue))}
    for label in labels:
        if label not in number:
            raise InputError(f"unknown item {label!r}: {nearest(label, number)}")
    basket = [number[label] for label in dict.fromkeys(labels)]
    return Baskets.from_lists([[basket]], user_ids=["you"], catalogue=catalogue)


@dataclass(frozen=True)
class OneGroup:
    """A model that knows the items of one group only."""

    model: Any
    is_inside: np.ndarray  # bool [items]

    def score(self, histories: Baskets) -> np.ndarray:
        return np.where(self.is_inside, self.model.score(histories), np.float32(-np.inf))


def reasons(model: Any, person: Baskets, items: np.ndarray) -> list[str]:
    """For each recommended item, the names of the purchases that speak most for it."""
    if len(np.unique(person.items)) == 1:
        return [ONLY_REASON] * len(items)
    bought, effect = effects(model, person)
    names = item_labels(person.catalogue).to_numpy()[bought]
    texts = []
    for item in items:
        best = np.argsort(-effect[:, item], kind="stable")[:N_REASONS]
        speaking = names[best[effect[best, item] > 0]]
        texts.append(f"because of {' and '.join(speaking)}" if len(speaking) else NO_REASON)
    return texts


def novel_list(model: Any, person: Baskets, k: int, group: str = "") -> pd.DataFrame:
    """The best k novel items, of one group or of all: id, name, group, why; best first.

    Items that share their name have their id beside it.
    """
    catalogue = person.catalogue
    limited = OneGroup(model, catalogue["group"].to_numpy() == group) if group else model
    table = recommend(limited, person, min(k, person.n_items))[["id", "name", "group"]]
    items = pd.Index(catalogue["id"]).get_indexer(table["id"])
    table.index = pd.RangeIndex(1, len(table) + 1, name="rank")
    names = item_labels(catalogue).to_numpy()[items]
    return table.assign(name=names, why=reasons(model, person, items))


def _n_shared(one: np.ndarray, other: np.ndarray) -> float:
    """The mean number of items in both lists; one and other are int [people, k]."""
    pairs = zip(one.tolist(), other.tolist(), strict=True)
    return float(np.mean([len((set(a) & set(b)) - {NOBODY}) for a, b in pairs]))


def novel_lists(
    models: dict[str, Any], person: Baskets, k: int, group: str = ""
) -> dict[str, pd.DataFrame]:
    """One `novel_list` per model; `also_in` names the other models that list the item too."""
    lists = {name: novel_list(model, person, k, group) for name, model in models.items()}
    for name, table in lists.items():
        others = {other: set(lists[other]["id"]) for other in lists if other != name}
        also = [", ".join(o for o, ids in others.items() if i in ids) for i in table["id"]]
        lists[name] = table.assign(also_in=also)
    return lists


def overlap_figure(models: dict[str, Any], people: Baskets, k: int = 10) -> go.Figure:
    """How many of two models' k items are the same, on average over people."""
    k = min(k, people.n_items)
    tops = [top_novel(model.score, people, k) for model in models.values()]
    shared = [[_n_shared(one, other) for other in tops] for one in tops]
    names = list(models)
    drawn = figure(f"Items that two lists of {k} share, on average", "", "")
    return drawn.add_heatmap(
        z=shared, x=names, y=names, zmin=0, zmax=k, colorscale="Greys", texttemplate="%{z:.1f}"
    )


def _line(rank: int, item: Any) -> str:
    """One row: the item with its group, and below it why it is here and who lists it too."""
    group = f' <span style="{SMALL}">{escape(item.group)}</span>' if item.group else ""
    also = f"<br>≡ also in {escape(item.also_in)}" if item.also_in else ""
    why = f'<div style="{SMALL}">{escape(item.why)}{also}</div>'
    name = f'<span class="nnbr-item">{escape(item.name)}</span>'
    return f'<tr><td style="{CELL}">{rank}</td><td style="{CELL}">{name}{group}{why}</td></tr>'


def list_page(name: str, table: pd.DataFrame) -> str:
    """HTML: one model's list."""
    if len(table) == 0:
        return f'<div style="{LIST}"><b>{escape(name)}</b><p>Nothing novel is left here.</p></div>'
    n_shared = int((table["also_in"] != "").sum())
    rows = "".join(_line(rank, item) for rank, item in enumerate(table.itertuples(), start=1))
    shared = f"{n_shared} of {len(table)} also in another list"
    head = f'<b>{escape(name)}</b> <span style="{SMALL}">{shared}</span>'
    return f'<div style="{LIST}" class="nnbr-list">{head}<table>{rows}</table></div>'


def recommendation_page(
    models: dict[str, Any], person: Baskets, k: int = 10, group: str = "", title: str = ""
) -> str:
    """HTML: what the person bought, and what each model would have them try."""
    lists = novel_lists(models, person, k, group)
    pages = "".join(list_page(name, table) for name, table in lists.items())
    bought = user_baskets(person, 0, title or f"User {person.user_ids[0]}")
    return f'{bought}<div style="{WRAP};gap:18px">{pages}</div>'
