import numpy as np
import plotly.graph_objects as go
import pytest

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.toy import world
from nnbr_core.figures import data as plots
from nnbr_core.figures.colours import NOVEL, REPEAT

FIGURES = [
    plots.basket_sizes,
    plots.baskets_per_user,
    plots.item_popularity,
    plots.repeat_per_user,
    plots.novel_in_last,
    plots.repeat_by_number,
    plots.repeat_by_history,
    plots.popular_overlap,
]


@pytest.fixture(scope="module")
def toy():
    return world(300).baskets


@pytest.mark.parametrize("draw", FIGURES, ids=lambda draw: draw.__name__)
def test_every_figure_has_a_title_named_axes_and_something_to_see(draw, toy):
    figure = draw(toy)
    assert isinstance(figure, go.Figure)
    layout = figure.layout
    assert layout.title.text and layout.xaxis.title.text and layout.yaxis.title.text
    assert all(len(trace.x) == len(trace.y) > 0 for trace in figure.data)


def test_bars_count_what_is_there(three):
    bars = plots.basket_sizes(three).data[0]
    assert dict(zip(bars.x, bars.y, strict=True)) == {1: 4, 2: 5}
    bars = plots.novel_in_last(three).data[0]
    assert dict(zip(bars.x, bars.y, strict=True)) == {0: 1, 1: 1, 2: 1}
    assert "none for 33.3% of users" in plots.novel_in_last(three).layout.title.text


def test_repeat_and_novel_shares_sum_to_one_in_their_own_colours():
    users = [[[0, 1], [1, 2], [1, 2]]] * plots.MIN_GROUP
    repeat, novel = plots.repeat_by_number(Baskets.from_lists(users)).data
    assert list(repeat.y) == [0, 1 / 2, 1]
    assert np.allclose(np.add(repeat.y, novel.y), 1)
    assert (repeat.line.color, novel.line.color) == (REPEAT, NOVEL)


def test_thin_groups_are_not_drawn(three):
    assert len(plots.repeat_by_number(three).data[0].x) == 0


def test_the_popularity_line_starts_at_the_best_seller(toy):
    line = plots.item_popularity(toy).data[0]
    assert line.y[0] == toy.item_counts().max()
    assert line.x[-1] == toy.n_items
