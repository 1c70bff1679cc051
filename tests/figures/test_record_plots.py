import numpy as np
import pandas as pd
import pytest
from made import by_hand, made_row

from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.analysis.grid_runs import BY_RATIO, scored
from nnbr_core.analysis.swap_tests import against_no_swap
from nnbr_core.figures import runs as record_plots
from nnbr_core.figures.colours import look

CURVES = pd.DataFrame(
    {
        "masking": ["joint"] * 3 + ["basket_all"] * 3,
        "stage": "any",
        "epoch": [1, 2, 3] * 2,
        "seconds": [2.0, 4.0, 6.0, 1.0, 2.0, 3.0],
        "recall@10": [0.1, 0.3, 0.2, 0.4, 0.2, 0.1],
        "id": ["j"] * 3 + ["b"] * 3,
    }
)


def cells(*values: tuple[float, int, float]) -> pd.DataFrame:
    """Scored swap cells: ratio, hop, value; ratio 0 is no swapping."""
    frame = pd.DataFrame(values, columns=["swap_ratio", "swap_hop", "value"])
    ids = [() if np.isnan(value) else (f"run-{value}",) for value in frame["value"]]
    return frame.assign(masking="item_select", over="fold 0", ids=ids)


def test_scores_show_ours_filled_the_papers_hollow_and_what_is_missing():
    rows = {
        "item_select": made_row("item_select", [0.2, 0.4], dataset="tafeng"),
        "joint": made_row("joint"),
    }
    drawn = record_plots.scores(rows, "recall@10")
    ours, theirs = drawn.data
    assert list(ours.x) == [np.mean([0.2, 0.4])] and list(ours.y) == ["item_select"]
    assert ours.marker.symbol == (look("item_select").symbol,)
    assert [ours.error_x.array[0], ours.error_x.arrayminus[0]] == pytest.approx([0.1, 0.1])
    assert dict(zip(theirs.y, theirs.x, strict=True)) == {"item_select": 0.0801, "joint": 0.1057}
    assert theirs.marker.symbol == "circle-open"
    assert [(note.y, note.text) for note in drawn.layout.annotations] == [("joint", "missing")]


def test_scores_without_a_paper_have_no_rings():
    drawn = record_plots.scores({"joint": made_row("joint", [0.2, 0.4])}, "recall@10")
    assert [trace.name for trace in drawn.data] == ["here"]


def test_a_heatmap_shows_missing_cells_as_missing():
    frame = cells((0, 1, 0.2), (0.1, 1, 0.3), (0.1, 5, np.nan), (0.5, 1, 0.1), (0.5, 5, 0.2))
    drawn = record_plots.swap_heatmap(frame, "recall@10")
    shown, absent = drawn.data
    assert [list(line) for line in shown.z] == [[0.3, None], [0.1, 0.2]]  # JSON has no NaN
    assert shown.text.tolist() == [["0.3000", ""], ["0.1000", "0.2000"]]
    assert shown.hovertext.tolist() == [["0.3000", "missing"], ["0.1000", "0.2000"]]
    assert shown.customdata.tolist()[0] == ["run-0.3", "none"]
    assert [list(line) for line in absent.z] == [[None, 0], [None, None]]
    notes = [(note.x, note.y, note.text) for note in drawn.layout.annotations]
    assert notes == [(1, 0, "missing")]  # second column, first row: categories are counted
    assert "item_select: recall@10" in drawn.layout.title.text
    assert "no swap 0.2000" in drawn.layout.title.text


def test_a_relative_heatmap_is_white_at_no_swap():
    drawn = record_plots.swap_heatmap(cells((0, 1, 0.2), (0.1, 1, 0.3), (0.5, 1, 0.2)), "r", True)
    shown = drawn.data[0]
    assert shown.text.tolist() == [["+50.0%"], ["+0.0%"]]
    assert (shown.zmin, shown.zmid, shown.zmax) == (-shown.zmax, 0, 0.3 / 0.2 - 1)


@pytest.mark.filterwarnings("error")
def test_without_a_reference_nothing_is_relative():
    drawn = record_plots.swap_heatmap(cells((0, 1, np.nan), (0.1, 1, 0.3)), "r", True)
    assert drawn.data[0].hovertext.tolist() == [["missing"]]
    assert "no swap missing" in drawn.layout.title.text


def test_cells_that_differ_by_more_than_noise_are_marked():
    frame = cells((0, 1, 0.2), (0.1, 1, 0.3), (0.5, 1, 0.1), (0.9, 1, 0.2))
    sure = {"p_holm": 0.01, "family": 3, "reference": 0.2, "folds": 1}
    compared = {
        (0.1, 1): Comparison("up", difference=0.1, **sure),
        (0.5, 1): Comparison("down", difference=-0.1, **sure),
        (0.9, 1): Comparison("noise", difference=0.0, **sure | {"p_holm": 1.0}),
    }
    drawn = record_plots.swap_heatmap(frame, "recall@10", compared=compared)
    assert drawn.data[0].text.tolist() == [["0.3000 ▲"], ["0.1000 ▼"], ["0.2000"]]
    assert "p Holm 0.010" in drawn.data[0].hovertext[0][0]
    assert record_plots.MARKS in drawn.layout.title.text


def test_all_cells_of_a_heatmap_are_one_family():
    users = [0.1, 0.2] * 20
    better = [0.6, 0.7, 0.6, 0.8] * 10
    frame = by_hand((0.1, 0, 0, users), (0.1, 0.1, 0, better), (0.1, 0.5, 0, users))
    found = against_no_swap(frame, "recall@10")
    assert list(found) == [(0.1, 1), (0.5, 1)] and found[0.1, 1].family == 2
    assert found[0.1, 1].is_up and not found[0.5, 1].is_up and not found[0.5, 1].is_down


def test_ratio_curves_of_two_strategies_stand_beside_each_other():
    one = by_hand((0.1, 0, 0, [0.2, 0.4]))
    both = pd.concat([one, one.assign(masking="item_random")], ignore_index=True)
    drawn = record_plots.ratio_curves(scored(both, BY_RATIO, "recall@10", intervals=True), "r")
    left, right = (line.x[0] for line in drawn.data)
    assert right - left == pytest.approx(record_plots.DODGE)
    assert [line.text[0] for line in drawn.data] == ["mask ratio 0.1"] * 2


def test_ratio_curves_join_what_is_recorded():
    frame = by_hand((0.1, 0, 0, [0.2, 0.4]), (0.5, 0, 0, [0.5, 0.5]), (0.7, 0, 0, None))
    drawn = record_plots.ratio_curves(
        scored(frame, BY_RATIO, "recall@10", intervals=True), "recall@10"
    )
    (line,) = drawn.data
    assert list(line.x) == [0.1, 0.5] and list(line.customdata) == ["0.1 0-0", "0.5 0-0"]
    assert line.line.color == look("item_select").colour
    assert line.error_y.array[1] == 0 and line.error_y.visible


def test_peaks_are_starred_in_epochs_or_seconds():
    for by, peaks in {"epoch": [2, 1], "seconds": [4, 1]}.items():
        drawn = record_plots.learning_curves(CURVES, by)
        stars = [trace for trace in drawn.data if trace.mode == "markers"]
        assert [trace.x[0] for trace in stars] == peaks
        assert [trace.y[0] for trace in stars] == [0.3, 0.4]
        assert by[:5] in drawn.layout.xaxis.title.text


def test_peaks_say_how_much_is_lost_by_the_end():
    table = record_plots.peaks(CURVES)
    assert table["peak epoch"].tolist() == [2, 1]
    assert table["lost by the end"].tolist() == ["33.3%", "75.0%"]


def test_no_curves_give_a_sentence():
    assert record_plots.peaks(CURVES[:0]).empty
    drawn = record_plots.learning_curves(CURVES[:0])
    assert "No training" in drawn.layout.annotations[0].text
