import numpy as np
import plotly.graph_objects as go
import pytest

from nnbr_core.errors import InputError
from nnbr_core.show.images import is_current, stamp, write_svgs
from nnbr_core.show.plots import figure


def line(values, title: str = "A line") -> go.Figure:
    return figure(title, "x", "y").add_scatter(x=[1, 2], y=values)


def test_a_stamp_changes_with_the_picture_and_not_with_the_last_bit():
    assert stamp(line([0.1, 0.2])) == stamp(line(np.array([0.1, 0.2 * (1 + 1e-12)])))
    assert stamp(line([0.1, 0.2])) != stamp(line([0.1, 0.21]))
    assert stamp(line([0.1, 0.2])) != stamp(line([0.1, 0.2], "Another"))
    assert stamp(line([0.1, np.nan])) == stamp(line([0.1, np.nan]))


@pytest.mark.needs("chromium")
def test_a_figure_is_drawn_once_and_always_the_same(tmp_path):
    first, second = tmp_path / "figures" / "a.svg", tmp_path / "b.svg"
    assert write_svgs({first: line([1, 2])}) == [first]
    svg = first.read_text()
    assert svg.startswith("<svg") and "A line" in svg and stamp(line([1, 2])) in svg
    assert write_svgs({first: line([1, 2])}) == []  # it is up to date
    assert not is_current(first, line([1, 3]))
    write_svgs({second: line([1, 2])})
    assert second.read_text() == svg


def test_without_a_browser_one_sentence_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(InputError, match="drawing figures needs chromium"):
        write_svgs({tmp_path / "a.svg": line([1, 2])})
