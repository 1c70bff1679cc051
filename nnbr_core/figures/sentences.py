"""What a figure or a table says, in a sentence that is computed."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from nnbr_core.analysis import paper
from nnbr_core.analysis.comparisons import Comparison, compare_rows, corrected
from nnbr_core.analysis.findings import Finding
from nnbr_core.analysis.outcomes import NOT_RUN, OUTCOMES
from nnbr_core.analysis.rows import CHOICE, Row, has_learned, over_same_users, ranked
from nnbr_core.analysis.study import Study
from nnbr_core.data.sources import find_source
from nnbr_core.figures.claim_tables import power
from nnbr_core.figures.tables import HEADLINE, difference, p_value, span, with_error
from nnbr_core.significance import LEARNED


def standing(study: Study, rows: Mapping[str, Row]) -> str:
    """What stands behind a table, and how far that is from the paper's protocol."""
    there = [row for row in rows.values() if row.folds]
    n_runs = sum(row.folds * row.n_settings for row in there)
    n_missing = sum(row.n_missing for row in rows.values())
    absent = [name for name, row in rows.items() if not row.folds]
    users = str(study)
    if full := paper.dataset_row(study.name):
        users += f" (the paper: {int(full['users']):,} users, five splits)"
    said = f"{users}. {len(there)} of {len(rows)} methods, {n_runs} runs, {n_missing} missing."
    return said + (f" Not recorded: {'; '.join(absent)}." if absent else "")


def unlearned(rows: Mapping[str, Row]) -> str:
    """A warning about trainings that ended before they began to learn."""
    names = [name for name, row in rows.items() if not has_learned(row, rows["popularity"])]
    if not names:
        return ""
    return (
        f"Below {LEARNED:.0%} of popularity's validation {CHOICE} in fold 0: {'; '.join(names)}. "
        "Such a training was stopped before it learned: its numbers say nothing about the method, "
        "and verdicts count it as missing."
    )


def best_sentence(rows: dict[str, Row], metrics: Sequence[str] = HEADLINE) -> str:
    """For each metric: which two lead the first table, and can these users tell them apart?"""
    groups = over_same_users(rows)
    if not groups or len(groups[0]) < 2:
        return "Fewer than two methods are recorded: there is nothing to rank."
    leading = {metric: ranked(groups[0], metric)[:2] for metric in metrics}
    tests = [compare_rows(*(groups[0][name] for name in two), m) for m, two in leading.items()]
    parts = [
        f"{metric}: {one.label}, {'yes' if one.is_up else 'no'} (p = {p_value(one.p_holm)})"
        for metric, one in zip(leading, corrected(tests), strict=True)
    ]
    return f"Is the best (¹) above the second best (²) by more than noise? {'; '.join(parts)}."


def leader(rows: dict[str, Row], metric: str = CHOICE) -> str:
    """Which method leads the first table, and how surely."""
    groups = over_same_users(rows)
    if not groups or len(groups[0]) < 2:
        return ""
    best, second = (groups[0][name] for name in ranked(groups[0], metric)[:2])
    low, high = best.interval(metric)
    one = compare_rows(best, second, metric)
    surely = "ahead" if one.is_up else "ahead by no more than noise"
    return (
        f"{best.name} leads with {metric} {with_error(best.mean(metric), low, high)}, "
        f"{surely} of {second.name} (p = {p_value(one.p)}, {one.n:,} users)."
    )


def over(a: Row, b: Row, is_preview: bool = False) -> str:
    """How much better one is than another for the same users; a preview does not judge."""
    one = compare_rows(a, b)
    if one.is_missing:
        return f"{one.label}: not recorded."
    judged = f"; {one.result}, p = {p_value(one.p)}" if not is_preview else "; a preview judges not"
    return (
        f"{a.name} finds {a.mean(CHOICE):.1%} of the novel items in a list of ten, {b.name} "
        f"{b.mean(CHOICE):.1%}: {difference(one)} {span(one)} for the same {one.n:,} users{judged}."
    )


def liked(n_hits: np.ndarray, k: int = 10) -> str:
    """How often lists contain what was bought next."""
    some = int((n_hits > 0).sum())
    return (
        f"{n_hits.max()} of these {k} were in the next basket. Of {len(n_hits):,} test users, "
        f"{some} went on to buy at least one item of their list."
    )


def about_data(study: Study) -> str:
    """What a dataset is, in its publisher's words, and how much of a last basket is novel."""
    ours = study.facts.statistics
    return (
        f"{study.name} is {find_source(study.dataset).what}. Of a last basket "
        f"{1 - ours['repeat_ratio']:.0%} is novel, on average over {study.facts.n_users:,} users."
    )


def comparison_sentence(one: Comparison) -> str:
    """A comparison in a line."""
    tested = f" {span(one)}, p = {p_value(one.p_holm)}"
    return f"{one.label}: {difference(one)}{tested}, {one.result} ({one.n:,} users)."


def clearest(findings: Sequence[Finding]) -> str:
    """Of some findings the one that is decided best: the first of the first outcome there is."""
    one = min(findings, key=lambda finding: OUTCOMES.index(finding.outcome))
    return f"{one.claim.text}: {finding_sentence(one)}"


def recorded(frame: pd.DataFrame) -> str:
    n_there = int(frame["record"].notna().sum())
    return f"{n_there} of {len(frame)} runs are recorded, {len(frame) - n_there} are missing."


def best_cell(scored: pd.DataFrame) -> str:
    """Which swap the validation users of one masking prefer, no swap included."""
    masking = scored["masking"].iloc[0]
    known = scored.dropna(subset="validation")
    if (known["swap_ratio"] > 0).sum() == 0:
        return f"{masking}: no swap is recorded."
    best = known.loc[known["validation"].idxmax()]
    what = f"swap ratio {best['swap_ratio']}, hop {best['swap_hop']}"
    preferred = what if best["swap_ratio"] > 0 else "no swap at all"
    return f"{masking}: among {len(known)} choices, validation users prefer {preferred}."


def rank_sentence(ranks: pd.DataFrame) -> str:
    """Which strategy is never far behind?"""
    if ranks.empty:
        return "No strategy is recorded."
    worst = ranks.max(axis=1)
    safest = list(worst[worst == worst.min()].index)
    where = "1 dataset" if ranks.shape[1] == 1 else f"{ranks.shape[1]} datasets"
    return (
        f"Over {where}, the smallest worst rank is {worst.min()}: {', '.join(safest)}. The paper "
        "calls joint training the safe choice: here it is "
        f"{'among them' if 'joint' in safest else 'not among them'}."
    )


def finding_sentence(finding: Finding) -> str:
    """What decides a finding, in one line."""
    one = finding.shown
    if one.is_missing:
        return f"{finding.dataset}: {finding.outcome} ({'; '.join(finding.missing[:3])})."
    tested = "" if one.low == one.high else f" {span(one)}, p = {p_value(one.p_holm)}"
    needed = f"; {power(finding)} would decide it" if power(finding) else ""
    missing = f"; {len(finding.missing)} still missing" if finding.outcome == NOT_RUN else ""
    said = f"{one.label} {difference(one)}{tested}{needed}{missing}"
    return f"{finding.dataset}: {finding.outcome} ({said})."


def counts(findings: Sequence[Finding]) -> str:
    """How many claims came out which way."""
    n = {outcome: sum(one.outcome == outcome for one in findings) for outcome in OUTCOMES}
    return ", ".join(f"{n[outcome]} {outcome}" for outcome in OUTCOMES if n[outcome]) + "."
