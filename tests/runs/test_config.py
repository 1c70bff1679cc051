from dataclasses import dataclass

import pytest

from nnbr_core.baselines.popularity import Popularity
from nnbr_core.data.recipe import Recipe
from nnbr_core.errors import InputError
from nnbr_core.runs.config import configure
from nnbr_core.runs.registry import MODELS, Model


@dataclass(frozen=True)
class Old:
    size: int = 8


@dataclass(frozen=True)
class New:
    size: int = 8
    colour: str = "red"  # an option that came later


def identity_with(settings: type, monkeypatch, **values) -> str:
    monkeypatch.setitem(MODELS, "thing", Model(Popularity, settings))
    return configure("toy", "thing", **values).identity("data")


def test_a_new_option_with_its_default_changes_no_identity(monkeypatch):
    old = identity_with(Old, monkeypatch, size=9)
    assert identity_with(New, monkeypatch, size=9) == old
    assert identity_with(New, monkeypatch, size=9, colour="blue") != old


def test_what_the_model_reads_is_in_its_identity(monkeypatch):
    base = identity_with(Old, monkeypatch)
    for other in ({"size": 9}, {"fold": 1}, {"seed": 1}):
        assert identity_with(Old, monkeypatch, **other) != base
    assert configure("toy", "thing").identity("other data") != base


def test_a_seed_that_changes_nothing_is_not_in_the_identity():
    one, two = (configure("toy", "popularity", seed=seed) for seed in (0, 1))
    assert one.identity("data") == two.identity("data")


def test_the_name_of_the_data_is_not_in_the_identity():
    here, there = (configure(name, "popularity") for name in ("toy", "a.csv"))
    assert here.identity("data") == there.identity("data")


def test_the_quick_profile_fills_in_what_is_not_given(monkeypatch):
    monkeypatch.setitem(MODELS, "thing", Model(Popularity, New, quick={"size": 2}))
    assert configure("toy", "thing", profile="quick").settings == New(size=2)
    assert configure("toy", "thing", profile="quick", size=4).settings == New(size=4)
    assert configure("toy", "thing").settings == New()


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"model": "popularty"}, "unknown model 'popularty': did you mean 'popularity'"),
        ({"profile": "fast"}, "unknown profile 'fast'"),
        ({"scop": "all_users"}, "popularity has no setting 'scop': did you mean 'scope'"),
        ({"scope": 3}, "scope = 3: str is needed"),
        ({"fold": "0"}, "fold = '0': int is needed"),
        ({"fold": True}, "fold = True: int is needed"),
        ({"seed": -1}, "seed = -1: 0 to 18,446"),
    ],
)
def test_what_cannot_be_is_refused_by_name(given, complaint):
    with pytest.raises(InputError, match=complaint):
        configure("toy", **given)


def test_a_config_reads_as_one_line_and_as_plain_values():
    config = configure("tafeng", "last_popularity", 2, labels="explore", recipe=Recipe())
    assert str(config) == "last_popularity, labels explore on tafeng, fold 2"
    windows = configure("dunnhumby", "popularity", recipe=Recipe(window_weeks=8))
    assert str(windows) == "popularity on dunnhumby, window_weeks 8, fold 0"
    assert config.as_dict()["settings"] == {"labels": "explore"}
    assert config.as_dict()["recipe"] == {}
