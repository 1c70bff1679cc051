"""Static pictures of figures."""

import re

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

from nnbr_core import pictures
from nnbr_core.errors import InputError
from nnbr_core.figures.data import figure
from nnbr_core.pictures import PLOTLY, SVG, keep_pictures, picture, stamp, write_pictures


def line(values, title: str = "A line") -> go.Figure:
    return figure(title, "x", "y").add_scatter(x=[1, 2], y=values)


def test_a_stamp_changes_with_the_picture_and_not_with_the_last_bit():
    assert stamp(line([0.1, 0.2])) == stamp(line(np.array([0.1, 0.2 * (1 + 1e-12)])))
    assert stamp(line([0.1, 0.2])) != stamp(line([0.1, 0.21]))
    assert stamp(line([0.1, 0.2])) != stamp(line([0.1, 0.2], "Another"))
    assert stamp(line([0.1, np.nan])) == stamp(line([0.1, np.nan]))


@pytest.mark.needs("chromium")
def test_a_figure_is_always_drawn_the_same_and_shares_no_name_with_another():
    svg, other = picture(line([1, 2])), picture(line([1, 3]))
    assert svg.startswith("<svg") and "A line" in svg and stamp(line([1, 2])) in svg
    assert picture(line([1, 2])) == svg
    names, others = (set(re.findall(r'id="([^"]+)"', one)) for one in (svg, other))
    assert names and others and not names & others


@pytest.fixture
def renderer(monkeypatch):
    before = plotly.io.renderers.default
    yield
    plotly.io.renderers.default = before


@pytest.mark.needs("chromium")
def test_a_displayed_figure_carries_its_picture(renderer):
    assert keep_pictures() == ""
    shown = line([1, 2])._repr_mimebundle_()
    assert set(shown) == {PLOTLY, SVG}
    assert shown[SVG] == picture(line([1, 2]))


def test_without_a_browser_one_sentence_says_so_and_figures_stay(renderer, monkeypatch):
    monkeypatch.setattr(pictures, "has_browser", lambda: False)
    pictures.browser.cache_clear()
    assert keep_pictures().startswith("No Chromium or Chrome is found")
    assert set(line([1, 2])._repr_mimebundle_()) == {PLOTLY}
    with pytest.raises(InputError, match="No Chromium"):
        picture(line([1, 2]))


def test_a_file_is_written_again_only_if_its_figure_changed(tmp_path):
    path = tmp_path / "figures" / "a.svg"
    first, same, changed = (
        f"<svg><!-- {stamped * 16} -->{drawn}</svg>"
        for stamped, drawn in (("a", "one"), ("a", "as another machine draws it"), ("b", "two"))
    )
    assert write_pictures({path: first}) == [path]
    assert write_pictures({path: same}) == [] and path.read_text() == first
    assert write_pictures({path: changed}) == [path] and path.read_text() == changed
