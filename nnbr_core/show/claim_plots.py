"""All verdicts in one picture."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnbr_core.experiments.claims import Finding
from nnbr_core.experiments.evidence import MARGIN
from nnbr_core.experiments.verdicts import FAILS, HOLDS, MISSING, UNCLEAR
from nnbr_core.show.colours import BLUE, GREY, ORANGE, VERMILION, Look
from nnbr_core.show.plots import figure
from nnbr_core.show.record_plots import ABOVE, ROW_HEIGHT, nothing

LOOKS = {
    HOLDS: Look(BLUE, "circle"),
    FAILS: Look(VERMILION, "x"),
    UNCLEAR: Look(ORANGE, "diamond"),
    MISSING: Look(GREY, "circle-open"),
}
NOT_SCORES = ("data",)  # questions whose numbers are no scores


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
    for verdict, (colour, symbol) in LOOKS.items():
        own = [finding for finding in shown if finding.verdict == verdict]
        checks = [finding.shown for finding in own]
        values = np.array([check.relative for check in checks])
        ends = np.array([[c.low / c.reference, c.high / c.reference] for c in checks])
        ends = ends.reshape(-1, 2)
        drawn.add_scatter(
            x=values,
            y=[f"{finding.claim.id} ({finding.dataset})" for finding in own],
            mode="markers",
            name=verdict,
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
