"""`sweep rq3` computes what the notebook of that question needs: no run less, none more."""

from dataclasses import replace

import nbformat
import pytest

from nnbr_core.analysis.experiments import EXPERIMENTS, needed, sweep_experiment
from nnbr_core.analysis.study import Study
from nnbr_core.notebooks import all_notebooks, named_notebook
from nnbr_core.runs.run import all_records

NOTEBOOKS = {path.stem.split("_")[0]: path for path in all_notebooks()}
NOTEBOOKS["calendar"] = named_notebook("04_calendar")
PREVIEWED = ("ablations",)  # in full size its notebook shows what is recorded, and trains nothing


def execute(experiment: str, **parameters) -> dict:
    """The notebook of an experiment in this process, with other parameters; its names."""
    cells = nbformat.read(NOTEBOOKS[experiment], as_version=4).cells
    first, *others = [cell.source for cell in cells if cell.cell_type == "code"]
    names: dict = {}
    exec(first, names)
    names |= parameters
    for source in others:
        exec(source, names)
    return names


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_a_notebook_asks_for_the_runs_that_its_sweep_computes(experiment, elsewhere, monkeypatch):
    """Full size, so nothing is trained here: asking is what is compared."""
    asked: dict = {}
    monkeypatch.setattr(Study, "compute", lambda _, configs: asked.update(dict.fromkeys(configs)))
    profile = "quick" if experiment in PREVIEWED else "paper"
    study = execute(experiment, profile=profile, folds=2, train_missing=True)["study"]
    assert set(needed(experiment, study)) == set(asked)


def test_after_a_sweep_its_notebook_finds_every_run(elsewhere, monkeypatch):
    """Swaps are run at the mask ratio that is best in the runs before: two rounds."""
    study = Study(train_missing=True)
    before = needed("rq3", study)
    outcomes = sweep_experiment("rq3", study, workers=1, progress=False)
    assert not any(outcome.error for outcome in outcomes)
    recorded = {record.id for record in all_records("toy", profile="quick")}
    assert recorded == {outcome.id for outcome in outcomes} >= {one.id for one in outcomes}
    assert {outcome.config for outcome in outcomes} >= set(before)
    monkeypatch.setattr(Study, "compute", lambda *_: pytest.fail("something was missing"))
    names = execute("rq3", profile="quick")
    assert names["found"]["swaps"][0].folds == 1
    looked_up = {id for table in names["scored"].values() for ids in table["ids"] for id in ids}
    assert looked_up <= recorded and all(row.n_missing == 0 for row in names["rows"].values())
    again = sweep_experiment("rq3", study, workers=1, progress=False)
    assert all(outcome.was_there for outcome in again)


def test_the_papers_grid_adds_what_takes_part_where_it_is_recorded():
    few = Study("toy", "paper", folds=5, train_missing=False)
    for experiment in ("rq1", "rq2", "rq3", "rq5"):
        small, large = (set(needed(experiment, replace(few, grid=g))) for g in ("few", "paper"))
        assert small < large
