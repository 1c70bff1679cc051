"""Try something new: pick a shopper or type a basket, and compare what models would show."""

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
HINT = "Items typed here stand in for the user: a few letters, choose, Enter."
NO_MODEL = "No model is ticked: tick one to see its list."


def someone(baskets: Baskets, user: int, typed: list[str]) -> Baskets:
    """The person of the typed basket, or the user if nothing is typed."""
    return typed_basket(baskets.catalogue, typed) if typed else one_user(baskets, user)


def recommender(
    baskets: Baskets,
    models: dict[str, Any],
    user: int = 0,
    typed: tuple[str, ...] = (),
    k: int = 10,
) -> None:
    """Novel lists of all models for one user or typed basket; in batch, for the one given."""
    if not is_interactive():
        return show_page(recommendation_page(models, someone(baskets, user, list(typed)), k))
    groups = sorted(set(baskets.catalogue["group"]) - {""})
    picker = user_picker(user, baskets.n_users)
    basket = widgets.TagsInput(
        value=list(typed),
        allowed_tags=list(item_labels(baskets.catalogue)),
        allow_duplicates=False,
        placeholder="an item",
    )
    length = widgets.IntSlider(
        k, min=1, max=min(MAX_K, baskets.n_items), description="K", continuous_update=False
    )
    group = widgets.Dropdown(options=[EVERYTHING, *groups], description="Group")
    ticks = {
        name: widgets.Checkbox(True, description=name, indent=False, layout={"width": "auto"})
        for name in models
    }
    page = widgets.HTML()

    def compared(chosen: dict[str, Any], only: str) -> str:
        person = someone(baskets, picker.value, basket.value)
        return recommendation_page(chosen, person, length.value, only)

    def draw() -> None:
        chosen = {name: model for name, model in models.items() if ticks[name].value}
        only = "" if group.value == EVERYTHING else group.value
        page.value = rendered(lambda: compared(chosen, only)) if chosen else note(NO_MODEL)

    watch([picker, basket, length, group, *ticks.values()], draw)
    draw()
    show_widget(
        row(picker, length, *([group] if groups else [])),
        row(widgets.Label("Basket"), basket, widgets.HTML(HINT)),
        row(*ticks.values()),
        page,
    )
