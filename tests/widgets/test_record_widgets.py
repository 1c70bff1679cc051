from types import SimpleNamespace

import pandas as pd
import pytest
from made import by_hand

from nnbr_core.figures.tables import HEADLINE
from nnbr_core.widgets import runs as record_widgets
from nnbr_core.widgets.runs import CurveExplorer, RatioExplorer

EPOCHS = [{"stage": "a", "epoch": 1, "recall@10": 0.2, "seconds": 3.0}]
DETAILS = {
    "curve": EPOCHS,
    "seconds": 3.0,
    "test": dict.fromkeys(HEADLINE, 0.5),
    "config": {"settings": {"masking": "item_select"}},
}


@pytest.fixture
def frame() -> pd.DataFrame:
    """item_select at two mask ratios, two folds of the first; item_random at one ratio."""
    select = by_hand((0.1, 0, 0, [0.2, 0.4]), (0.1, 0, 1, [0.6, 0.8]), (0.5, 0, 0, [0.5, 0.5]))
    random = by_hand((0.1, 0, 0, [0.1, 0.1]), (0.1, 0, 1, None)).assign(masking="item_random")
    both = pd.concat([select, random], ignore_index=True)
    for record in both["record"].dropna():
        record.__dict__.update(DETAILS)
    return both


def shown(explorer):
    return explorer.canvas.box.children[0]


def lines(explorer) -> dict[str, list[float]]:
    return {trace.name: list(trace.y) for trace in shown(explorer).data if "lines" in trace.mode}


def test_ratios_follow_fold_and_strategy(frame):
    explorer = RatioExplorer(frame)
    shared = {"item_random": pytest.approx([0.1]), "item_select": pytest.approx([0.3, 0.5])}
    assert lines(explorer) == shared  # the fold that all have
    assert "fold 0" in shown(explorer).layout.title.text
    explorer.fold.value = 1
    assert lines(explorer) == {"item_random": [], "item_select": pytest.approx([0.7])}
    assert "fold 1" in shown(explorer).layout.title.text
    explorer.switches["item_random"].value = False
    assert list(lines(explorer)) == ["item_select"]


def test_ratios_follow_metric_and_intervals(frame):
    explorer = RatioExplorer(frame)
    assert shown(explorer).data[1].error_y.visible
    explorer.intervals.value = False
    assert not shown(explorer).data[1].error_y.visible
    explorer.metric.value = "hit_rate@10"
    assert "hit_rate@10" in shown(explorer).layout.title.text
    assert lines(explorer)["item_select"] == [1, 1]


def test_nothing_switched_on_gives_a_sentence(frame):
    explorer = RatioExplorer(frame)
    for switch in explorer.switches.values():
        switch.value = False
    assert "No run is recorded" in shown(explorer).layout.annotations[0].text


def test_a_clicked_point_shows_its_run_and_curve(frame):
    explorer = RatioExplorer(frame)
    explorer.fold.value = 0
    explorer.clicked(shown(explorer).data[1], SimpleNamespace(point_inds=[1]))
    assert "0.5 0-0" in explorer.detail.text.value
    assert list(explorer.detail.canvas.box.children[0].data[0].y) == [0.2]


def test_curves_follow_strategy_and_axis(frame):
    explorer = CurveExplorer(frame[frame["fold"] == 0].drop_duplicates("masking"))
    assert set(lines(explorer)) == {"item_random", "item_select"}
    assert list(shown(explorer).data[0].x) == [1]
    explorer.by.value = "seconds"
    assert list(shown(explorer).data[0].x) == [3.0]
    explorer.switches["item_random"].value = False
    assert list(lines(explorer)) == ["item_select"]


def test_curves_without_runs_give_a_sentence():
    explorer = CurveExplorer(by_hand((0.1, 0, 0, None)))
    assert "No training" in shown(explorer).layout.annotations[0].text


@pytest.mark.parametrize("is_interactive", [True, False])
def test_in_batch_the_plain_figure_is_shown(frame, is_interactive, monkeypatch):
    kept = []
    monkeypatch.setattr("nnbr_core.widgets._shared.display", kept.append)
    monkeypatch.setattr(record_widgets, "is_interactive", lambda: is_interactive)
    monkeypatch.setattr(record_widgets, "display", kept.append)
    record_widgets.mask_ratio_explorer(frame)
    record_widgets.learning_curve_explorer(frame[:1])
    kind = "VBox" if is_interactive else "Figure"
    assert [type(one).__name__ for one in kept] == [kind, kind]
