"""Tables: ours beside the paper's, numbers with intervals, differences with tests."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from nnbr_core.data.baskets import Baskets
from nnbr_core.data.describe import statistics
from nnbr_core.experiments import paper
from nnbr_core.experiments.questions import expected_sign, printed, printed_difference
from nnbr_core.experiments.study import Row, Study, fold_interval, fold_mean, paired
from nnbr_core.significance import NOISE, Comparison, compare, holm

BOUND_DECIMALS = 3  # of an interval
HEADLINE = paper.METRICS
MISSING = "missing"
NONE = "–"
NO_BREAK = "\u00a0"  # a space that keeps an interval on one line
BEST = (" ¹", " ²")  # best and second best
HIGHER, LOWER, LEVEL_WITH, TOO_FEW = "higher", "lower", "cannot be told apart", "not enough runs"
SIGNS = {1: "+", -1: "-", 0: "0"}

Pair = tuple[Row, Row]


def dataset_table(baskets: Baskets, name: str) -> pd.DataFrame:
    """The paper's dataset table: our row, and the paper's where it has one."""
    return statistics_table(statistics(baskets), name)


def statistics_table(ours: Mapping[str, float], name: str) -> pd.DataFrame:
    """The same from statistics that are already known."""
    rows = {f"{name}, here": ours, f"{name}, paper": paper.dataset_row(name)}
    shown = {
        where: {k: f"{value:,.{paper.DECIMALS[k]}f}" for k, value in row.items()}
        for where, row in rows.items()
        if len(row)
    }
    return pd.DataFrame(shown).T


def score(value: float, decimals: int = 4, signed: bool = False) -> str:
    """A score as the paper prints it: .0587, or +.0012 for a difference."""
    if np.isnan(value):
        return NONE
    rounded = round(value, decimals) + 0.0  # no "-.0000"
    return f"{rounded:{'+' if signed else ''}.{decimals}f}".replace("0.", ".", 1)


def _bounds(low: float, high: float, decimals: int = 4, signed: bool = False) -> str:
    return f"[{score(low, decimals, signed)},{NO_BREAK}{score(high, decimals, signed)}]"


def ranked(rows: dict[str, Row], metric: str) -> list[str]:
    """Names from best to worst, over the folds that all recorded methods share."""
    there = {name: row for name, row in rows.items() if row.folds}
    folds = min((row.folds for row in there.values()), default=0)
    means = {name: fold_mean(row.records[:folds], metric) for name, row in there.items()}
    return sorted(means, key=means.get, reverse=True)


def _cell(row: Row, metric: str, mark: str) -> str:
    if not row.folds:
        return MISSING
    ends = _bounds(*fold_interval(row.records, metric), BOUND_DECIMALS)
    return f"{score(fold_mean(row.records, metric))} {ends}{mark}"


def _beside(row: Row, dataset: str, metric: str) -> str:
    """The paper's number, and in brackets how far ours is above it."""
    value = printed(row.method, dataset, metric)
    if np.isnan(value) or not row.folds:
        return score(value)
    return f"{score(value)} ({score(fold_mean(row.records, metric) - value, signed=True)})"


def method_table(
    rows: dict[str, Row], dataset: str, metrics: Sequence[str] = HEADLINE
) -> pd.DataFrame:
    """One row per method: mean over test users, 95 % interval, and what stands behind it.

    Where the paper uses the dataset its numbers stand beside ours, in brackets the difference.
    ¹ and ² are the best two over the folds that all share; `best_sentence` says whether the
    first is above the second by more than noise.
    """
    table = pd.DataFrame(index=list(rows))
    for metric in metrics:
        marks = dict(zip(ranked(rows, metric), BEST, strict=False))
        table[metric] = [_cell(row, metric, marks.get(name, "")) for name, row in rows.items()]
        if dataset in paper.DATASETS:
            beside = [_beside(row, dataset, metric) for row in rows.values()]
            table[f"{metric}, paper"] = beside
    scored = [row.values("recall@10").notna().sum() if row.folds else 0 for row in rows.values()]
    table["users"] = [int(n) for n in scored]
    table["folds"] = [row.folds for row in rows.values()]
    table["settings"] = [row.n_settings for row in rows.values()]
    table["runs missing"] = [row.n_missing for row in rows.values()]
    return table


def best_sentence(rows: dict[str, Row], metrics: Sequence[str] = HEADLINE) -> str:
    """For each metric: which two lead a table, and whether these users can tell them apart."""
    leading = {metric: ranked(rows, metric)[:2] for metric in metrics}
    leading = {metric: two for metric, two in leading.items() if len(two) == 2}
    if not leading:
        return "Fewer than two methods are recorded: there is nothing to rank."
    found = [compare(*paired(rows[a], rows[b], m)) for m, (a, b) in leading.items()]
    parts = [
        f"{metric}: {a} over {b}, {'yes' if p < NOISE else 'no'} (p = {p:.2g})"
        for (metric, (a, b)), p in zip(leading.items(), holm([c.p for c in found]), strict=True)
    ]
    return (
        "Is the best (¹) above the second best (²) by more than noise? "
        + "; ".join(parts)
        + ". Paired t-tests, Holm-corrected."
    )


def _verdict(difference: float, p: float) -> str:
    if p >= NOISE:
        return LEVEL_WITH
    return HIGHER if difference > 0 else LOWER


def _printed(a: Row, b: Row, dataset: str, metric: str) -> str:
    """The paper's difference; for a dataset it does not use, its sign on all that it uses."""
    value = printed_difference(a.method, b.method, dataset, metric)
    if not np.isnan(value):
        return score(value, signed=True)
    sign = expected_sign(a.method, b.method, dataset, metric)
    return f"{SIGNS[sign]} on all three" if sign is not None else NONE


TESTED = ("difference", "95 % interval", "relative", "p", "p Wilcoxon", "p Holm", "verdict")
UNTESTED = dict.fromkeys(TESTED, NONE) | {"verdict": TOO_FEW, "users": 0, "folds": 0, "paper": NONE}


def _difference(a: Row, b: Row, metric: str, found: Comparison, p_holm: float) -> dict:
    below = np.nanmean(paired(a, b, metric)[1])
    return {
        "difference": score(found.difference, signed=True),
        "95 % interval": _bounds(found.low, found.high, signed=True),
        "relative": f"{found.difference / below:+.1%}" if below else NONE,
        "p": f"{found.p:.2g}",
        "p Wilcoxon": f"{found.p_wilcoxon:.2g}",
        "p Holm": f"{p_holm:.2g}",
        "verdict": _verdict(found.difference, p_holm),
        "users": found.n_users,
        "folds": min(a.folds, b.folds),
        "paper": _printed(a, b, a.records[0].dataset, metric),
    }


def difference_table(pairs: Sequence[Pair], metric: str) -> pd.DataFrame:
    """The first of each pair minus the second, for the same users.

    The verdict rests on the paired t-test, Holm-corrected over the table; Wilcoxon's test asks
    the same without assuming a distribution. `paper` is the difference the paper prints.
    """
    names = [f"{a.method.name} vs {b.method.name}" for a, b in pairs]
    there = [i for i, (a, b) in enumerate(pairs) if a.folds and b.folds]
    found = [compare(*paired(*pairs[i], metric)) for i in there]
    lines = [UNTESTED] * len(pairs)
    for i, one, p_holm in zip(there, found, holm([one.p for one in found]), strict=True):
        lines[i] = _difference(*pairs[i], metric, one, p_holm)
    return pd.DataFrame(lines, index=names, columns=list(UNTESTED))


def agreement(table: pd.DataFrame) -> str:
    """One sentence: how the verdicts of a difference table compare with the paper's signs."""
    expected = table["paper"].str[0].map({"+": HIGHER, "-": LOWER, "0": LEVEL_WITH})
    known = table[expected.notna()]
    if known.empty:
        return (
            "For these differences the paper reports no sign that holds on all of its datasets: "
            "there is nothing to compare with."
        )
    verdict, expected = known["verdict"], expected[expected.notna()]
    open_ = verdict.isin([LEVEL_WITH, TOO_FEW]) & (verdict != expected)
    agree = int((verdict == expected).sum())
    against = len(known) - agree - int(open_.sum())
    return (
        f"Of {len(known)} differences whose sign the paper reports, {agree} come out the same way "
        f"here, {against} the other way, and {int(open_.sum())} are not settled by these runs."
    )


def _folds(rows: Sequence[Row], n_folds: int) -> str:
    found = sorted({row.folds for row in rows if row.folds})
    return f"{' to '.join(map(str, dict.fromkeys(found[:1] + found[-1:])))} of {n_folds} folds"


def standing(study: Study, rows: dict[str, Row]) -> str:
    """One sentence: what stands behind a table, and how far that is from the paper's protocol."""
    there = [row for row in rows.values() if row.folds]
    folds = _folds(there, study.facts.n_folds) if there else "no folds"
    n_runs = sum(row.folds * row.n_settings for row in there)
    n_missing = sum(row.n_missing for row in rows.values())
    users = f"{study.facts.n_users:,} {'sequences' if study.recipe.window_weeks else 'users'}"
    if full := paper.dataset_row(study.name):
        users += f" (the paper: {int(full['users']):,})"
    small = "; quick profile: small models, few epochs" * (study.profile == "quick")
    return (
        f"Behind this table: {len(there)} of {len(rows)} methods, {folds}, {n_runs} runs, "
        f"{n_missing} missing, {users}{small}. The paper: five splits, and for every trained "
        "method a search over sizes 16 to 128, five mask ratios and 25 swaps."
    )


def rank_table(rows: dict[str, dict[str, Row]], metric: str) -> pd.DataFrame:
    """Place of every method on every dataset, 1 is best; NaN where it is not recorded."""
    places = {
        dataset: {name: place for place, name in enumerate(ranked(own, metric), start=1)}
        for dataset, own in rows.items()
    }
    methods = list(dict.fromkeys(name for own in rows.values() for name in own))
    return pd.DataFrame(places, index=methods, dtype="Int64")
