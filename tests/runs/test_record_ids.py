"""Every committed record is found again: its id follows from the settings it stores."""

from dataclasses import replace

import pytest

from nnbr_core.analysis.methods import every_row
from nnbr_core.data.recipe import Recipe
from nnbr_core.paths import project_root
from nnbr_core.reports import recorded
from nnbr_core.runs import records
from nnbr_core.runs.config import Config, configure
from nnbr_core.runs.dataset_facts import read_facts
from nnbr_core.runs.records import Record
from nnbr_core.runs.run import all_records, find_by

STORE = project_root() / "reports" / "runs"
DATASETS = sorted(path.name for path in STORE.iterdir() if not path.name.startswith("."))
# Two runs store DNNTSP's batch size of 64, which was the default then. Today's None is as many of
# TaFeng's users, so they are rightly found as runs with the default.
STORED_A_DEFAULT = ("a5a27cb0be12c6c3", "b26c919cb4baa552")


def config_of(record: Record) -> Config:
    stored = dict(record.config)
    settings, recipe = dict(stored.pop("settings")), Recipe(**stored.pop("recipe"))
    if record.id in STORED_A_DEFAULT:
        assert settings.pop("batch_size") == 64
    return configure(**stored, recipe=recipe, **settings)


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_committed_record_is_found_by_its_settings(dataset):
    paths = sorted((STORE / dataset).glob("*.json"))
    assert paths and len(all_records(dataset, STORE)) == len(paths)  # all of them are whole
    for path in paths:
        record = records.find(path)
        assert find_by(config_of(record), record.data, STORE) is record
        assert record.id == path.stem


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_study_finds_the_records_of_its_data(dataset):
    """All that are about today's whole dataset; every table row among them has its records."""
    study, facts = recorded(dataset), read_facts(dataset)
    own = [record for record in all_records(dataset, STORE) if record.data == facts.fingerprint]
    assert study.facts.fingerprint == facts.fingerprint and own
    for record in own:
        config = config_of(record)
        at = replace(study, seed=config.seed)
        same = at.config(config.model, config.fold, **record.config["settings"])
        wanted = [config if record.id in STORED_A_DEFAULT else same]
        assert at.find(wanted) == [record]
    ids = {record.id for record in own}
    rows = study.rows(every_row()).values()
    assert {one for row in rows for one in row.ids} <= ids
    assert any(row.folds for row in rows)
