import pandas as pd
import pytest

from nnbr_core.analysis.demo import DEMO_FOLD, LONGER, demo_config
from nnbr_core.analysis.study import Study
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError
from nnbr_core.runs import run as runs
from nnbr_core.runs.config import configure
from nnbr_core.runs.lists import write_lists
from nnbr_core.runs.trained import trained_model

QUICK = configure("toy", "btbr", profile="quick")


def test_everybody_gets_k_items_they_never_bought(elsewhere):
    path = elsewhere / "lists.csv"
    assert write_lists(configure("toy", "popularity"), 5, path) == 3000
    table = pd.read_csv(path, dtype={"user": str, "item": str})
    assert table.groupby("user")["rank"].apply(list).map(lambda r: r == [1, 2, 3, 4, 5]).all()
    toy = world().baskets
    for user, items in table.groupby("user")["item"]:
        bought = {str(item) for basket in toy.lists(int(user)) for item in basket}
        assert not bought & set(items)
    assert table["name"].isin(toy.catalogue["name"]).all()
    assert (table.groupby("user")["score"].diff().dropna() <= 0).all()


def test_cached_weights_are_used_and_missing_ones_trained(elsewhere, monkeypatch):
    record = runs.run(QUICK)
    first = trained_model(QUICK)
    monkeypatch.setattr(runs, "train", lambda *args: pytest.fail("it was trained again"))
    history = runs.data_for(QUICK).histories()
    assert (trained_model(QUICK).score(history) == first.score(history)).all()
    monkeypatch.undo()
    monkeypatch.setenv("NNBR_RUNS", str(elsewhere / "runs"))
    monkeypatch.setattr("nnbr_core.paths.weights", lambda: elsewhere / "other")
    assert (trained_model(QUICK).score(history) == first.score(history)).all()
    assert (elsewhere / "other" / record.id / "weights.safetensors").is_file()


@pytest.mark.parametrize("k", [0, 169])
def test_more_items_than_there_are_cannot_be_listed(elsewhere, k):
    with pytest.raises(InputError, match=f"k = {k}: 1 to 168"):
        write_lists(configure("toy", "popularity"), k, elsewhere / "lists.csv")


def test_a_place_that_cannot_be_written_is_named(elsewhere):
    with pytest.raises(InputError, match="nowhere/lists.csv cannot be written"):
        write_lists(configure("toy", "popularity"), 3, elsewhere / "nowhere" / "lists.csv")


def test_a_model_to_look_at_trains_longer_in_the_quick_profile_only():
    quick, full = (demo_config(Study(profile=name)).settings for name in ("quick", "paper"))
    assert {name: getattr(quick, name) for name in LONGER} == LONGER
    assert full.masking == quick.masking == "joint"
    assert full.epochs == 100


def test_what_is_shown_is_not_the_fold_its_settings_were_picked_on():
    assert demo_config(Study()).fold == DEMO_FOLD != 0
