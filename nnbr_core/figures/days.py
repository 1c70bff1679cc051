"""Figures of what dates tell about a dataset. Each takes dated baskets."""

from collections.abc import Iterable

import pandas as pd
import plotly.graph_objects as go
from IPython.display import display

from nnbr_core.data import describe_days
from nnbr_core.data.baskets import Baskets
from nnbr_core.figures.colours import NEUTRAL, REPEAT
from nnbr_core.figures.data import figure
from nnbr_core.figures.show import say

NO_DATES = (
    "This source has the order of baskets, not their dates: nothing can be said about weeks, "
    "seasons or the days between visits."
)
LONGEST_GAP = 60  # days between visits that are drawn
N_SELLERS = 24  # items of the heatmap
ROW = 18  # pixels of the heatmap per item


def dates(days: Iterable[pd.Timestamp]) -> list[str]:
    """As plain text, which any page that shows the figure can read."""
    return [f"{day:%Y-%m-%d}" for day in days]


def visits_per_week(baskets: Baskets) -> go.Figure:
    """A drop at the end is a week that is not over."""
    table = describe_days.visits_per_week(baskets)
    drawn = figure("Visits per week", "week that begins on", "visits")
    return drawn.add_bar(
        x=dates(table["week"]), y=table["visits"], marker_color=NEUTRAL, name="visits"
    )


def days_between_visits(baskets: Baskets) -> go.Figure:
    """Peaks at 7, 14 and 21 are people with a shopping day."""
    table = describe_days.days_between_visits(baskets)
    median = table["days"][(table["share"].cumsum() >= 0.5).idxmax()] if len(table) else 0
    shown = table[table["days"] <= LONGEST_GAP]
    drawn = figure(
        f"Days between visits: half are at most {median} days apart", "days", "share of visits"
    )
    drawn.add_bar(x=shown["days"], y=shown["share"], marker_color=NEUTRAL, name="visits")
    return drawn.update_yaxes(tickformat=".0%")


def repeat_by_gap(baskets: Baskets) -> go.Figure:
    """Who stays away longer: do they buy something new, or stock up on the old?"""
    table = describe_days.repeat_by_gap(baskets)
    labels = [
        str(one.from_days) if one.from_days == one.to_days else f"{one.from_days}–{one.to_days}"
        for one in table.itertuples()
    ]
    title = "Repeat ratio by days since the visit before"
    drawn = figure(title, "days since the visit before", "share bought before")
    drawn.add_bar(
        x=labels,
        y=table["repeat_ratio"],
        marker_color=REPEAT,
        customdata=table["visits"],
        hovertemplate="%{y:.1%} of %{customdata:,} baskets",
        name="repeat",
    )
    return drawn.update_yaxes(tickformat=".0%", range=[0, 1]).update_xaxes(type="category")


def best_sellers(baskets: Baskets) -> go.Figure:
    """Items by weeks: what sells all year is a line, what has a season is a spot."""
    table = describe_days.best_sellers_by_week(baskets, N_SELLERS)
    cells = table.pivot(index="item", columns="week", values="share")
    items = table["item"].unique()
    name = table.drop_duplicates("item").set_index("item")["name"]
    drawn = figure("Best-sellers over time: share of a week's purchases", "week", "")
    drawn.add_heatmap(
        z=cells.loc[items].to_numpy(),
        x=dates(cells.columns),
        y=[f"{name[item]} ({item})" for item in items],
        colorscale="Cividis",
        colorbar={"tickformat": ".1%"},
        hovertemplate="%{y}<br>%{x|%Y-%m-%d}: %{z:.2%}<extra></extra>",
    )
    drawn.update_yaxes(autorange="reversed", automargin=True)
    return drawn.update_layout(height=130 + ROW * len(items))


def last_basket_distances(baskets: Baskets) -> go.Figure:
    """How far the last baskets of two users lie apart: what the split by users reads across."""
    table = describe_days.last_basket_distances(baskets)
    near = table.loc[table["days"] <= 7, "share"].sum()
    drawn = figure(
        f"Last baskets of two users: {near:.0%} of pairs within a week", "days apart", "pairs"
    )
    drawn.add_bar(x=table["days"], y=table["share"], marker_color=NEUTRAL, name="pairs")
    return drawn.update_yaxes(tickformat=".1%")


def show_days(baskets: Baskets) -> None:
    """All of these figures, or a sentence where there are no dates."""
    if baskets.days is None:
        return say(NO_DATES)
    drawings = (visits_per_week, days_between_visits, repeat_by_gap, best_sellers)
    for draw in (*drawings, last_basket_distances):
        display(draw(baskets))
