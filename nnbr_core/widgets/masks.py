"""See what a masker hides and a swap moves, and what a trained model makes of the rest."""

from dataclasses import replace
from html import escape
from typing import NamedTuple

import ipywidgets as widgets

from nnbr_core.analysis.study import Study, is_interactive
from nnbr_core.btbr import Btbr
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import choose
from nnbr_core.figures.baskets import CELL
from nnbr_core.figures.masks import Example, example, hidden_items, masked_baskets, predictions
from nnbr_core.masking import BASKET_VIEWS
from nnbr_core.settings import choices_of
from nnbr_core.widgets._shared import (
    by_dataset,
    keep_choices,
    rendered,
    row,
    show_page,
    user_picker,
    watch,
)

STEP = 0.05  # of both ratios


class Controls(NamedTuple):
    user: widgets.BoundedIntText
    masking: widgets.Dropdown
    mask_ratio: widgets.FloatSlider
    swap_ratio: widgets.FloatSlider
    swap: widgets.Dropdown
    swap_hop: widgets.BoundedIntText
    seed: widgets.BoundedIntText


def _ratio(value: float, least: float, most: float, label: str) -> widgets.FloatSlider:
    return widgets.FloatSlider(
        value, min=least, max=most, step=STEP, description=label, continuous_update=False
    )


def maskers() -> list[str]:
    """What can be shown: every masking of one stage that there is at this moment."""
    names = choices_of(BtbrSettings, "masking")
    return [name for name in names if len(BtbrSettings(masking=name).stages()) == 1]


def _controls(baskets: Baskets, user: int, settings: BtbrSettings, seed: int) -> Controls:
    narrow, middling = {"width": "8em"}, {"width": "16em"}
    hops = int(baskets.baskets_per_user.max())
    return Controls(
        user_picker(user, baskets.n_users),
        widgets.Dropdown(
            options=maskers(), value=settings.masking, description="Masker", layout=middling
        ),
        _ratio(settings.mask_ratio, STEP, 1 - STEP, "Mask ratio"),
        _ratio(settings.swap_ratio, 0, 1, "Swap ratio"),
        widgets.Dropdown(
            options=choices_of(BtbrSettings, "swap"),
            value=settings.swap,
            description="Swap",
            layout=middling,
        ),
        widgets.BoundedIntText(
            settings.swap_hop, min=1, max=hops, description="Hop", layout=narrow
        ),
        widgets.BoundedIntText(seed, min=0, max=2**31, description="Seed", layout=narrow),
    )


def _chosen(controls: Controls, settings: BtbrSettings) -> BtbrSettings:
    """One stage's settings; neither ratio means anything to a basket-level masker."""
    is_basket_level = controls.masking.value in BASKET_VIEWS
    for control in (controls.mask_ratio, controls.swap_ratio, controls.swap, controls.swap_hop):
        control.disabled = is_basket_level
    (stage,) = replace(
        settings,
        masking=controls.masking.value,
        mask_ratio=controls.mask_ratio.value,
        swap=controls.swap.value,
        swap_ratio=0.0 if is_basket_level else controls.swap_ratio.value,
        swap_hop=controls.swap_hop.value,
    ).stages()
    return stage


def guess_page(model: Btbr, one: Example, mask: int) -> str:
    """HTML: what the model would say at one mask, and what is true."""
    table = predictions(model, one, mask).reset_index()
    page = table.to_html(index=False, border=0, justify="left")
    for cell in ("<th>", "<td>"):  # inside a widget, tables have no look of their own
        page = page.replace(cell, f'{cell[:-1]} style="{CELL}">')
    return "<b>What the model would put there</b>" + page


def mask_page(
    baskets: Baskets, user: int, stage: BtbrSettings, seed: int, model: Btbr | None
) -> str:
    """All of it without controls: the baskets, and the model's guesses at the first mask."""
    one = example(baskets, user, stage, seed)
    if model is None:
        return masked_baskets(one)
    label, mask = next(iter(hidden_items(one.items).items()))
    asked = f"<p>Hidden item: {escape(label)}</p>"
    return masked_baskets(one) + asked + guess_page(model, one, mask)


def mask_browser(
    baskets: Baskets, user: int, settings: BtbrSettings, seed: int, model: Btbr | None = None
) -> widgets.VBox:
    """Choose a user, what is hidden and what is moved; with a model, ask it for a hidden item."""
    controls = _controls(baskets, user, settings, seed)
    hidden = widgets.Dropdown(description="Hidden item", layout={"width": "24em"})
    shown, guessed = widgets.HTML(), widgets.HTML()

    def current() -> Example:
        return example(
            baskets, controls.user.value, _chosen(controls, settings), controls.seed.value
        )

    def guess() -> None:
        mask = hidden.value
        asks = mask is not None
        guessed.value = rendered(lambda: guess_page(model, current(), mask)) if asks else ""

    def masked() -> str:
        one = current()
        hidden.options = hidden_items(one.items)
        hidden.index = 0  # which asks the model; something is always hidden
        return masked_baskets(one)

    def draw() -> None:
        hidden.options = ()
        shown.value = rendered(masked)

    name = f"masks of {baskets.fingerprint}, {user}, {settings}, {seed}"
    keep_choices(name, {control.description: control for control in controls})
    watch(controls, draw)
    if model is not None:
        watch([hidden], guess)
    draw()
    asked = [row(hidden), guessed] if model is not None else []
    return widgets.VBox([row(*controls), shown, *asked])


def mask_explorer(
    study: Study, user: int, settings: BtbrSettings, seed: int = 0, model: Btbr | None = None
) -> None:
    """What is hidden and moved, in any dataset that is here; the model belongs to the study's."""
    choose("masker", settings.masking, maskers())
    if not is_interactive():
        return show_page(mask_page(study.baskets, user, *settings.stages(), seed, model))

    def build(baskets: Baskets) -> widgets.VBox:
        own = model if baskets is study.baskets else None
        return mask_browser(baskets, min(user, baskets.n_users - 1), settings, seed, own)

    by_dataset(study, build)
