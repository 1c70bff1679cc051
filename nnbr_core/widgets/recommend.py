"""Try something new: pick a shopper or type a basket, and compare what models would show."""

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets

from nnbr_core.analysis.study import is_interactive
from nnbr_core.data.baskets import Baskets
from nnbr_core.figures.baskets import one_user, user_title
from nnbr_core.figures.recommend import recommendation_page, typed_basket
from nnbr_core.widgets._search import ItemSearch
from nnbr_core.widgets._shared import (
    keep_choices,
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
YOURS = "Your basket"


def someone(baskets: Baskets, user: int, typed: Sequence[str]) -> Baskets:
    """The person of the typed basket, or the user if nothing is typed."""
    return typed_basket(baskets.catalogue, typed) if typed else one_user(baskets, user)


def _ticks(models: dict[str, Any]) -> dict[str, widgets.Checkbox]:
    return {
        name: widgets.Checkbox(True, description=name, indent=False, layout={"width": "auto"})
        for name in models
    }


def title_of(baskets: Baskets, user: int, typed: Sequence[str]) -> str:
    return YOURS if typed else user_title(baskets, user)


def recommender(
    baskets: Baskets,
    models: dict[str, Any],
    user: int = 0,
    typed: Sequence[str] = (),
    k: int = 10,
) -> None:
    """Novel lists of all models for one user or typed basket; in batch, for the one given."""
    person = someone(baskets, user, typed)
    if not is_interactive():
        title = title_of(baskets, user, typed)
        return show_page(recommendation_page(models, person, k, title=title))
    groups = sorted(set(baskets.catalogue["group"]) - {""})
    picker, ticks, page = user_picker(user, baskets.n_users), _ticks(models), widgets.HTML()
    search = ItemSearch(baskets.catalogue, typed)
    clear = widgets.Button(description="Empty the basket", layout={"width": "auto"})
    most = min(MAX_K, baskets.n_items)
    length = widgets.IntSlider(k, min=1, max=most, description="K", continuous_update=False)
    group = widgets.Dropdown(options=[EVERYTHING, *groups], description="Group")

    def lists() -> str:
        chosen = {name: model for name, model in models.items() if ticks[name].value}
        if not chosen:
            return note(NO_MODEL)
        only = "" if group.value == EVERYTHING else group.value
        who = baskets, picker.value, search.chosen
        return recommendation_page(chosen, someone(*who), length.value, only, title_of(*who))

    def draw() -> None:
        page.value = rendered(lists)
        clear.disabled = not search.chosen

    def pick() -> None:
        search.clear()
        draw()

    search.observe(lambda change: draw(), "chosen")
    watch([picker], pick)
    watch([length, group, *ticks.values()], draw)
    clear.on_click(lambda button: search.clear())
    kept = [picker, length, group, *ticks.values()]
    name = f"lists of {baskets.fingerprint}, {user}, {typed}, {k}"
    keep_choices(name, {control.description: control for control in kept})
    draw()
    choices = [picker, length, *([group] if groups else []), clear]
    show_widget(row(*choices), search, row(*ticks.values()), page)
