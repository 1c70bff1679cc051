"""All outcomes in one picture."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from nnbr_core.analysis.findings import Finding
from nnbr_core.analysis.outcomes import (
    NOT_RUN,
    OUTCOMES,
    REPLICATES,
    REVERSED,
    SMALLER,
    SYMBOLS,
    UNDECIDED,
)
from nnbr_core.figures.claim_tables import outcome_table
from nnbr_core.figures.colours import BLUE, GREY, ORANGE, SKY, VERMILION, Look, text_on
from nnbr_core.figures.data import figure
from nnbr_core.figures.runs import ABOVE, ROW_HEIGHT, nothing
from nnbr_core.significance import MARGIN

LOOKS = {
    REPLICATES: Look(BLUE, "circle"),
    REVERSED: Look(VERMILION, "x"),
    SMALLER: Look(ORANGE, "triangle-down"),
    UNDECIDED: Look(SKY, "diamond"),
    NOT_RUN: Look(GREY, "circle-open"),
}
NOT_SCORES = ("data",)  # questions whose numbers are no scores
LONGEST = 62  # characters of a claim beside the matrix


def forest(findings: Sequence[Finding]) -> go.Figure:
    """The comparison that decides each claim, relative to what it is compared with.

    Right of zero goes the way of the claim; the band is what counts as no difference.
    """
    shown = [f for f in findings if f.claim.question not in NOT_SCORES and f.shown.folds]
    shown = [f for f in shown if f.shown.reference > 0]
    if not shown:
        return nothing("No claim can be judged from what is recorded.")
    title = "What decides each claim, with 95 % intervals"
    drawn = figure(title, "relative difference, positive as claimed", "")
    drawn.add_vrect(x0=-MARGIN, x1=MARGIN, fillcolor=GREY, opacity=0.15, line_width=0)
    for outcome, (colour, symbol) in LOOKS.items():
        own = [finding for finding in shown if finding.outcome == outcome]
        shown_by = [finding.shown for finding in own]
        values = np.array([check.relative for check in shown_by])
        ends = np.array([[c.low / c.reference, c.high / c.reference] for c in shown_by])
        ends = ends.reshape(-1, 2)
        drawn.add_scatter(
            x=values,
            y=[f"{finding.claim.id} ({finding.dataset})" for finding in own],
            mode="markers",
            name=outcome,
            marker={"color": colour, "symbol": symbol, "size": 11},
            error_x={
                "type": "data",
                "array": ends[:, 1] - values,
                "arrayminus": values - ends[:, 0],
                "thickness": 1,
            },
            customdata=[f"{f.claim.text}<br>{f.shown.label}" for f in own],
            hovertemplate="%{customdata}<br>%{x:+.1%}<extra></extra>",
        )
    order = [f"{finding.claim.id} ({finding.dataset})" for finding in shown][::-1]
    drawn.update_yaxes(categoryorder="array", categoryarray=order, type="category")
    drawn.update_xaxes(tickformat="+.0%", zeroline=True, zerolinecolor=GREY)
    return drawn.update_layout(height=140 + ROW_HEIGHT * len(shown), legend=ABOVE)


def outcome_matrix(found: Mapping[str, Sequence[Finding]]) -> go.Figure:
    """Claims down, datasets across: a coloured cell with a symbol for every outcome.

    The symbols are there for readers without colours; an empty cell is no claim of the paper.
    """
    table = outcome_table(found)
    names = list(table.columns[1:])
    drawn = figure("What became of the paper's claims", "", "")
    claims = [
        f"{id}  {text if len(text) <= LONGEST else text[:LONGEST] + '…'}"
        for id, text in table["claim"].items()
    ]
    for outcome in OUTCOMES:
        at = [
            (dataset, claim)
            for dataset in names
            for claim, cell in zip(claims, table[dataset], strict=True)
            if cell.endswith(f" {outcome}")
        ]
        colour = LOOKS[outcome].colour
        drawn.add_scatter(
            x=[x for x, _ in at],
            y=[y for _, y in at],
            mode="markers+text",
            name=f"{SYMBOLS[outcome]} {outcome}",
            marker={"symbol": "square", "size": 24, "color": colour},
            text=[SYMBOLS[outcome]] * len(at),
            textfont={"color": text_on(colour), "size": 13},
            hovertemplate=f"%{{y}}<br>%{{x}}: {outcome}<extra></extra>",
        )
    drawn.update_yaxes(categoryorder="array", categoryarray=claims[::-1], type="category")
    drawn.update_xaxes(categoryorder="array", categoryarray=names, type="category", side="top")
    drawn.update_yaxes(automargin=True)
    legend = {"orientation": "h", "yanchor": "top", "y": -0.02, "x": 0, "xanchor": "left"}
    return drawn.update_layout(height=170 + ROW_HEIGHT * len(claims), legend=legend)
