import pytest

from nnbr_core.experiments.evidence import Check
from nnbr_core.experiments.verdicts import (
    FAILS,
    HOLDS,
    MISSING,
    UNCLEAR,
    all_higher,
    as_printed,
    level,
    most_higher,
    not_higher,
    not_lowest,
)


def check(difference: float, half: float, p: float) -> Check:
    """A difference relative to 1 with an interval of this half-width."""
    low, high = difference - half, difference + half
    return Check("made up", difference, low, high, p, reference=1.0, n=100, folds=1)


UP, DOWN, NOISE = check(0.2, 0.1, 0.001), check(-0.2, 0.1, 0.001), check(0.1, 0.3, 0.5)
SAME, NONE = check(0.01, 0.03, 0.4), Check("nothing")
SLIGHTLY_UP = check(0.02, 0.01, 0.001)  # significant, and within 5 % of the reference


@pytest.mark.parametrize(
    ("rule", "checks", "verdict"),
    [
        (all_higher, [UP, UP], HOLDS),
        (all_higher, [UP, DOWN], FAILS),
        (all_higher, [UP, NOISE], UNCLEAR),
        (all_higher, [UP, NONE], MISSING),
        (all_higher, [DOWN, NONE], FAILS),  # what is missing cannot save it
        (all_higher, [], MISSING),
        (most_higher, [UP, UP, DOWN], HOLDS),
        (most_higher, [UP, UP, NONE], HOLDS),
        (most_higher, [UP, DOWN], FAILS),
        (most_higher, [UP, NOISE], UNCLEAR),
        (most_higher, [UP, NONE], MISSING),
        (most_higher, [], MISSING),
        (not_lowest, [UP, DOWN, NONE], HOLDS),
        (not_lowest, [UP, UP], FAILS),
        (not_lowest, [UP, NOISE], UNCLEAR),
        (not_lowest, [UP, NONE], MISSING),
        (level, [SAME], HOLDS),
        (level, [SLIGHTLY_UP], HOLDS),
        (level, [UP], FAILS),
        (level, [DOWN], FAILS),
        (level, [NOISE], UNCLEAR),
        (level, [SAME, NONE], MISSING),
        (not_higher, [SAME], HOLDS),
        (not_higher, [DOWN], HOLDS),
        (not_higher, [UP], FAILS),
        (not_higher, [NOISE], UNCLEAR),
        (not_higher, [NONE], MISSING),
    ],
)
def test_each_rule_reaches_each_of_its_verdicts(rule, checks, verdict):
    assert rule(checks) == verdict


@pytest.mark.parametrize(
    ("users", "repeat", "verdict"),
    [(0, 0, HOLDS), (-900, 0.01, UNCLEAR), (-900, 0.06, FAILS), (1, 0, FAILS)],
)
def test_a_sample_can_only_match_the_ratio(users, repeat, verdict):
    def number(name: str, off: float, printed: float) -> Check:
        return Check(name, off, off, off, 1.0, printed, name, 1000, 5)

    table = [number("users", users, 1000.0), number("repeat_ratio", repeat, 0.4)]
    assert as_printed(table) == verdict
