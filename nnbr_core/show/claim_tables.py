"""Findings as tables and sentences."""

from collections.abc import Mapping, Sequence

import pandas as pd

from nnbr_core.experiments import paper
from nnbr_core.experiments.claim_list import CLAIMS
from nnbr_core.experiments.claims import Finding
from nnbr_core.experiments.evidence import Check
from nnbr_core.experiments.verdicts import MISSING
from nnbr_core.show.markdown import SHORT
from nnbr_core.show.tables import NONE, score

DECIMALS = paper.DECIMALS | {"epochs": 1, "share of the peak": 3}
COUNTS = ("items", "users")
PER_FOLD = ("epochs", "share of the peak")  # one number per run, not per user


def number(value: float, unit: str) -> str:
    """A signed difference at the digits that fit what is measured."""
    if unit in COUNTS:
        return f"{value:+,.0f}"
    return score(value, DECIMALS.get(unit, 4), signed=True)


def effect(check: Check) -> str:
    """The difference and what it is measured in; recall@10 goes without saying."""
    unit = "" if check.unit in ("recall@10", check.label) else f" {check.unit}"
    return NONE if check.is_missing else number(check.difference, check.unit) + unit


def _is_exact(check: Check) -> bool:
    """Is there nothing to test? Counts have no interval, nor have equal results."""
    return check.low == check.high


def bounds(check: Check) -> str:
    if check.is_missing or _is_exact(check):
        return NONE
    return f"[{number(check.low, check.unit)}, {number(check.high, check.unit)}]"


def n_folds(n: int) -> str:
    return "1 fold" if n == 1 else f"{n} folds"


def sentence(finding: Finding) -> str:
    """What decides a finding, in one line."""
    check = finding.shown
    if check.is_missing:
        return f"{finding.dataset}: {finding.verdict}."
    tested = "" if _is_exact(check) else f", {bounds(check)}, p = {check.p:.2g}"
    missing = f", {len(finding.missing)} still missing" if finding.verdict == MISSING else ""
    return (
        f"{finding.dataset}: {finding.verdict} ({check.label} {effect(check)}{tested}, "
        f"{n_folds(check.folds)}{missing})."
    )


def definitions(dataset: str) -> pd.DataFrame:
    """What every claim about a dataset says, what is compared, and the rule that decides."""
    rows = [
        {
            "id": claim.id,
            "claim": claim.text,
            "compared": claim.compared,
            "rule": " ".join((claim.rule.__doc__ or "").split()),
        }
        for claim in CLAIMS
        if claim.is_about(dataset)
    ]
    return pd.DataFrame(rows).set_index("id")


def check_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """Every comparison behind the verdicts, with its records; missing ones are left out."""
    rows = [
        {
            "id": finding.claim.id,
            "comparison": check.label,
            "difference": effect(check),
            "95 % interval": bounds(check),
            "relative": f"{check.relative:+.1%}" if check.reference else NONE,
            "p Holm": f"{check.p:.2g}",
            "folds": check.folds,
            "records": " ".join(record[:SHORT] for record in check.ids),
        }
        for finding in findings
        for check in finding.checks
        if not check.is_missing
    ]
    return pd.DataFrame(rows).set_index("id") if rows else pd.DataFrame({"id": []})


def claim_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """One row per claim: the verdict, and the comparison that decides it.

    Where several comparisons are needed the least favourable one is shown, or the middle one
    where most of them count. p-values are Holm-corrected over the question.
    """
    rows = []
    for finding in findings:
        check = finding.shown
        rows.append(
            {
                "id": finding.claim.id,
                "claim": finding.claim.text,
                "verdict": finding.verdict,
                "decided by": check.label,
                "difference": effect(check),
                "95 % interval": bounds(check),
                "p Holm": NONE if check.is_missing or _is_exact(check) else f"{check.p:.2g}",
                "users": NONE if check.unit in PER_FOLD else check.n,
                "folds": check.folds,
                "comparisons": f"{len(finding.checks) - len(finding.missing)} of "
                f"{len(finding.checks)}",
                "notebook": finding.claim.notebook,
            }
        )
    return pd.DataFrame(rows).set_index("id")


def verdict_table(found: Mapping[str, Sequence[Finding]]) -> pd.DataFrame:
    """Claims down, datasets across: verdict, effect and folds. A dash: not claimed there."""
    claims = {finding.claim.id for findings in found.values() for finding in findings}
    table = pd.DataFrame(
        NONE,
        index=pd.Index(sorted(claims, key=lambda one: (one[0] != "D", one)), name="id"),
        columns=[],
    )
    texts: dict[str, list[str]] = {}
    for dataset, findings in found.items():
        for finding in findings:
            name, check = finding.claim.id, finding.shown
            texts[name] = list(dict.fromkeys([*texts.get(name, []), finding.claim.text]))
            behind = "" if check.is_missing else f"<br>{effect(check)}, {n_folds(check.folds)}"
            table.loc[name, dataset] = finding.verdict + behind
    table.insert(0, "claim", [" / ".join(texts[name]) for name in table.index])
    return table.fillna(NONE)
