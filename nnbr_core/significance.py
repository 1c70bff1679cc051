"""Is a difference more than noise? Paired tests and intervals on per-user values."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import stats

from nnbr_core.errors import InputError

# Every threshold that a verdict depends on. Sentences that name one are made from these.
CONFIDENCE = 0.95  # of intervals
NOISE = 0.05  # p-values from here on are noise
MARGIN = 0.05  # of the reference: a smaller difference makes no difference
SMALLEST = 0.03  # of the reference: the effect of interest where the paper prints none
LEARNED = 0.5  # of popularity's validation recall@10: what any training should reach

N_RESAMPLES = 2000
BATCH = 100  # resamples drawn at once
SHARPNESS = float(stats.norm.ppf((1 + CONFIDENCE) / 2))  # 1.96 standard errors


@lru_cache(maxsize=16)
def _resamples(n_users: int, seed: int) -> np.ndarray:
    """uint8 [N_RESAMPLES, n_users]: how often each user is drawn in each resample.

    Every method of a table is judged by the same users, so the draws are made once for all
    of them: scipy's bootstrap would draw them anew for each number, which took most of the
    time that a page takes.
    """
    rng = np.random.default_rng(seed)
    counts = np.empty((N_RESAMPLES, n_users), dtype=np.uint8)
    for start in range(0, N_RESAMPLES, BATCH):
        drawn = rng.integers(0, n_users, (BATCH, n_users))
        drawn += n_users * np.arange(BATCH)[:, None]
        flat = np.bincount(drawn.ravel(), minlength=BATCH * n_users)
        counts[start : start + BATCH] = flat.reshape(BATCH, n_users)
    return counts


def interval(values: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """A 95 % bootstrap interval of the mean, over users with a value.

    Percentiles of resampled means: every resample draws as many users as there are.
    """
    values = values[~np.isnan(values)]
    if len(values) < 2 or np.ptp(values) == 0:
        mean = float(values.mean()) if len(values) else float("nan")
        return mean, mean
    counts, mean = _resamples(len(values), seed), values.mean()
    centred = (values - mean).astype(np.float32)  # so that single precision is plenty
    # Not a matrix product: its threads cost more than they bring for one vector.
    sums = np.einsum("ru,u->r", counts, centred)
    tail = (1 - CONFIDENCE) / 2
    off = np.quantile(sums / len(values), [tail, 1 - tail])
    return float(mean + off[0]), float(mean + off[1])


@dataclass(frozen=True)
class PairedTest:
    """How much better `a` is than `b` for the same users."""

    difference: float  # mean of a - b
    low: float  # 95 % interval of it
    high: float
    p: float  # paired t-test
    p_wilcoxon: float  # the same question without assuming a distribution
    n_users: int
    spread: float  # standard deviation of the users' differences


def paired_test(a: np.ndarray, b: np.ndarray) -> PairedTest:
    """Compare two methods; users who have no value in either are left out."""
    if len(a) != len(b):
        raise InputError(f"a paired test needs the same users: {len(a)} against {len(b)}")
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    low, high = interval(a - b)
    if len(a) < 2 or np.array_equal(a, b):
        mean = float(np.mean(a - b)) if len(a) else float("nan")
        return PairedTest(mean, low, high, 1.0, 1.0, len(a), 0.0)
    return PairedTest(
        difference=float(np.mean(a - b)),
        low=low,
        high=high,
        p=float(stats.ttest_rel(a, b).pvalue),
        p_wilcoxon=float(stats.wilcoxon(a, b, zero_method="zsplit").pvalue),
        n_users=len(a),
        spread=float(np.std(a - b, ddof=1)),
    )


def users_to_decide(spread: float, effect: float) -> int:
    """How many users bring half an interval down to half of an effect.

    >>> users_to_decide(spread=0.1, effect=0.01)
    1537
    """
    return int(np.ceil((2 * SHARPNESS * spread / effect) ** 2))


def holm(p_values: list[float]) -> np.ndarray:
    """p-values corrected for having looked at all of a table's comparisons.

    The smallest of m counts m times, the next m - 1 times, ..., and none falls below the one
    before it. (statsmodels does the same and collects garbage first, which takes longer than a
    whole page of tests.)

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    times = np.arange(len(p_values), 0, -1)
    rising = np.maximum.accumulate(np.asarray(p_values, dtype=float)[order] * times)
    fixed = np.empty(len(p_values))
    fixed[order] = np.minimum(rising, 1.0)
    return fixed
