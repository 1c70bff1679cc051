"""Comparisons -> the outcome of a claim, judged against the printed effect, not only against zero.

For one directional comparison (positive: the way of the claim), with printed effect e:

    replicates             significantly above zero
    reversed               significantly below zero
    smaller than printed   neither, and the whole interval lies below e
    undecided              neither, and e lies inside the interval: too few users
    not run                something it needs is not recorded

Where the paper prints no number, e is the smallest effect of interest.
"""

from collections.abc import Callable, Sequence

from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.significance import MARGIN, NOISE, SMALLEST

REPLICATES, REVERSED = "replicates", "reversed"
SMALLER, UNDECIDED, NOT_RUN = "smaller than printed", "undecided", "not run"
OUTCOMES = (REPLICATES, REVERSED, SMALLER, UNDECIDED, NOT_RUN)
SYMBOLS = dict(zip(OUTCOMES, ("●", "✕", "▽", "?", "–"), strict=True))

Rule = Callable[[Sequence[Comparison]], str]


def directional(comparison: Comparison) -> str:
    """The outcome of one comparison of a claim that one thing is above another."""
    if comparison.is_missing:
        return NOT_RUN
    if comparison.is_up:
        return REPLICATES
    if comparison.is_down:
        return REVERSED
    return SMALLER if comparison.high < comparison.effect else UNDECIDED


def _first(outcomes: Sequence[str], *order: str) -> str:
    """The first of `order` that occurs; nothing at all was not run."""
    return next((one for one in order if one in outcomes), NOT_RUN)


def all_higher(comparisons: Sequence[Comparison]) -> str:
    """Every comparison must replicate. One that is reversed, or smaller than printed, decides;
    what is missing, or undecided, leaves the claim open."""
    found = [directional(one) for one in comparisons]
    return _first(found, REVERSED, SMALLER, NOT_RUN, UNDECIDED, REPLICATES)


def most_higher(comparisons: Sequence[Comparison]) -> str:
    """More than half must replicate. If half or more are reversed it is reversed; if half or more
    are reversed or smaller than printed, it is smaller than printed."""
    found, n = [directional(one) for one in comparisons], len(comparisons)
    if 2 * found.count(REPLICATES) > n:
        return REPLICATES
    if n and 2 * found.count(REVERSED) >= n:
        return REVERSED
    if n and 2 * (found.count(REVERSED) + found.count(SMALLER)) >= n:
        return SMALLER
    return _first(found, NOT_RUN, UNDECIDED, REPLICATES)


def any_lower(comparisons: Sequence[Comparison]) -> str:
    """Replicates if any difference is significantly below zero; reversed if all are above."""
    if any(one.is_down for one in comparisons):
        return REPLICATES
    if comparisons and all(one.is_up for one in comparisons):
        return REVERSED
    return NOT_RUN if any(one.is_missing for one in comparisons) or not comparisons else UNDECIDED


def _within(comparison: Comparison, low: float) -> str:
    """Where an interval lies, in shares of the reference: inside `low` to the margin, or not."""
    if comparison.is_missing:
        return NOT_RUN
    bottom, top = (end / comparison.reference for end in (comparison.low, comparison.high))
    if low <= bottom and top <= MARGIN:
        return REPLICATES
    return REVERSED if bottom > MARGIN or top < low else UNDECIDED


def level(comparisons: Sequence[Comparison]) -> str:
    """No difference: replicates if the whole interval lies within {margin} of the reference,
    reversed if it lies outside, otherwise undecided."""
    found = [_within(one, -MARGIN) for one in comparisons]
    return _first(found, REVERSED, NOT_RUN, UNDECIDED, REPLICATES)


def not_higher(comparisons: Sequence[Comparison]) -> str:
    """Not above by more than {margin} of the reference: replicates if the whole interval lies below
    that, reversed if it lies above, otherwise undecided. To be worse is not to be better."""
    found = [_within(one, -float("inf")) for one in comparisons]
    return _first(found, REVERSED, NOT_RUN, UNDECIDED, REPLICATES)


def as_printed(comparisons: Sequence[Comparison]) -> str:
    """Numbers of a dataset table: replicates if all are the printed ones. Fewer users than printed
    are a sample, whose counts cannot match: undecided if the repeat ratio is within {margin}."""
    by_name = {one.label: one for one in comparisons}
    if all(one.difference == 0 for one in comparisons):
        return REPLICATES
    is_sample = abs(by_name["users"].relative) > MARGIN
    return UNDECIDED if is_sample and by_name["repeat_ratio"].is_level else REVERSED


def in_words(rule: Rule) -> str:
    """What a rule says, with its thresholds."""
    return " ".join(rule.__doc__.format(margin=f"{MARGIN:.0%}").split())


THRESHOLDS = (
    f"Significant means p < {NOISE:g} in a paired t-test, Holm-corrected over all comparisons of "
    f"the question. Where the paper prints no number, the effect that is looked for is "
    f"{SMALLEST:.0%} of the reference; no difference means within {MARGIN:.0%} of it."
)
