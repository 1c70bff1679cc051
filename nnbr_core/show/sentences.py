"""What a figure or a table says, in a sentence that is computed."""

import pandas as pd
from IPython.display import Markdown, display

from nnbr_core.experiments.methods import BASKET_LEVEL, ITEM_LEVEL
from nnbr_core.experiments.questions import best_ratio
from nnbr_core.show.record_plots import peaks

# Where the paper finds the best mask ratio, from and to.
PAPERS_RATIO = {"tafeng": (0.1, 0.1), "dunnhumby": (0.5, 0.7), "instacart": (0.5, 0.7)}


def say(sentence: str) -> None:
    """Show a sentence as text that flows with the window; `print` would break words."""
    display(Markdown(sentence))


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


def best_ratio_sentence(frame: pd.DataFrame, dataset: str) -> str:
    """Which mask ratio validation users prefer, and whether that is the paper's."""
    there = [name for name in ITEM_LEVEL if frame.loc[frame["masking"] == name, "record"].any()]
    if not there:
        return "No mask ratio is recorded."
    best = {name: best_ratio(frame, name) for name in there}
    said = "Validation users prefer " + " and ".join(f"{r} for {n}" for n, r in best.items())
    if dataset not in PAPERS_RATIO:
        return f"{said}. The paper does not use {dataset}."
    low, high = PAPERS_RATIO[dataset]
    agree = [low <= ratio <= high for ratio in best.values()]
    verdict = "agrees" if all(agree) else "does not agree" if not any(agree) else "agrees in part"
    where = f"{low}" if low == high else f"{low} to {high}"
    return f"{said}; the paper finds {where}: this run {verdict}, as far as one curve can tell."


def peak_sentence(curves: pd.DataFrame) -> str:
    """Do basket-level objectives peak before item-level ones, as in the paper?"""
    if curves.empty or not {*BASKET_LEVEL, *ITEM_LEVEL} <= set(curves["masking"]):
        return "Some strategies have no learning curve yet: nothing to compare with the paper."
    at = peaks(curves)["peak epoch"]
    latest, earliest = max(at[list(BASKET_LEVEL)]), min(at[list(ITEM_LEVEL)])
    order = "before" if latest < earliest else "not before"
    verdict = "agrees" if latest < earliest else "does not agree"
    return (
        f"Basket-level training peaks in epoch {latest} at the latest, {order} item-level training "
        f"(epoch {earliest} at the earliest). The paper finds it peaking first: this run {verdict}."
    )


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
