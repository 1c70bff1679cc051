from types import SimpleNamespace

import plotly.graph_objects as go
import pytest
from made import by_hand, made_record

from nnbr_core.errors import InputError
from nnbr_core.figures.tables import HEADLINE
from nnbr_core.widgets._figure import (
    Canvas,
    Detail,
    curve_of,
    fold_control,
    run_table,
    switched_on,
    switches,
)

EPOCHS = [
    {"stage": "joint", "epoch": epoch, "recall@10": value, "seconds": 1.0}
    for epoch, value in [(1, 0.1), (2, 0.3), (3, 0.2)]
]


@pytest.fixture
def record():
    return made_record(
        "one",
        [0.25, 0.75],
        curve=EPOCHS,
        description="btbr, masking joint on toy",
        seconds=12.4,
        test=dict.fromkeys(HEADLINE, 0.5),
        config={"settings": {"masking": "joint"}},
    )


def test_a_run_shows_its_settings_id_and_metrics(record):
    page = run_table([record])
    for text in ("one-0", "btbr, masking joint on toy", "12", "recall@10", "0.5000"):
        assert f">{text}<" in page
    assert "not recorded" in run_table([])


def test_a_run_shows_its_curve(record):
    line, star = curve_of(record).data
    assert list(line.y) == [0.1, 0.3, 0.2] and (star.x[0], star.y[0]) == (2, 0.3)


def test_a_figure_of_another_kind_is_drawn_anew_and_the_old_one_closed():
    figures = iter([go.Figure(go.Bar(y=[1])), go.Figure(go.Scatter(y=[2]))])
    canvas = Canvas(lambda: next(figures))
    canvas.redraw()
    first = canvas.box.children[0]
    canvas.redraw()
    second = canvas.box.children[0]
    assert (first.data[0].type, second.data[0].type) == ("bar", "scatter")
    assert first.comm is None and second.comm is not None
    assert second._config["responsive"]


def test_a_figure_of_the_same_kind_changes_where_it_stands():
    note = {"text": "missing", "x": 0, "y": 0}
    before = go.Figure(go.Heatmap(z=[[None]]), {"annotations": [note], "title": {"text": "a"}})
    after = go.Figure(go.Heatmap(z=[[2]]), {"title": {"text": "b"}})
    figures = iter([before, after])
    canvas = Canvas(lambda: next(figures))
    canvas.redraw()
    first = canvas.box.children[0]
    canvas.redraw()
    assert canvas.box.children[0] is first and first.comm is not None
    assert [list(line) for line in first.data[0].z] == [[2]]
    assert first.layout.title.text == "b" and first.layout.annotations == ()


def test_an_error_is_shown_in_the_figures_place():
    def fail():
        raise InputError("there is no such run")

    canvas = Canvas(fail)
    canvas.redraw()
    assert "there is no such run" in canvas.box.children[0].value


def test_an_error_of_a_click_is_shown_below_the_figure():
    canvas = Canvas(lambda: go.Figure(go.Scatter(x=[1], y=[1])), lambda trace, points: 1 / 0)
    canvas.redraw()
    canvas._click(None, SimpleNamespace(point_inds=[0]))
    assert "ZeroDivisionError" in canvas.box.children[-1].value


def test_a_detail_shows_the_run_and_its_curve(record):
    detail = Detail("Click something.")
    assert "Click something." in detail.text.value
    detail.show([record])
    assert "one-0" in detail.text.value
    assert list(detail.canvas.box.children[0].data[0].y) == [0.1, 0.3, 0.2]
    detail.show([])
    assert "not recorded" in detail.text.value and detail.canvas.box.children == ()


def test_controls_offer_the_mean_first_and_strategies_by_name():
    control = fold_control([0, 1])
    assert fold_control([0]).options == (("fold 0", 0),)
    assert control.value is None and [value for _, value in control.options] == [None, 0, 1]
    one = switches(["item_select", "joint"])
    frame = by_hand((0.1, 0, 0, [0.5]))
    assert len(switched_on(frame, one)) == 1
    one["item_select"].value = False
    assert len(switched_on(frame, one)) == 0
