"""Settings are declared once: checks, help and menus follow for every model."""

from dataclasses import dataclass, fields

import pytest

from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError
from nnbr_core.masking import MASKERS
from nnbr_core.runs.registry import MODELS
from nnbr_core.settings import (
    COUNT,
    DROPOUT,
    SEED,
    Settings,
    checked,
    choices_of,
    help_line,
    kinds,
    parsed,
    setting,
)

ALL = {name: kind.settings for name, kind in MODELS.items()} | {"recipe": Recipe}


@dataclass(frozen=True)
class Shop(Settings):
    rooms: int = setting(2, "how many", COUNT)
    discount: float | None = setting(None, "share of the price; None: no sale", DROPOUT)
    open: str = setting("day", "when", choices=["day", "night"], joined_by="+")
    is_small: bool = True  # declared without help, as in a cell


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"rooms": 0}, "rooms = 0: 1 to 1,000,000 is needed"),
        ({"rooms": 2.0}, "rooms = 2.0: int is needed"),
        ({"rooms": True}, "rooms = True: int is needed"),
        ({"discount": 1.0}, "discount = 1.0: at least 0, below 1 is needed"),
        ({"discount": float("nan")}, "discount = nan: at least 0, below 1 is needed"),
        ({"discount": "none"}, "discount = 'none': float or nothing is needed"),
        ({"open": "day+nigt"}, "unknown open 'nigt': did you mean 'night'?"),
        ({"is_small": 1}, "is_small = 1: bool is needed"),
    ],
)
def test_a_wrong_value_is_one_sentence_with_field_value_and_range(wrong, sentence):
    with pytest.raises(InputError) as error:
        Shop(**wrong)
    assert str(error.value) == sentence


def test_what_is_allowed_passes_at_the_edges_too():
    shop = Shop(rooms=1_000_000, discount=0, open="night+day")
    assert (shop.rooms, shop.discount, shop.open) == (1_000_000, 0, "night+day")


def test_help_says_meaning_range_or_choices_and_default():
    rooms, discount, opening, small = map(help_line, fields(Shop))
    assert rooms == "how many; 1 to 1,000,000; default: 2"
    assert discount == "share of the price; None: no sale; at least 0, below 1; default: None"
    assert opening == "when; one of day, night, or several joined by '+'; default: day"
    assert small == "true or false; default: True"


def test_menus_are_filled_from_the_declaration():
    assert choices_of(Shop, "open") == ["day", "night"] and choices_of(Shop, "rooms") == []
    assert choices_of(BtbrSettings, "swap") == ["code", "within"]


def test_a_masker_added_later_is_a_choice(monkeypatch):
    monkeypatch.setitem(MASKERS, "mine", MASKERS["item_select"])
    assert "mine" in choices_of(BtbrSettings, "masking")
    assert BtbrSettings(masking="mine+basket_all").stage_names == ["mine", "basket_all"]


@pytest.mark.parametrize("name", ALL)
def test_every_field_has_help_and_every_number_has_limits(name):
    for f in fields(ALL[name]):
        assert f.metadata["help"], f.name
        if {int, float} & set(kinds(f.type)):
            assert str(f.metadata["limits"]), f.name


IMPOSSIBLE = {
    "dim": [0, -8, 10**9],
    "heads": [0, -1],
    "layers": [0, 10**9],
    "learning_rate": [0.0, -1.0, float("nan"), float("inf")],
    "dropout": [-0.1, 1.0, float("nan")],
    "mask_ratio": [0.0, 1.0, float("nan")],
    "swap_ratio": [-0.1, 1.1],
    "swap_hop": [0],
    "alpha": [-0.1, 1.1],
    "epochs": [0, -1],
    "patience": [0],
    "batch_size": [0, 10**12],
    "labels": ["novel"],
    "n_neighbours": [-1],
    "shrinkage": [float("inf")],
    "power": [0.0, float("nan")],
    "first_users": [0.0, float("nan")],
}


@pytest.mark.parametrize("name", ALL)
def test_every_model_refuses_impossible_values_by_name(name):
    for field in fields(ALL[name]):
        for value in IMPOSSIBLE.get(field.name, []):
            with pytest.raises(InputError, match=f"{field.name}.*{value}"):
                ALL[name](**{field.name: value})


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_that_no_generator_takes_is_refused(seed, three):
    sentence = f"seed = {seed}: 0 to 18,446,744,073,709,551,615 is needed"
    for kind in MODELS.values():
        with pytest.raises(InputError, match=sentence):
            kind.make(kind.settings(), three, seed)
    assert checked("seed", 2**64 - 1, int, SEED) == 2**64 - 1


def test_types_are_checked_and_whole_numbers_pass_as_floats():
    assert type(checked("ratio", 1, float)) is float
    assert checked("limit", None, int | None) is None
    with pytest.raises(InputError, match="limit = 'x': int or nothing is needed"):
        checked("limit", "x", int | None)


def test_typed_text_becomes_the_annotated_type():
    assert parsed("--n", "7", int | None) == 7
    assert parsed("--share", "0.5", float) == 0.5
    assert parsed("--flag", "False", bool) is False
    for text, kind in (("x", int), ("maybe", bool)):
        with pytest.raises(InputError, match=f"--n = '{text}'"):
            parsed("--n", text, kind)
