"""Figures of a dataset. Each takes baskets and gives a plain plotly figure."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio

from nnbr_core.data import describe
from nnbr_core.data.baskets import Baskets
from nnbr_core.figures.colours import CLEAR, LINES, NEUTRAL, NOVEL, REPEAT, TEXT

HEIGHT = 380
MIN_GROUP = 10  # means over fewer users than this are not drawn
N_STEPS = 20  # bars between a ratio of 0 and 1
Z_95 = 1.96  # standard errors on either side of a 95 % interval

AXIS = {"gridcolor": LINES, "linecolor": LINES, "zerolinecolor": LINES}


def _template() -> go.layout.Template:
    """Plotly's plain look without its white: what can be read on light and on dark."""
    plain = go.layout.Template(pio.templates["plotly_white"])
    clear = {"paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR, "font": {"color": TEXT}}
    plain.layout.update(clear | {"xaxis": AXIS, "yaxis": AXIS})
    return plain


def figure(title: str, x: str, y: str, **layout) -> go.Figure:
    """An empty figure with a title and named axes, in the house look."""
    return go.Figure(
        layout=go.Layout(
            title={"text": title},
            xaxis_title=x,
            yaxis_title=y,
            template=_template(),
            height=HEIGHT,
            margin={"l": 60, "r": 20, "t": 60, "b": 50},
            legend={"orientation": "h", "y": 1.08, "x": 1, "xanchor": "right"},
            **layout,
        )
    )


def _counts(values: np.ndarray, title: str, x: str, y: str) -> go.Figure:
    found, how_many = np.unique(values, return_counts=True)
    drawn = figure(title, x, y, bargap=0.05)
    return drawn.add_bar(x=found, y=how_many, marker_color=NEUTRAL, name=y)


def basket_sizes(baskets: Baskets) -> go.Figure:
    sizes = baskets.basket_sizes
    title = f"Basket size: {sizes.mean():.2f} items on average"
    return _counts(sizes, title, "items in a basket", "baskets")


def baskets_per_user(baskets: Baskets) -> go.Figure:
    numbers = baskets.baskets_per_user
    title = f"Baskets per user: {numbers.mean():.2f} on average"
    return _counts(numbers, title, "baskets of a user", "users")


def item_popularity(baskets: Baskets) -> go.Figure:
    """Purchases by popularity rank, both axes logarithmic: a straight line is a power law."""
    counts = np.sort(baskets.item_counts())[::-1]
    ranks = np.unique(np.geomspace(1, len(counts), 300).astype(int))  # enough for a smooth line
    drawn = figure("Item popularity", "popularity rank", "baskets that hold the item")
    drawn.add_scatter(x=ranks, y=counts[ranks - 1], mode="lines", line_color=NEUTRAL, name="items")
    return drawn.update_xaxes(type="log").update_yaxes(type="log")


def repeat_per_user(baskets: Baskets) -> go.Figure:
    """How repetitive users are: the distribution behind the mean repeat ratio."""
    ratio = describe.last_basket_table(baskets)["repeat_ratio"]
    title = f"Repeat ratio of the last basket: {ratio.mean():.3f} on average"
    steps = (ratio * N_STEPS).round() / N_STEPS  # so that 0 and 1 have bars of their own
    drawn = _counts(steps.to_numpy(), title, "share of the last basket bought before", "users")
    return drawn.update_traces(marker_color=REPEAT).update_xaxes(tickformat=".0%")


def _mean_band(table: pd.DataFrame, by: str, title: str, x: str) -> go.Figure:
    """Mean repeat and explore ratio by a column, with 95 % bands; thin groups are left out."""
    groups = table.groupby(by)["repeat_ratio"].agg(["mean", "sem", "size"])
    groups = groups[groups["size"] >= MIN_GROUP]
    drawn = figure(title, x, "share of the basket", yaxis={"range": [0, 1], "tickformat": ".0%"})
    for name, colour, mean in (
        ("repeat", REPEAT, groups["mean"]),
        ("novel", NOVEL, 1 - groups["mean"]),
    ):
        half = Z_95 * groups["sem"].fillna(0)
        drawn.add_scatter(
            x=groups.index,
            y=mean,
            name=name,
            mode="lines+markers",
            line_color=colour,
            error_y={"type": "data", "array": half, "thickness": 1},
            customdata=groups["size"],
            hovertemplate="%{y:.1%} of %{customdata} baskets",
        )
    return drawn


def repeat_by_number(baskets: Baskets) -> go.Figure:
    """The first basket is all novel; how fast does that fade?"""
    table = describe.basket_table(baskets)
    return _mean_band(table, "number", "Repeat and novel items by basket number", "basket number")


def repeat_by_history(baskets: Baskets) -> go.Figure:
    """For whom is the last basket novel: for newcomers or for everybody?"""
    table = describe.last_basket_table(baskets)
    title = "Repeat and novel items in the last basket, by history length"
    return _mean_band(table, "n_history", title, "baskets before the last one")


def novel_in_last(baskets: Baskets) -> go.Figure:
    """How many right answers there are to find, per user."""
    n_novel = describe.last_basket_table(baskets)["n_novel"]
    without = (n_novel == 0).mean()
    drawn = _counts(
        n_novel.to_numpy(),
        f"Novel items in the last basket: none for {without:.1%} of users",
        "novel items in the last basket",
        "users",
    )
    return drawn.update_traces(marker_color=NOVEL)


def popular_overlap(baskets: Baskets) -> go.Figure:
    """Are the best-sellers of last baskets those of histories? Far below 100 %: a late shift."""
    table = describe.popular_overlap(baskets)
    drawn = figure(
        "Best-sellers that histories and last baskets share",
        "number of best-sellers compared",
        "share in both lists",
        yaxis={"range": [0, 1], "tickformat": ".0%"},
        xaxis={"type": "category"},
    )
    return drawn.add_bar(
        x=table["n"].astype(str),
        y=table["overlap"],
        marker_color=NEUTRAL,
        text=[f"{share:.0%}" for share in table["overlap"]],
        name="overlap",
    )
