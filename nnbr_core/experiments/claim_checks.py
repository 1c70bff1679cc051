"""The comparisons of methods behind the claims: a function each, evidence -> checks.

Every difference is written so that a positive one goes the way of the claim.
"""

from collections.abc import Callable, Sequence

from nnbr_core.experiments import paper
from nnbr_core.experiments.evidence import Check, Evidence, check_rows
from nnbr_core.experiments.lineup import swap_pairs
from nnbr_core.experiments.methods import (
    BASKET_LEVEL,
    ITEM_LEVEL,
    baselines,
    references,
    strategies,
    swapped,
)
from nnbr_core.experiments.paper import METRICS
from nnbr_core.experiments.study import CHOICE, Row

DESCRIBED = ("items", "users", "avg_basket_size", "avg_baskets_per_user", "repeat_ratio")
RECENT = ("tifuknn", "clea", "dnntsp")


def statistics(evidence: Evidence) -> list[Check]:
    """Each number of the dataset table, minus the paper's, at the paper's digits."""
    facts, printed = evidence.study.facts, paper.dataset_row(evidence.study.name)
    checks = []
    for name in DESCRIBED:
        digits = paper.DECIMALS[name]
        off = round(round(facts.statistics[name], digits) - printed[name], digits)
        size = {"reference": printed[name], "n": facts.n_users, "folds": facts.n_folds}
        checks.append(Check(name, off, off, off, 1.0, unit=name, **size))
    return checks


def _trained(labels: str) -> list[str]:
    """The baselines that can be trained on either labels."""
    return [name for name, method in baselines().items() if method.labels == labels]


def over_popularity(evidence: Evidence) -> list[Check]:
    others = [*_trained("all"), *_trained("explore")]
    return [check_rows(evidence.row(name), evidence.row("popularity")) for name in others]


def recent_over_older(evidence: Evidence) -> list[Check]:
    recent = [name for name, method in baselines().items() if method.model in RECENT]
    older = [name for name in baselines() if name not in recent]
    best = check_rows(evidence.best("recent baseline", recent), evidence.best("older one", older))
    return [best, *evidence.absent_baselines]


def explore_over_all(evidence: Evidence) -> list[Check]:
    pairs = zip(_trained("explore"), _trained("all"), strict=True)
    return [check_rows(evidence.row(a), evidence.row(b)) for a, b in pairs]


def dnntsp_all_over_explore(evidence: Evidence) -> list[Check]:
    return [check_rows(evidence.row("dnntsp, all"), evidence.row("dnntsp, explore"))]


def over_best_baseline(name: str, metrics: Sequence[str] = (CHOICE,)) -> Callable:
    def checks(evidence: Evidence) -> list[Check]:
        best = evidence.best_baseline
        found = [check_rows(evidence.row(name), best, metric) for metric in metrics]
        return found + evidence.absent_baselines

    return checks


def _absent(evidence: Evidence, names: Sequence[str]) -> list[Check]:
    return [Check(f"{name} has no run") for name in names if evidence.row(name).folds == 0]


def _best_basket_level(evidence: Evidence) -> Row:
    return evidence.best("basket-level strategy", BASKET_LEVEL)


def _best_item_level(evidence: Evidence) -> Row:
    return evidence.best("item-level strategy", ITEM_LEVEL)


def basket_over_item(evidence: Evidence) -> list[Check]:
    best = check_rows(_best_basket_level(evidence), _best_item_level(evidence))
    return [best, *_absent(evidence, [*BASKET_LEVEL, *ITEM_LEVEL])]


def item_over_basket_and_baseline(evidence: Evidence) -> list[Check]:
    rivals = (_best_basket_level(evidence), evidence.best_baseline)
    found = [check_rows(_best_item_level(evidence), rival) for rival in rivals]
    return found + _absent(evidence, [*BASKET_LEVEL, *ITEM_LEVEL]) + evidence.absent_baselines


def select_over_random(evidence: Evidence) -> list[Check]:
    select, random = evidence.row("item_select"), evidence.row("item_random")
    return [check_rows(select, random, metric) for metric in METRICS]


def explore_over_basket_all(evidence: Evidence) -> list[Check]:
    return [check_rows(evidence.row("basket_explore"), evidence.row("basket_all"))]


def all_over_basket_explore(evidence: Evidence) -> list[Check]:
    return [check_rows(evidence.row("basket_all"), evidence.row("basket_explore"))]


def swap_over_none(evidence: Evidence) -> list[Check]:
    return [check_rows(swapped, plain) for swapped, plain in swap_pairs(evidence.study)]


def none_over_swap(evidence: Evidence) -> list[Check]:
    return [check_rows(plain, swapped) for swapped, plain in swap_pairs(evidence.study)]


def joint_over_best_single(evidence: Evidence) -> list[Check]:
    singles = [name for name in (*strategies(), *swapped()) if name != "joint"]
    absent = _absent(evidence, [name for name in strategies() if name != "joint"])
    best = evidence.best("single strategy", singles, most_folds=True)
    return [check_rows(evidence.row("joint"), best), *absent]


def btbr_over_references(evidence: Evidence) -> list[Check]:
    best = evidence.best("BTBR", [*strategies(), *swapped()], most_folds=True)
    return [check_rows(best, evidence.row(name)) for name in references()]
