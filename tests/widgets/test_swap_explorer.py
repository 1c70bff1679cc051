"""The swap explorer without a browser: what every control and every finished run changes."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from nnbr_core.analysis import grid_runs
from nnbr_core.analysis.study import Study
from nnbr_core.runs.run import run
from nnbr_core.widgets import swap as swap_widget
from nnbr_core.widgets.swap import SwapExplorer

HINT = "Click a cell"


@pytest.fixture
def study(elsewhere) -> Study:
    return Study(train_missing=False)


def frames(study: Study) -> dict[str, pd.DataFrame]:
    return {name: grid_runs.swap_runs(study, name) for name in ("item_random", "item_select")}


@pytest.fixture
def explorer(study) -> SwapExplorer:
    """Nothing is recorded yet."""
    return SwapExplorer({"toy": study}, {"toy": frames(study)})


def cells(panel) -> np.ndarray:
    return np.array(panel.canvas.shown.data[0].z, dtype=float)


def title(panel) -> str:
    return panel.canvas.shown.layout.title.text


def wait(explorer) -> None:
    thread = explorer.worker.thread
    if thread is not None:
        thread.join(timeout=300)


def click(panel, ratio: str, hop: str) -> None:
    panel.clicked(None, SimpleNamespace(xs=[hop], ys=[ratio]))


def recorded(explorer, masking: str, n_runs: int) -> None:
    """Compute the first runs of a strategy behind the widget's back, and look again."""
    for config in explorer.frames["toy"][masking]["config"][:n_runs]:
        run(config)
    explorer.refresh()


def test_a_missing_cell_has_a_button_of_its_own(explorer, study):
    (panel,) = explorer.panels
    assert np.isnan(cells(panel)).all()
    assert panel.all.description == "Compute all 5 missing, time not known yet"
    assert panel.one.layout.display == "none"
    click(panel, "0.5", "5")
    assert "not recorded" in panel.detail.text.value and panel.one.layout.display == ""
    panel.one.click()
    wait(explorer)
    assert np.isfinite(cells(panel)).tolist() == [[False, False], [False, True]]
    assert "swap_ratio 0.5, swap_hop 5" in panel.detail.text.value
    assert panel.one.layout.display == "none"
    assert len(grid_runs.missing(grid_runs.swap_runs(study, "item_random"))) == 4
    assert panel.all.description.startswith("Compute all 4 missing, about ")
    assert "1 of 1 runs are computed" in explorer.worker.status.value


def test_cells_fill_one_after_the_other_in_the_figure_that_is_there(explorer):
    (panel,) = explorer.panels
    figure, filled = panel.canvas.shown, []
    update = panel.update

    def watched(frames):
        update(frames)
        filled.append(int(np.isfinite(cells(panel)).sum()))

    panel.update = watched
    panel.all.click()
    wait(explorer)
    assert filled == [0, 0, 1, 2, 3, 4, 4]  # started; no swap; four cells; done
    assert panel.canvas.shown is figure and figure.layout.annotations == ()
    assert "no swap 0." in title(panel)
    assert panel.all.description == "Nothing is missing" and panel.all.disabled


def test_stop_ends_after_the_run_and_keeps_the_figure(explorer, monkeypatch):
    (panel,) = explorer.panels
    figure, compute = panel.canvas.shown, Study.compute

    def compute_and_stop(study, configs):
        compute(study, configs)
        explorer.worker.stop.click()

    monkeypatch.setattr(Study, "compute", compute_and_stop)
    panel.all.click()
    wait(explorer)
    assert "1 of 5 runs are computed" in explorer.worker.status.value
    assert panel.canvas.shown is figure and explorer.worker.stop.disabled
    assert not panel.all.disabled


def test_a_failing_run_is_said_and_the_button_comes_back(explorer, monkeypatch):
    def fail(study, configs):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(Study, "compute", fail)
    explorer.panels[0].all.click()
    wait(explorer)
    assert "the disk is full" in explorer.worker.status.value
    assert not explorer.panels[0].all.disabled


def test_another_strategy_or_dataset_clears_what_was_clicked(explorer, study):
    both = SwapExplorer({"toy": study, "shop": study}, explorer.frames | {"shop": frames(study)})
    (panel,) = both.panels
    recorded(both, "item_random", 2)
    for control, other in ((panel.masking, "item_select"), (panel.dataset, "shop")):
        control.value = control.options[0]
        click(panel, "0.1", "1")
        assert HINT not in panel.detail.text.value
        control.value = other
        assert panel.cell.label == "none" and HINT in panel.detail.text.value
        assert panel.detail.canvas.box.children == ()


def test_only_folds_that_exist_are_offered(explorer, study):
    more = {name: frame.assign(fold=0) for name, frame in frames(study).items()}
    three = {
        name: pd.concat([frame.assign(fold=fold) for fold in range(3)])
        for name, frame in more.items()
    }
    both = SwapExplorer({"toy": study, "shop": study}, {"toy": three, "shop": more})
    (panel,) = both.panels
    assert [name for name, _ in panel.fold.options] == ["mean", "fold 0", "fold 1", "fold 2"]
    panel.fold.value = 2
    panel.dataset.value = "shop"
    assert panel.fold.options == (("fold 0", 0),) and panel.fold.value == 0
    assert "item_random" in title(panel)


def test_choices_are_kept_when_the_cell_runs_again(explorer, study):
    (panel,) = explorer.panels
    explorer.metric.value, explorer.relative.value = "ndcg@20", True
    panel.masking.value = "item_select"
    click(panel, "0.5", "5")
    explorer.beside.value = True
    again = SwapExplorer({"toy": study}, {"toy": frames(study)})
    left, right = again.panels
    assert again.beside.value and len(again.area.children) == 2
    assert "item_select: change of ndcg@20" in title(left)
    assert left.cell.value == (0.5, 5)
    assert right.masking.value == "item_random"


def test_a_choice_that_is_gone_is_forgotten(explorer, study):
    explorer.panels[0].masking.value = "item_select"
    one = {"item_random": frames(study)["item_random"]}
    assert SwapExplorer({"toy": study}, {"toy": one}).panels[0].masking.value == "item_random"


def test_two_strategies_stand_side_by_side_and_share_the_metric(explorer):
    explorer.beside.value = True
    left, right = explorer.panels
    explorer.metric.value = "ndcg@10"
    assert [title(one).split("<")[0] for one in (left, right)] == [
        "item_random: ndcg@10",
        "item_select: ndcg@10",
    ]
    explorer.beside.value = False
    assert explorer.area.children == (left.box,)


def test_what_was_computed_for_another_strategy_is_there_when_one_turns_back(explorer):
    (panel,) = explorer.panels
    panel.masking.value = "item_select"
    recorded(explorer, "item_random", 2)
    assert np.isnan(cells(panel)).all()
    panel.masking.value = "item_random"
    assert np.isfinite(cells(panel)).sum() == 1


def test_in_batch_one_plain_heatmap_per_strategy(explorer, monkeypatch):
    kept = []
    monkeypatch.setattr(swap_widget, "display", kept.append)
    monkeypatch.setattr(swap_widget, "is_interactive", lambda: False)
    swap_widget.swap_explorer(explorer.studies["toy"], explorer.frames["toy"])
    assert [one.layout.title.text.split(":")[0] for one in kept] == ["item_random", "item_select"]
