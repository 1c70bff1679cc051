"""Figures of records. Each takes rows or a frame and gives a plain plotly figure."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from nnbr_core.experiments.questions import printed
from nnbr_core.experiments.study import CHOICE, Row, fold_interval, fold_mean
from nnbr_core.show.colours import NEUTRAL, look
from nnbr_core.show.plots import figure

ROW_HEIGHT = 26  # pixels per method
BELOW = {"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0, "xanchor": "left"}
ABOVE = {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "xanchor": "left"}
SCALES = {False: "Cividis", True: "RdBu"}  # absolute; relative, white at no change
UNITS = {"epoch": "epochs", "seconds": "seconds of training on one core"}
COUNTED = {"epoch": "epoch", "seconds": "second"}


def nothing(sentence: str) -> go.Figure:
    """A figure that says why it is empty."""
    drawn = figure("Nothing to draw yet", "", "").update_layout(height=160)
    drawn.add_annotation(text=sentence, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    return drawn.update_xaxes(visible=False).update_yaxes(visible=False)


def _score_points(rows: dict[str, Row], metric: str) -> pd.DataFrame:
    found = []
    for name, row in rows.items():
        if row.folds:
            low, high = fold_interval(row.records, metric)
            ids = ", ".join(record.id for record in row.records)
            found.append((name, fold_mean(row.records, metric), low, high, row.folds, ids))
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
            drawn.add_annotation(y=name, showarrow=False, font={"color": NEUTRAL}, **note)
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


def swap_heatmap(frame: pd.DataFrame, metric: str, relative: bool = False) -> go.Figure:
    """Test score over swap ratio x hop of one masking, as `questions.scored` gives it.

    `relative` shows the change against no swapping in percent. Missing cells say so.
    """
    cells, without = _cells(frame, "value"), reference(frame)
    masking = frame["masking"].iloc[0]
    values = (cells / without - 1) if relative else cells
    shown = values.map(
        lambda v: "missing" if np.isnan(v) else f"{v:+.1%}" if relative else f"{v:.4f}"
    )
    known = "no swap missing" if np.isnan(without) else f"no swap {without:.4f}"
    what = f"change of {metric} against no swap" if relative else metric
    drawn = figure(
        f"{masking}: {what}<br><sub>{frame['over'].iloc[0]}, {known}</sub>",
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
        text=shown.mask(values.isna(), "").to_numpy(),
        hovertext=shown.to_numpy(),
        customdata=_cells(frame, "ids").map(lambda ids: ", ".join(ids) or "none").to_numpy(),
        texttemplate="%{text}",
        hovertemplate="swap ratio %{y}, hop %{x}: %{hovertext}<br>run %{customdata}<extra></extra>",
        hoverongaps=True,
        xgap=2,
        ygap=2,
        colorscale=SCALES[relative],
        zmid=0 if relative else None,
        zmin=-largest if relative else None,
        zmax=largest,
        colorbar={"tickformat": "+.1%" if relative else ".4f", "thickness": 14},
    )
    _label_missing(drawn, values)
    drawn.update_xaxes(type="category").update_yaxes(type="category")
    return drawn.update_layout(plot_bgcolor="#EEEEEE")


def _label_missing(drawn: go.Figure, values: pd.DataFrame) -> None:
    """A heatmap without any number writes no text: annotations do.

    They count categories: the name of one, such as "3", would be taken for the fourth.
    """
    for y, x in np.argwhere(values.isna().to_numpy()):
        note = {"text": "missing", "showarrow": False, "font": {"color": NEUTRAL}}
        drawn.add_annotation(x=int(x), y=int(y), **note)


def ratio_curves(frame: pd.DataFrame, metric: str, intervals: bool = True) -> go.Figure:
    """Test score over mask ratio, one line per masking, as `questions.scored` gives it."""
    over = frame["over"].iloc[0] if len(frame) else ""
    title = f"{metric} over mask ratio<br><sub>{over}, 95 % intervals over users</sub>"
    drawn = figure(title, "mask ratio (share of items hidden)", f"mean {metric}")
    for masking, group in frame.groupby("masking"):
        colour, symbol = look(masking)
        known = group.dropna(subset="value").sort_values("mask_ratio")
        bars = {
            "array": known["high"] - known["value"],
            "arrayminus": known["value"] - known["low"],
        }
        drawn.add_scatter(
            x=known["mask_ratio"],
            y=known["value"],
            mode="lines+markers",
            name=masking,
            line_color=colour,
            marker={"symbol": symbol, "size": 10},
            error_y={"type": "data", "thickness": 1, "visible": intervals, **bars},
            customdata=[", ".join(ids) for ids in known["ids"]],
            hovertemplate="mask ratio %{x}: %{y:.4f}<br>run %{customdata}",
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
