"""The first page of the reports: every finding in a paragraph, every verdict in one table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nnbr_core.experiments.ablations import StrictOrder
from nnbr_core.experiments.claims import Finding
from nnbr_core.experiments.evidence import ids_of
from nnbr_core.experiments.questions import printed
from nnbr_core.experiments.study import Row, fold_mean
from nnbr_core.experiments.verdicts import FAILS, HOLDS, VERDICTS
from nnbr_core.show import markdown
from nnbr_core.show.claim_tables import sentence, verdict_table
from nnbr_core.show.report_parts import order_answer
from nnbr_core.show.tables import HEADLINE, score

QUESTIONS = {
    "data": "Are the datasets the paper's?",
    "RQ1": "RQ1: how do existing methods do on novel items?",
    "RQ2": "RQ2: which masking strategy wins?",
    "RQ3": "RQ3: does swapping help?",
    "RQ4": "RQ4: how do mask ratio and training time matter?",
    "RQ5": "RQ5: is joint training the safe choice?",
    "beyond": "Beyond the paper: does the best BTBR beat simple references?",
}


@dataclass(frozen=True)
class Found:
    """What the index is written from."""

    findings: Mapping[str, Sequence[Finding]]  # by dataset
    across: Finding
    order: Mapping[str, StrictOrder]  # by dataset
    popularity: Row  # on TaFeng, against the paper's G-TopFreq
    windows: Sequence[Finding] = ()  # what windows of a dataset say beyond the paper


def _counts(findings: Sequence[Finding]) -> str:
    n = {verdict: sum(one.verdict == verdict for one in findings) for verdict in VERDICTS}
    parts = [f"{verdict}: {n[verdict]}" for verdict in VERDICTS if n[verdict]]
    return f"{len(findings)} verdicts; {', '.join(parts)}."


def _undecided(findings: Sequence[Finding]) -> list[str]:
    """One line per claim and verdict, with the datasets it is about."""
    places: dict[tuple[str, str, str], list[str]] = {}
    for one in findings:
        places.setdefault((one.claim.id, one.claim.text, one.verdict), []).append(one.dataset)
    lines = [(*key, ", ".join(names)) for key, names in sorted(places.items())]
    return [f"- {id}, {text}: {verdict} ({names})." for id, text, verdict, names in lines]


def _paragraph(question: str, findings: Sequence[Finding]) -> str:
    """How many verdicts of each kind; what decided claims, and all that the paper does not ask."""
    shown = [one for one in findings if one.verdict in (HOLDS, FAILS) or question == "beyond"]
    lines = [f"- {one.claim.id}, {one.claim.text}. {sentence(one)}" for one in shown]
    lines += _undecided([one for one in findings if one not in shown])
    return "\n\n".join([f"### {QUESTIONS[question]}", _counts(findings), "\n".join(lines)])


def _acceptance(row: Row) -> str:
    """Loading, splitting and metrics against the one method that has nothing to tune."""
    if not row.folds:
        return ""
    ours = [
        f"{metric} {score(fold_mean(row.records, metric))} "
        f"(paper {score(printed(row.method, 'tafeng', metric))})"
        for metric in HEADLINE
    ]
    return (
        "### Loading, splitting and metrics\n\nPopularity on TaFeng, mean over "
        f"{row.folds} splits as the paper takes it: {', '.join(ours)}. "
        f"Records: {markdown.links(ids_of(row.records), 'tafeng')}."
    )


def _strict_order(order: Mapping[str, StrictOrder]) -> str:
    lines = [f"- {name}: {order_answer(found)}" for name, found in order.items()]
    head = "### Does item-level masking lose on TaFeng because order is strict there?\n"
    return "\n".join([head, *lines])


def index(found: Found) -> str:
    everything = [one for findings in found.findings.values() for one in findings]
    everything += [found.across, *found.windows]
    by_question = {
        question: [one for one in everything if one.claim.question == question]
        for question in QUESTIONS
    }
    pages = ", ".join(f"[{name}]({name}.md)" for name in found.findings)
    table = verdict_table({**found.findings, "across": [found.across]})
    parts = [
        "# What was found",
        f"One page per dataset: {pages}. [How these numbers were made](reproducibility.md), and "
        "what differs from the paper. Written from the records in `runs/` by "
        "`python -m nnbr_core report`.",
        "## Findings",
        "A claim *holds* or *does not hold* if a paired test over test users says so "
        "(Holm-corrected, p < .05), *cannot be told apart* if the difference is noise, and lacks "
        "runs if something it needs is not recorded. That two things are equal holds only if the "
        "whole interval is within 5 %. In brackets: the comparison that decides, with its 95 % "
        "interval, in recall@10 unless something else is said.",
        _acceptance(found.popularity),
        *(_paragraph(question, own) for question, own in by_question.items() if own),
        _strict_order(found.order),
        "## All verdicts",
        markdown.table(table),
        "A dash: the paper does not claim it there. The records behind each verdict are on the "
        "dataset's page; those behind 1a: " + "; ".join(_ids_of_across(found.across)) + ".",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _ids_of_across(finding: Finding) -> list[str]:
    """Claim 1a is about several datasets: its ids by the dataset its labels end with."""
    named = {}
    for check in finding.checks:
        if not check.is_missing:
            named.setdefault(check.label.rsplit(", ", 1)[1], {}).update(dict.fromkeys(check.ids))
    return [f"{name} {markdown.links(ids, name)}" for name, ids in named.items()] or ["none"]
