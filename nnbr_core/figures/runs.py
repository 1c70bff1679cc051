"""Figures of records. Each takes rows or a frame and gives a plain plotly figure."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.analysis.paper import printed
from nnbr_core.analysis.rows import CHOICE, Row
from nnbr_core.analysis.swap_tests import Cell
from nnbr_core.figures.colours import EMPTY, NEUTRAL, TEXT, look
from nnbr_core.figures.data import figure

ROW_HEIGHT = 26  # pixels per method
BELOW = {"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0, "xanchor": "left"}
ABOVE = {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "xanchor": "left"}
SCALES = {False: "Cividis", True: "RdBu"}  # absolute; relative, white at no change
UNITS = {"epoch": "epochs", "seconds": "seconds of training on one core"}
COUNTED = {"epoch": "epoch", "seconds": "second"}
GAP = 2  # pixels between cells
DODGE = 0.012  # of a mask ratio, between strategies: their intervals must not cover each other
MARKS = "▲ ▼ differ from no swap by more than noise"


def nothing(sentence: str) -> go.Figure:
    """A figure that says why it is empty."""
    drawn = figure("Nothing to draw yet", "", "").update_layout(height=160)
    drawn.add_annotation(text=sentence, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    return drawn.update_xaxes(visible=False).update_yaxes(visible=False)


def _score_points(rows: dict[str, Row], metric: str) -> pd.DataFrame:
    found = []
    for name, row in rows.items():
        if row.folds:
            low, high = row.interval(metric)
            found.append((name, row.mean(metric), low, high, row.folds, ", ".join(row.ids)))
    return pd.DataFrame(found, columns=["name", "value", "low", "high", "folds", "ids"])


def _add_paper(drawn: go.Figure, rows: dict[str, Row], metric: str) -> None:
    dataset = next((row.records[0].dataset for row in rows.values() if row.folds), "")
    theirs = {name: printed(row.method, dataset, metric) for name, row in rows.items()}
    theirs = {name: value for name, value in theirs.items() if not np.isnan(value)}
    if theirs:
        drawn.add_scatter(
            x=list(theirs.values()),
            y=list(theirs),
            mode="markers",
            marker={"symbol": "circle-open", "size": 13, "color": NEUTRAL, "line": {"width": 2}},
            name="paper",
            hovertemplate="%{y}<br>paper %{x:.4f}<extra></extra>",
        )


def scores(rows: dict[str, Row], metric: str) -> go.Figure:
    """One dot per method with its 95 % interval; the paper's number is a hollow ring."""
    points = _score_points(rows, metric)
    drawn = figure(f"{metric} of novel items, 95 % intervals", f"mean {metric} over test users", "")
    looks = [look(name) for name in points["name"]]
    drawn.add_scatter(
        x=points["value"],
        y=points["name"],
        mode="markers",
        marker={"color": [c for c, _ in looks], "symbol": [s for _, s in looks], "size": 10},
        error_x={
            "type": "data",
            "array": points["high"] - points["value"],
            "arrayminus": points["value"] - points["low"],
            "color": NEUTRAL,
            "thickness": 1,
        },
        customdata=points[["low", "high", "folds", "ids"]],
        hovertemplate="%{y}<br>%{x:.4f} [%{customdata[0]:.4f}, %{customdata[1]:.4f}]<br>"
        "folds %{customdata[2]}<br>runs %{customdata[3]}<extra></extra>",
        name="here",
    )
    _add_paper(drawn, rows, metric)
    for name, row in rows.items():
        if not row.folds:
            note = {"text": "missing", "x": 0, "xref": "paper", "xanchor": "left", "xshift": 8}
            drawn.add_annotation(y=name, showarrow=False, font={"color": TEXT}, **note)
    order = list(rows)[::-1]  # plotly counts from below
    drawn.update_yaxes(categoryorder="array", categoryarray=order, automargin=True)
    drawn.update_yaxes(range=[-0.6, len(order) - 0.4], type="category")
    return drawn.update_layout(height=130 + ROW_HEIGHT * len(rows), legend=ABOVE)


def _cells(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Swap ratio down, hop across; the row without swapping is left out."""
    swapped = frame[frame["swap_ratio"] > 0]
    return swapped.pivot(index="swap_ratio", columns="swap_hop", values=column)


def reference(frame: pd.DataFrame) -> float:
    """The score without swapping; NaN if that is not recorded."""
    without = frame.loc[frame["swap_ratio"] == 0, "value"]
    return float(without.iloc[0]) if len(without) else float("nan")


def _mark(compared: Mapping[Cell, Comparison], cell: Cell) -> str:
    """Up or down if a cell differs from no swap by more than noise."""
    one = compared.get(cell)
    return "" if one is None else " ▲" * one.is_up + " ▼" * one.is_down


def _cell_texts(
    values: pd.DataFrame, relative: bool, compared: Mapping[Cell, Comparison]
) -> tuple[np.ndarray, np.ndarray]:
    """What stands in every cell, and what the pointer shows there."""
    texts, hovers = [], []
    for ratio, line in values.iterrows():
        shown = ["" if np.isnan(v) else f"{v:+.1%}" if relative else f"{v:.4f}" for v in line]
        cells = [(ratio, hop) for hop in values.columns]
        tests = [
            f", {c.relative:+.1%} against no swap, p Holm {c.p_holm:.3f}" if c else ""
            for c in map(compared.get, cells)
        ]
        texts.append([t and t + _mark(compared, c) for t, c in zip(shown, cells, strict=True)])
        hovers.append([(t or "missing") + p for t, p in zip(shown, tests, strict=True)])
    return np.array(texts, dtype=object), np.array(hovers, dtype=object)


def swap_heatmap(
    frame: pd.DataFrame,
    metric: str,
    relative: bool = False,
    compared: Mapping[Cell, Comparison] | None = None,
) -> go.Figure:
    """Test score over swap ratio x hop of one masking, as `grid_runs.scored` gives it.

    `relative` shows the change against no swapping in percent. Missing cells say so, and those
    that differ from no swap by more than noise are marked (`swap_tests.against_no_swap`).
    """
    cells, without = _cells(frame, "value"), reference(frame)
    masking, compared = frame["masking"].iloc[0], compared or {}
    values = (cells / without - 1) if relative else cells
    texts, hovers = _cell_texts(values, relative, compared)
    known = "no swap missing" if np.isnan(without) else f"no swap {without:.4f}"
    what = f"change of {metric} against no swap" if relative else metric
    below = "; ".join([f"{frame['over'].iloc[0]}, {known}", *([MARKS] if compared else [])])
    drawn = figure(
        f"{masking}: {what}<br><sub>{below}</sub>",
        "swap hop (baskets)",
        "swap ratio (share of items)",
    )
    largest = max(values.abs().max().fillna(0).max(), 1e-9) if relative else None
    drawn.add_heatmap(
        x=[str(hop) for hop in values.columns],
        y=[str(ratio) for ratio in values.index],
        z=[
            [None if np.isnan(v) else v for v in line] for line in values.to_numpy()
        ],  # JSON has no NaN
        text=texts,
        hovertext=hovers,
        customdata=_cells(frame, "ids").map(lambda ids: ", ".join(ids) or "none").to_numpy(),
        texttemplate="%{text}",
        hovertemplate="swap ratio %{y}, hop %{x}: %{hovertext}<br>run %{customdata}<extra></extra>",
        hoverongaps=False,
        xgap=GAP,
        ygap=GAP,
        colorscale=SCALES[relative],
        zmid=0 if relative else None,
        zmin=-largest if relative else None,
        zmax=largest,
        colorbar={"tickformat": "+.1%" if relative else ".4f", "thickness": 14},
    )
    _add_missing(drawn, values)
    drawn.update_xaxes(type="category").update_yaxes(type="category")
    return drawn.update_layout(margin_t=80)


def _add_missing(drawn: go.Figure, values: pd.DataFrame) -> None:
    """Grey cells where nothing is recorded: they can be pointed at and clicked like others.

    Their text is annotations, which count categories: the name of one, such as "3", would be
    taken for the fourth.
    """
    is_missing = values.isna().to_numpy()
    drawn.add_heatmap(
        x=[str(hop) for hop in values.columns],
        y=[str(ratio) for ratio in values.index],
        z=[[0 if missing else None for missing in line] for line in is_missing],
        colorscale=[[0, EMPTY], [1, EMPTY]],
        showscale=False,
        hoverongaps=False,
        xgap=GAP,
        ygap=GAP,
        hovertemplate="swap ratio %{y}, hop %{x}: missing<extra></extra>",
    )
    for y, x in np.argwhere(is_missing):
        note = {"text": "missing", "showarrow": False, "font": {"color": TEXT}}
        drawn.add_annotation(x=int(x), y=int(y), **note)


def ratio_curves(frame: pd.DataFrame, metric: str, intervals: bool = True) -> go.Figure:
    """Test score over mask ratio, one line per masking, as `grid_runs.scored` gives it."""
    over = frame["over"].iloc[0] if len(frame) else ""
    title = f"{metric} over mask ratio<br><sub>{over}, 95 % intervals over users</sub>"
    drawn = figure(title, "mask ratio (share of items hidden)", f"mean {metric}")
    strategies = frame.groupby("masking")
    for number, (masking, group) in enumerate(strategies):
        colour, symbol = look(masking)
        aside = DODGE * (number - (len(strategies) - 1) / 2)
        known = group.dropna(subset="value").sort_values("mask_ratio")
        bars = {
            "array": known["high"] - known["value"],
            "arrayminus": known["value"] - known["low"],
        }
        drawn.add_scatter(
            x=known["mask_ratio"] + aside,
            y=known["value"],
            mode="lines+markers",
            name=masking,
            line_color=colour,
            marker={"symbol": symbol, "size": 10},
            error_y={"type": "data", "thickness": 1, "visible": intervals, **bars},
            text=[f"mask ratio {ratio:g}" for ratio in known["mask_ratio"]],
            customdata=[", ".join(ids) for ids in known["ids"]],
            hovertemplate="%{text}: %{y:.4f}<br>run %{customdata}",
        )
    return drawn.update_xaxes(range=[0, 1]).update_layout(legend=BELOW)


def peaks(frame: pd.DataFrame, metric: str = CHOICE) -> pd.DataFrame:
    """The best epoch of every training, and how much of it is left at the end."""
    found = {}
    for masking, one in frame.groupby("masking", sort=False):
        best = one.loc[one[metric].idxmax()]
        last = one.iloc[-1]
        found[masking] = {
            "peak epoch": int(best["epoch"]),
            "of epochs": len(one),
            "seconds to peak": round(float(best["seconds"]), 1),
            f"peak {metric}": round(float(best[metric]), 4),
            "lost by the end": f"{1 - last[metric] / best[metric]:.1%}" if best[metric] else "–",
        }
    return pd.DataFrame(found).T


def learning_curves(frame: pd.DataFrame, by: str = "epoch", metric: str = CHOICE) -> go.Figure:
    """Validation score while training, all strategies on one axis, their peaks as stars."""
    if frame.empty:
        return nothing("No training with a learning curve is recorded.")
    title = f"Validation {metric} while training, peaks starred"
    drawn = figure(title, UNITS[by], f"validation {metric}")
    for masking, one in frame.groupby("masking", sort=False):
        colour = look(masking).colour
        best = one.loc[one[metric].idxmax()]
        drawn.add_scatter(
            x=one[by],
            y=one[metric],
            mode="lines",
            name=masking,
            line_color=colour,
            legendgroup=masking,
            customdata=one[["id", "stage"]],
            hovertemplate="%{y:.4f}<br>%{customdata[1]}, run %{customdata[0]}",
        )
        drawn.add_scatter(
            x=[best[by]],
            y=[best[metric]],
            mode="markers",
            name=f"peak of {masking}",
            marker={"symbol": "star", "size": 14, "color": colour, "line": {"width": 1}},
            legendgroup=masking,
            showlegend=False,
            hovertemplate=f"best {COUNTED[by]} %{{x:.0f}}: %{{y:.4f}}",
        )
    if by == "epoch":
        drawn.update_xaxes(dtick=max(1, frame["epoch"].max() // 10))  # whole epochs
    return drawn.update_layout(legend=BELOW)
