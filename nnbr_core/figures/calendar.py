"""Both protocols as a picture, and the leak meter: scores side by side."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nnbr_core.analysis.calendar import YARDSTICK, order_agreement
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.calendar import HORIZON, as_date
from nnbr_core.figures.colours import BLUE, NEUTRAL, ORANGE, VERMILION
from nnbr_core.figures.data import HEIGHT, figure
from nnbr_core.figures.runs import ABOVE, BELOW, ROW_HEIGHT, nothing
from nnbr_core.figures.tables import NONE, score, with_error
from nnbr_core.runs.config import CALENDAR, USERS

N_DRAWN = 8  # shoppers in the picture
N_TESTED = 2  # of them are test users of the split by users
DOTS = {  # what a basket is, and how it is drawn
    "read": (BLUE, "circle"),
    "read, and later than the basket to predict": (VERMILION, "circle"),
    "to predict": (ORANGE, "star"),
    "never read": (NEUTRAL, "circle-open"),
}
READ, LEAK, WANTED, UNREAD = DOTS
COLOURS = {USERS: VERMILION, CALENDAR: BLUE}


def _by_users(days: list[np.ndarray]) -> list[np.ndarray]:
    """What each basket of each shopper is; the first shoppers are tested."""
    earliest = min(own[-1] for own in days[:N_TESTED])
    kinds = []
    for number, own in enumerate(days):
        is_tested = number < N_TESTED
        kind = np.where((own >= earliest) & (not is_tested), LEAK, READ).astype(object)
        if is_tested:
            kind[-1] = WANTED
        kinds.append(kind)
    return kinds


def _by_calendar(days: list[np.ndarray], cutoff: int, horizon: int) -> list[np.ndarray]:
    kinds = []
    for own in days:
        kind = np.where(own < cutoff, READ, UNREAD).astype(object)
        ahead = np.flatnonzero((own >= cutoff) & (own < cutoff + horizon))
        kind[ahead[:1]] = WANTED
        kinds.append(kind)
    return kinds


def _longest(baskets: Baskets) -> np.ndarray:
    """Some shoppers with a typical number of baskets, spread over the dataset."""
    n = baskets.baskets_per_user
    many = np.flatnonzero(n >= max(2, np.median(n)))
    return many[np.linspace(0, len(many) - 1, min(N_DRAWN, len(many))).astype(int)]


def protocols(baskets: Baskets, cutoff: int, horizon: int = HORIZON) -> go.Figure:
    """Some shoppers' visits, one line each: what either protocol lets a method read.

    Above: two shoppers are tested, and all that the others ever bought may be read. Below:
    everybody is tested, and nothing from the cut-off on is read.
    """
    users = _longest(baskets)
    days = [np.asarray(baskets.select([user]).dated) for user in users]
    panels = {"Split by users": _by_users(days), "Split by calendar": None}
    panels["Split by calendar"] = _by_calendar(days, cutoff, horizon)
    drawn = make_subplots(rows=2, shared_xaxes=True, subplot_titles=list(panels))
    names = [f"shopper {number}" for number in range(1, len(users) + 1)]
    for row, kinds in enumerate(panels.values(), start=1):
        for what, (colour, symbol) in DOTS.items():
            at = [(d, n) for own, kind, n in zip(days, kinds, names, strict=True)
                  for d, k in zip(own, kind, strict=True) if k == what]  # fmt: skip
            drawn.add_scatter(
                x=[str(as_date(day)) for day, _ in at],
                y=[name for _, name in at],
                mode="markers",
                marker={"color": colour, "symbol": symbol, "size": 11 if what == WANTED else 7},
                name=what,
                legendgroup=what,
                showlegend=row == (2 if what == UNREAD else 1),
                row=row,
                col=1,
            )
    for day, text in ((cutoff - horizon, "V"), (cutoff, "T")):
        drawn.add_vline(x=str(as_date(day)), line={"dash": "dot", "color": NEUTRAL}, row=2, col=1)
        drawn.add_annotation(
            x=str(as_date(day)), y=1, yref="y2 domain", text=text, showarrow=False, yanchor="bottom"
        )
    drawn.update_yaxes(type="category", categoryorder="array", categoryarray=names[::-1])
    drawn.update_layout(figure("", "", "").layout.to_plotly_json() | {"height": 1.5 * HEIGHT})
    title = "What a method may read: by users, and by calendar"
    drawn.update_layout(title={"text": title}, legend=BELOW, xaxis_title="", yaxis_title="")
    return drawn


def leak_meter(table: pd.DataFrame) -> go.Figure:
    """Every method split either way, with 95 % intervals, from `analysis.calendar.leak_table`."""
    if table.empty:
        return nothing("No method is recorded both ways yet.")
    title = "recall@10 of novel items, split by users and by calendar"
    drawn = figure(title, "mean recall@10, 95 % intervals", "")
    for protocol, own in table.groupby("protocol", sort=False):
        drawn.add_scatter(
            x=own["value"],
            y=own["method"],
            mode="markers",
            marker={"color": COLOURS[protocol], "size": 10},
            error_x={
                "type": "data",
                "array": own["high"] - own["value"],
                "arrayminus": own["value"] - own["low"],
                "color": COLOURS[protocol],
                "thickness": 1,
            },
            name=f"by {protocol}",
        )
    order = table["method"].unique()[::-1]
    drawn.update_yaxes(categoryorder="array", categoryarray=order, automargin=True)
    return drawn.update_layout(height=130 + ROW_HEIGHT * len(order), legend=ABOVE)


def leak_columns(table: pd.DataFrame, is_preview: bool = False) -> pd.DataFrame:
    """The leak meter as a table: scores, places and the lead over popularity, either way."""
    shown = {}
    for one in table.itertuples():
        row = shown.setdefault(one.method, {})
        row[f"by {one.protocol}"] = with_error(one.value, one.low, one.high)
        row[f"lead over popularity, by {one.protocol}"] = f"{one.lead - 1:+.0%}"
        row[f"place by {one.protocol}"] = NONE if is_preview else int(one.place)
    frame = pd.DataFrame(shown).T
    return frame.drop(columns=[c for c in frame if is_preview and c.startswith("place")])


def leak_sentence(table: pd.DataFrame) -> str:
    """Which method loses most of its lead over popularity?"""
    leads = table.pivot(index="method", columns="protocol", values="lead").drop(
        YARDSTICK, errors="ignore"
    )
    if leads.empty:
        return "No method is recorded both ways beside popularity."
    lost = leads[USERS] - leads[CALENDAR]
    name = lost.idxmax()
    was, left = leads.loc[name, USERS] - 1, leads.loc[name, CALENDAR] - 1
    n = table.groupby("protocol")["n_users"].max()
    return (
        f"{name} depends most on the calendar: {was:+.0%} over popularity split by users, "
        f"{left:+.0%} by calendar ({n[USERS]:,.0f} and {n[CALENDAR]:,.0f} shoppers)."
    )


def order_sentence(table: pd.DataFrame, is_preview: bool = False) -> str:
    """Does the order of methods change? Previews rank nobody."""
    if is_preview:
        return "A preview ranks nobody."
    agreement = order_agreement(table)
    if np.isnan(agreement):
        return "Fewer than two methods are recorded both ways: there is no order to compare."
    best = {p: own.loc[own["place"].idxmin(), "method"] for p, own in table.groupby("protocol")}
    is_same = best[USERS] == best[CALENDAR]
    firsts = f"{best[USERS]} is first both ways" if is_same else (
        f"{best[USERS]} is first by users, {best[CALENDAR]} by calendar"
    )  # fmt: skip
    return f"{firsts}; rank correlation of the two orders: {score(agreement, 2)} (1: the same)."


def best_sellers_table(counts: np.ndarray, names: Sequence[str], k: int) -> pd.DataFrame:
    """The k best-sellers: name and how often sold; items that did not sell are left out."""
    best = np.argsort(-counts, kind="stable")[:k]
    best = best[counts[best] > 0]
    return pd.DataFrame({"name": np.asarray(names)[best], "sold": counts[best].astype(int)})
