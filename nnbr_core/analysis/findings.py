"""Claims judged on records: the outcome of each, with the comparisons that decide it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nnbr_core.analysis.claim_comparisons import MethodRows
from nnbr_core.analysis.claims import ACROSS, BASELINES, BEST_BASELINE, CLAIMS, Claim
from nnbr_core.analysis.comparisons import Comparison, compare_rows, corrected
from nnbr_core.analysis.outcomes import (
    NOT_RUN,
    REPLICATES,
    REVERSED,
    UNDECIDED,
    as_printed,
    directional,
    level,
    most_higher,
    not_higher,
)
from nnbr_core.analysis.study import Study
from nnbr_core.significance import MARGIN, users_to_decide


@dataclass(frozen=True)
class Finding:
    """A claim on one dataset: its outcome and the comparisons behind it."""

    claim: Claim
    dataset: str
    outcome: str
    comparisons: tuple[Comparison, ...]

    @property
    def shown(self) -> Comparison:
        """The comparison that decides: the least favourable; the middle one where most count."""
        there = [one for one in self.comparisons if not one.is_missing]
        if self.claim.rule is as_printed:
            return self.comparisons[-1]  # the repeat ratio, the one that a sample can have too
        ordered = sorted(there, key=lambda one: one.relative)
        if not ordered:
            return self.comparisons[0] if self.comparisons else Comparison("nothing is recorded")
        if self.claim.rule is most_higher:
            return ordered[len(ordered) // 2]
        deciding = [one for one in ordered if directional(one) == self.outcome]
        return (deciding or ordered)[0]

    @property
    def would_decide(self) -> int:
        """How many users (or folds) would decide an undecided claim; 0 if that cannot be said."""
        one = self.shown
        if self.outcome != UNDECIDED or one.is_missing or not one.spread > 0:
            return 0
        is_level = self.claim.rule in (level, not_higher)
        return users_to_decide(one.spread, MARGIN * one.reference if is_level else one.effect)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(id for one in self.comparisons for id in one.ids))

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(one.label for one in self.comparisons if one.is_missing)


def judge(study: Study, question: str | None = None) -> list[Finding]:
    """A finding for every claim about the study's dataset, or for those of one question.

    p-values are corrected over all comparisons that the claims of one question make.
    """
    rows = MethodRows(study)
    claims = [
        claim
        for claim in CLAIMS
        if claim.is_about(study.name) and question in (None, claim.question)
    ]
    findings = []
    for asked in dict.fromkeys(claim.question for claim in claims):
        own = [(claim, claim.compare(rows)) for claim in claims if claim.question == asked]
        fixed = iter(corrected([one for _, made in own for one in made]))
        for claim, made in own:
            final = tuple(next(fixed) for _ in made)
            findings.append(Finding(claim, study.name, claim.rule(final), final))
    return findings


def judge_across(studies: Sequence[Study]) -> Finding:
    """Claim 1a: replicates if each baseline is clearly below the best one of some dataset.

    Reversed only if one and the same baseline clearly beats all others on every dataset.
    """
    found: dict[str, dict[str, Comparison]] = {}
    winners = set()
    for study in studies:
        rows = MethodRows(study)
        best = rows.side(BEST_BASELINE)
        if best.folds:
            winners.add(best.name)
            where = study.name
            found[where] = {
                name: replace(
                    compare_rows(best, row), label=f"{best.name} over {name}, {study.name}"
                )
                for name in BASELINES
                if (row := rows.row(name)).folds and name != best.name
            }
    flat = iter(corrected([one for own in found.values() for one in own.values()]))
    found = {dataset: {name: next(flat) for name in own} for dataset, own in found.items()}
    decided, is_unbeaten = [], False
    for name in BASELINES:
        own = [one[name] for one in found.values() if name in one]
        if not own and name in winners:
            is_unbeaten = True  # the best wherever it is recorded
            continue
        decided.append(min(own, key=lambda one: one.p_holm, default=Comparison(f"{name}: no run")))
    if len(found) < 2:
        decided.append(Comparison("a second dataset has no run"))
    everywhere = [one for own in found.values() for one in own.values()]
    if any(one.is_missing for one in decided):
        outcome = NOT_RUN
    elif not is_unbeaten and all(one.is_up for one in decided):
        outcome = REPLICATES
    elif len(winners) == 1 and all(one.is_up for one in everywhere):
        outcome = REVERSED
    else:
        outcome = UNDECIDED
    return Finding(ACROSS, "across", outcome, tuple(decided))
