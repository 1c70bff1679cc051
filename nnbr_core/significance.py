"""Is a difference more than noise? Paired tests and intervals on per-user values."""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

from nnbr_core.errors import InputError

N_RESAMPLES = 2000
CONFIDENCE = 0.95  # of intervals
NOISE = 0.05  # p-values from here on are noise


def interval(values: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """A 95 % bootstrap interval of the mean, over users with a value.

    Percentiles of resampled means: every resample draws as many users as there are.
    """
    values = values[~np.isnan(values)]
    if len(values) < 2 or np.ptp(values) == 0:
        mean = float(values.mean()) if len(values) else float("nan")
        return mean, mean
    found = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=N_RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        batch=100,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


@dataclass(frozen=True)
class Comparison:
    """How much better `a` is than `b` for the same users."""

    difference: float  # mean of a - b
    low: float  # 95 % interval of it
    high: float
    p: float  # paired t-test
    p_wilcoxon: float  # the same question without assuming a distribution
    n_users: int


def compare(a: np.ndarray, b: np.ndarray) -> Comparison:
    """Paired comparison of two methods; users who have no value in either are left out."""
    if len(a) != len(b):
        raise InputError(f"a paired test needs the same users: {len(a)} against {len(b)}")
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    low, high = interval(a - b)
    if len(a) < 2 or np.array_equal(a, b):
        mean = float(np.mean(a - b)) if len(a) else float("nan")
        return Comparison(mean, low, high, 1.0, 1.0, len(a))
    return Comparison(
        difference=float(np.mean(a - b)),
        low=low,
        high=high,
        p=float(stats.ttest_rel(a, b).pvalue),
        p_wilcoxon=float(stats.wilcoxon(a, b, zero_method="zsplit").pvalue),
        n_users=len(a),
    )


def holm(p_values: list[float]) -> np.ndarray:
    """p-values corrected for having looked at all of a table's comparisons."""
    return multipletests(p_values, method="holm")[1] if len(p_values) else np.array([])
