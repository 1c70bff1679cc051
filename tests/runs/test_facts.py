from dataclasses import asdict

import pytest

from nnbr_core.data.toy import world
from nnbr_core.errors import InputError
from nnbr_core.runs import dataset_facts as facts
from nnbr_core.runs.config import configure

TAFENG = configure("tafeng", "popularity")


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    monkeypatch.setenv("NNBR_DATA", str(tmp_path))
    monkeypatch.setattr(facts, "facts_path", lambda dataset: tmp_path / f"{dataset}.json")


def test_three_users_are_measured(three):
    found = facts.measure(three)
    assert (found.n_users, found.n_folds) == (3, 5)
    assert found.statistics["repeat_ratio"] == 0.5
    assert found.repeat_by_number == {}  # too few baskets for a mean


def test_what_was_recorded_stands_in_for_missing_data(no_data):
    measured = facts.measure(world(100).baskets)
    facts.write_facts("tafeng", measured)
    assert asdict(facts.dataset_facts(TAFENG)) == asdict(measured)


def test_without_data_and_without_facts_it_says_what_is_missing(no_data):
    with pytest.raises(InputError, match="tafeng"):
        facts.dataset_facts(TAFENG)


def test_quick_runs_and_other_recipes_never_use_recorded_facts(no_data):
    facts.write_facts("tafeng", facts.measure(world(100).baskets))
    with pytest.raises(InputError, match="tafeng"):
        facts.dataset_facts(configure("tafeng", "popularity", profile="quick"))
