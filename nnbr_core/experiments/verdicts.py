"""How comparisons become a verdict. Each rule looks at all checks of a claim, missing ones too.

What is missing can keep a claim from holding; it cannot save a claim that is already refuted.
"""

from collections.abc import Callable, Sequence

from nnbr_core.experiments.evidence import MARGIN, Check

HOLDS = "holds"
FAILS = "does not hold"
UNCLEAR = "cannot be told apart"
MISSING = "not enough runs"
VERDICTS = (HOLDS, FAILS, UNCLEAR, MISSING)

Rule = Callable[[Sequence[Check]], str]


def _open(checks: Sequence[Check]) -> str:
    """Neither shown nor refuted: for lack of runs, or because the difference is noise."""
    return MISSING if not checks or any(check.is_missing for check in checks) else UNCLEAR


def all_higher(checks: Sequence[Check]) -> str:
    """Holds if every difference is significantly above zero; fails if any is below."""
    if any(check.is_down for check in checks):
        return FAILS
    return HOLDS if checks and all(check.is_up for check in checks) else _open(checks)


def most_higher(checks: Sequence[Check]) -> str:
    """Holds if more than half are significantly above zero; fails if half or more are below."""
    if 2 * sum(check.is_up for check in checks) > len(checks):
        return HOLDS
    if checks and 2 * sum(check.is_down for check in checks) >= len(checks):
        return FAILS
    return _open(checks)


def not_lowest(checks: Sequence[Check]) -> str:
    """Holds if any difference is significantly below zero; fails if all are above."""
    if any(check.is_down for check in checks):
        return HOLDS
    return FAILS if checks and all(check.is_up for check in checks) else _open(checks)


def level(checks: Sequence[Check]) -> str:
    """Holds if every interval lies within 5 % of the reference; fails if any difference is
    significant and its interval reaches further."""
    if any((check.is_up or check.is_down) and not check.is_level for check in checks):
        return FAILS
    return HOLDS if checks and all(check.is_level for check in checks) else _open(checks)


def not_higher(checks: Sequence[Check]) -> str:
    """Holds if every interval lies within 5 % of the reference or the difference is significantly
    below zero; fails if any is significantly above and its interval reaches further than 5 %."""
    if any(check.is_up and not check.is_level for check in checks):
        return FAILS
    fits = all(check.is_level or check.is_down for check in checks)
    return HOLDS if checks and fits else _open(checks)


def as_printed(checks: Sequence[Check]) -> str:
    """Numbers of a dataset table: holds if all are the printed ones.

    Fewer users than printed are a sample, whose counts cannot match: it cannot be told apart if
    the repeat ratio is within 5 %.
    """
    by_name = {check.label: check for check in checks}
    if all(check.difference == 0 for check in checks):
        return HOLDS
    is_sample = by_name["users"].relative < -MARGIN
    return UNCLEAR if is_sample and by_name["repeat_ratio"].is_level else FAILS
