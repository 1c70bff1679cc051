from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from nnbr_core.experiments import questions
from nnbr_core.experiments.study import Study
from nnbr_core.show import swap_widget
from nnbr_core.show.swap_widget import SwapExplorer


@pytest.fixture
def study(elsewhere) -> Study:
    return Study(train_missing=False)


def frames(study: Study) -> dict[str, pd.DataFrame]:
    return {name: questions.swap_runs(study, name) for name in ("item_random", "item_select")}


@pytest.fixture
def explorer(study) -> SwapExplorer:
    """Nothing is recorded yet."""
    return SwapExplorer({"toy": study}, {"toy": frames(study)})


def heatmap(explorer):
    return explorer.canvas.box.children[0].data[0]


def title(explorer) -> str:
    return explorer.canvas.box.children[0].layout.title.text


def wait(explorer) -> None:
    thread = explorer.thread
    if thread is not None:
        thread.join(timeout=120)


def test_missing_cells_are_missing_and_counted(explorer):
    assert [list(line) for line in heatmap(explorer).z] == [[None, None], [None, None]]
    assert explorer.button.description == "Compute 5 missing runs"
    assert not explorer.button.disabled and explorer.stop.disabled
    explorer.clicked(None, SimpleNamespace(xs=["1"], ys=["0.1"]))
    assert "not recorded" in explorer.detail.text.value


def test_the_button_computes_records_and_shows(explorer, study):
    explorer.masking.value = "item_select"
    explorer.compute()
    wait(explorer)
    assert questions.missing(questions.swap_runs(study, "item_select")) == []
    assert len(questions.missing(questions.swap_runs(study, "item_random"))) == 5
    assert np.isfinite(np.array(heatmap(explorer).z, dtype=float)).all()
    assert "5 of 5 runs are computed" in explorer.status.value
    assert explorer.button.disabled and explorer.stop.disabled
    explorer.relative.value = True
    assert "item_select: change of recall@10 against no swap" in title(explorer)
    explorer.clicked(None, SimpleNamespace(xs=["5"], ys=["0.1"]))
    assert "swap_ratio 0.1, swap_hop 5" in explorer.detail.text.value


def test_stopping_keeps_what_is_done(explorer, study, monkeypatch):
    def run_and_stop(config):
        explorer.stopping.set()
        return run(config)

    run = swap_widget.run
    monkeypatch.setattr(swap_widget, "run", run_and_stop)
    explorer.compute()
    wait(explorer)
    assert "1 of 5 runs are computed" in explorer.status.value
    assert len(questions.missing(questions.swap_runs(study, "item_random"))) == 4
    assert explorer.button.description == "Compute 4 missing runs" and not explorer.button.disabled


def test_a_failing_run_is_said(explorer, monkeypatch):
    def fail(config):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(swap_widget, "run", fail)
    explorer.compute()
    wait(explorer)
    assert "the disk is full" in explorer.status.value
    assert not explorer.button.disabled


def test_the_metric_is_in_the_title(explorer):
    explorer.metric.value = "ndcg@20"
    assert "item_random: ndcg@20" in title(explorer)


def test_in_batch_one_plain_heatmap_per_strategy(explorer, monkeypatch):
    kept = []
    monkeypatch.setattr(swap_widget, "display", kept.append)
    monkeypatch.setattr(swap_widget, "is_interactive", lambda: False)
    swap_widget.swap_explorer(explorer.studies["toy"], explorer.frames["toy"])
    assert [figure.layout.title.text.split(":")[0] for figure in kept] == [
        "item_random",
        "item_select",
    ]


def test_another_dataset_has_heatmaps_of_its_own(explorer, study):
    both = SwapExplorer({"toy": study, "shop": study}, explorer.frames | {"shop": frames(study)})
    first = both.frames["toy"]["item_random"]["config"][0]
    swap_widget.run(first)  # the reference without swapping
    recorded = questions.refreshed(study, both.frames["shop"]["item_random"])
    both.frames = both.frames | {"shop": both.frames["shop"] | {"item_random": recorded}}
    assert "no swap missing" in title(both)
    both.dataset.value = "shop"
    assert "no swap 0." in title(both) and both.button.description == "Compute 4 missing runs"


def test_the_widget_offers_every_dataset_with_records(explorer, study, monkeypatch):
    kept = []
    monkeypatch.setattr(swap_widget, "display", kept.append)
    monkeypatch.setattr(swap_widget, "is_interactive", lambda: True)
    monkeypatch.setattr(swap_widget, "elsewhere", lambda study: {"shop": study})
    swap_widget.swap_explorer(study, explorer.frames["toy"])
    (box,) = kept
    assert box.children[0].children[0].options == ("toy", "shop")
