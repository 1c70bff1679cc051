"""Findings as tables: what is claimed, what came out, which comparison decides."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from nnbr_core.analysis.claims import CLAIMS
from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.analysis.findings import Finding
from nnbr_core.analysis.outcomes import SYMBOLS, in_words
from nnbr_core.figures.tables import NONE, PER_FOLD, change, difference, p_value, percent, span


def marked(outcome: str) -> str:
    return f"{SYMBOLS[outcome]} {outcome}"


def looked_for(one: Comparison) -> str:
    """The effect that a comparison is judged against, and whether the paper prints it."""
    if one.is_missing or np.isnan(one.effect) or one.low == one.high:
        return NONE
    return change(one.effect, one.metric) + ("" if one.printed > 0 else " (not printed)")


def definitions(dataset: str) -> pd.DataFrame:
    """What every claim about a dataset says, what is compared, and the rule that decides."""
    rows = [
        {
            "id": claim.id,
            "claim": claim.text,
            "compared": claim.compared,
            "rule": in_words(claim.rule),
        }
        for claim in CLAIMS
        if claim.is_about(dataset)
    ]
    return pd.DataFrame(rows).set_index("id")


def power(finding: Finding) -> str:
    """For an undecided claim: how many users would decide it."""
    what = "folds" if finding.shown.metric in PER_FOLD else "users"
    return f"{finding.would_decide:,} {what}" if finding.would_decide else ""


def claim_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """One row per claim: the outcome, and the comparison that decides it.

    Where several comparisons are needed the least favourable one is shown, or the middle one
    where most of them count.
    """
    rows = [
        {
            "id": finding.claim.id,
            "claim": finding.claim.text,
            "outcome": marked(finding.outcome),
            "decided by": finding.shown.label,
            "difference": difference(finding.shown),
            "95 % interval": span(finding.shown),
            "looked for": looked_for(finding.shown),
            "users": NONE if finding.shown.metric in PER_FOLD else f"{finding.shown.n:,}",
            "would decide": power(finding),
        }
        for finding in findings
    ]
    return pd.DataFrame(rows).set_index("id")


def behind_claims(findings: Sequence[Finding]) -> pd.DataFrame:
    """Every comparison behind the outcomes; what is missing says so."""
    rows = [
        {
            "id": finding.claim.id,
            "comparison": one.label,
            "difference": difference(one),
            "95 % interval": span(one),
            "relative": percent(one.relative),
            "p Holm": p_value(one.p_holm),
            "looked for": looked_for(one),
            "folds": one.folds,
        }
        for finding in findings
        for one in finding.comparisons
    ]
    return pd.DataFrame(rows).set_index("id")


def outcome_table(found: Mapping[str, Sequence[Finding]]) -> pd.DataFrame:
    """Claims down, datasets across: the outcome of each. A dash: not claimed there."""
    claims = {one.claim.id: one.claim for findings in found.values() for one in findings}
    ids = sorted(claims, key=lambda id: ({"D": 0, "X": 2}.get(id[0], 1), id))  # D first, X last
    table = pd.DataFrame(NONE, index=pd.Index(ids, name="id"), columns=["claim", *found])
    texts: dict[str, dict[str, None]] = {}
    for dataset, findings in found.items():
        for one in findings:
            texts.setdefault(one.claim.id, {})[one.claim.text] = None
            table.loc[one.claim.id, dataset] = marked(one.outcome)
    table["claim"] = [" / ".join(texts[id]) for id in ids]
    return table
