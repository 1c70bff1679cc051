"""Try something new: pick a shopper or type a basket, and compare what models would show."""

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets

from nnbr_core.data.baskets import Baskets
from nnbr_core.experiments.study import is_interactive
from nnbr_core.show.chips import one_user
from nnbr_core.show.recommend_view import item_labels, recommendation_page, typed_basket
from nnbr_core.show.shell import (
    note,
    rendered,
    row,
    show_page,
    show_widget,
    user_picker,
    watch,
)

EVERYTHING = "all groups"
MAX_K = 30
NO_MODEL = "No model is ticked: tick one to see its list."


def someone(baskets: Baskets, user: int, typed: Sequence[str]) -> Baskets:
    """The person of the typed basket, or the user if nothing is typed."""
    return typed_basket(baskets.catalogue, typed) if typed else one_user(baskets, user)


def _ticks(models: dict[str, Any]) -> dict[str, widgets.Checkbox]:
    return {
        name: widgets.Checkbox(True, description=name, indent=False, layout={"width": "auto"})
        for name in models
    }


def recommender(
    baskets: Baskets,
    models: dict[str, Any],
    user: int = 0,
    typed: Sequence[str] = (),
    k: int = 10,
) -> None:
    """Novel lists of all models for one user or typed basket; in batch, for the one given."""
    if not is_interactive():
        return show_page(recommendation_page(models, someone(baskets, user, typed), k))
    labels, basket = list(item_labels(baskets.catalogue)), list(typed)
    groups = sorted(set(baskets.catalogue["group"]) - {""})
    picker, ticks, page = user_picker(user, baskets.n_users), _ticks(models), widgets.HTML()
    item = widgets.Combobox(
        options=labels, description="Or add an item", placeholder="type", continuous_update=False
    )
    clear = widgets.Button(description="Empty the basket", layout={"width": "auto"})
    most = min(MAX_K, baskets.n_items)
    length = widgets.IntSlider(k, min=1, max=most, description="K", continuous_update=False)
    group = widgets.Dropdown(options=[EVERYTHING, *groups], description="Group")

    def lists() -> str:
        chosen = {name: model for name, model in models.items() if ticks[name].value}
        only = "" if group.value == EVERYTHING else group.value
        person = someone(baskets, picker.value, basket)
        return recommendation_page(chosen, person, length.value, only) if chosen else note(NO_MODEL)

    def draw() -> None:
        page.value = rendered(lists)

    def add() -> None:
        if name := item.value:
            basket.append(name)
            draw()
            if name not in labels:  # the page says so
                basket.pop()
            item.value = ""

    def empty() -> None:
        basket.clear()
        draw()

    watch([item], add)
    watch([picker], empty)
    watch([length, group, *ticks.values()], draw)
    clear.on_click(lambda button: empty())
    draw()
    choices = [picker, item, clear, length, *([group] if groups else [])]
    show_widget(row(*choices), row(*ticks.values()), page)
