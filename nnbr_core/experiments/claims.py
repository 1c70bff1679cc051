"""Verdicts on the paper's claims, from records, each with the comparisons that decide it.

p-values are Holm-corrected over all comparisons that the claims of one question make on one
dataset.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nnbr_core.data.sources import SOURCES
from nnbr_core.errors import InputError
from nnbr_core.experiments.claim_list import CLAIMS, Claim
from nnbr_core.experiments.evidence import Check, Evidence, check_rows, corrected
from nnbr_core.experiments.methods import baselines
from nnbr_core.experiments.runs import folder_for
from nnbr_core.experiments.study import Study
from nnbr_core.experiments.verdicts import FAILS, all_higher, as_printed, most_higher


@dataclass(frozen=True)
class Finding:
    """A claim on one dataset: the verdict and the comparisons behind it, p-values corrected."""

    claim: Claim
    dataset: str
    verdict: str
    checks: tuple[Check, ...]

    @property
    def shown(self) -> Check:
        """The comparison that decides: the least favourable; the middle one where most count."""
        there = [check for check in self.checks if not check.is_missing]
        if self.claim.rule is as_printed:
            return self.checks[-1]  # the repeat ratio, the one that a sample can have too
        ordered = sorted(there, key=lambda check: check.relative)
        if not ordered:
            return self.checks[0] if self.checks else Check("nothing is recorded")
        return ordered[len(ordered) // 2 if self.claim.rule is most_higher else 0]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(id for check in self.checks for id in check.ids))

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(check.label for check in self.checks if check.is_missing)


def judge(study: Study) -> list[Finding]:
    """A finding for every claim that is about the study's dataset."""
    evidence = Evidence(study)
    claims = [claim for claim in CLAIMS if claim.is_about(study.name)]
    made = [claim.checks(evidence) for claim in claims]
    findings = []
    for question in dict.fromkeys(claim.question for claim in claims):
        own = [
            (c, checks) for c, checks in zip(claims, made, strict=True) if c.question == question
        ]
        fixed = iter(corrected([check for _, checks in own for check in checks]))
        for claim, checks in own:
            final = tuple(next(fixed) for _ in checks)
            findings.append(Finding(claim, study.name, claim.rule(final), final))
    return findings


ACROSS = Claim(
    "1a",
    "RQ1",
    "no baseline is best on every dataset",
    "each baseline must be clearly below the best one of some dataset",
    lambda evidence: [],
    all_higher,
)


def _against_the_best(evidence: Evidence) -> dict[str, Check]:
    """How far each recorded baseline is below the best one."""
    best = evidence.best_baseline
    rows = {name: evidence.row(name) for name in baselines()}
    return {
        name: check_rows(best, row, label=f"{best.method.name} over {name}, {evidence.study.name}")
        for name, row in rows.items()
        if row.folds
    }


def everywhere(study: Study) -> list[Study]:
    """This study, and the same one of every other dataset with records; those train nothing."""
    studies = [study]
    for name in SOURCES:
        other = replace(study, dataset=name, train_missing=False)
        has_records = folder_for(other.config("popularity", 0)).is_dir()
        if name == study.name or not has_records:
            continue
        try:
            studies.append(replace(other, folds=min(study.folds, other.facts.n_folds)))
        except InputError:  # neither the data nor facts about it are here
            continue
    return studies


def judge_across(studies: Sequence[Study]) -> Finding:
    """Claim 1a, over datasets; it fails only if one baseline clearly beats all others on each."""
    evidences = [e for study in studies if (e := Evidence(study)).best_baseline.folds]
    found = [_against_the_best(evidence) for evidence in evidences]
    flat = iter(corrected([check for against in found for check in against.values()]))
    found = [{name: next(flat) for name in against} for against in found]
    checks = []
    for name in baselines():
        own = [against[name] for against in found if name in against]
        checks.append(min(own, key=lambda check: check.p, default=Check(f"{name} has no run")))
    if len(found) < 2:
        checks.append(Check("a second dataset has no run"))
    winners = {evidence.best_baseline.method.name for evidence in evidences}
    others = [check for against in found for name, check in against.items() if name not in winners]
    is_complete = not any(check.is_missing for check in checks)
    is_refuted = is_complete and len(winners) == 1 and all(check.is_up for check in others)
    verdict = FAILS if is_refuted else ACROSS.rule(checks)
    return Finding(ACROSS, "several", verdict, tuple(checks))
