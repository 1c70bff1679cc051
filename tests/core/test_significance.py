import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from nnbr_core.errors import InputError
from nnbr_core.significance import SHARPNESS, holm, interval, paired_test, users_to_decide


def test_an_interval_covers_the_true_mean_about_95_times_of_100():
    rng = np.random.default_rng(0)
    intervals = [interval(rng.exponential(size=200), seed=i) for i in range(100)]
    assert 88 <= sum(low <= 1 <= high for low, high in intervals) <= 99


def test_users_without_a_value_are_left_out_of_the_interval():
    values = np.array([1.0, 2.0, 3.0, np.nan])
    assert interval(values) == interval(values[:3])


def test_a_constant_has_an_interval_of_no_width():
    assert interval(np.full(5, 0.25)) == (0.25, 0.25)


def test_users_with_both_values_are_paired():
    rng = np.random.default_rng(1)
    b = rng.random(50)
    a = b + 0.1 + 0.05 * rng.standard_normal(50)
    a[0], b[1] = np.nan, np.nan
    found = paired_test(a, b)
    assert found.n_users == 48
    assert found.difference == pytest.approx(np.mean(a[2:] - b[2:]))
    assert found.p == stats.ttest_rel(a[2:], b[2:]).pvalue
    assert found.low < found.difference < found.high
    assert found.spread == pytest.approx(np.std(a[2:] - b[2:], ddof=1))
    assert found.p_wilcoxon < 0.001


def test_the_same_method_twice_is_no_difference():
    found = paired_test(np.arange(4.0), np.arange(4.0))
    assert (found.difference, found.p, found.p_wilcoxon) == (0, 1, 1)


def test_different_users_cannot_be_paired():
    with pytest.raises(InputError, match="3 against 2"):
        paired_test(np.zeros(3), np.zeros(2))


def test_holm_is_what_statsmodels_gives():
    rng = np.random.default_rng(2)
    for n in (1, 2, 5, 40):
        p = rng.random(n) ** 3
        assert holm(p.tolist()) == pytest.approx(multipletests(p, method="holm")[1])
    assert len(holm([])) == 0


def test_as_many_users_decide_as_bring_half_an_interval_to_half_an_effect():
    n = users_to_decide(spread=0.2, effect=0.05)
    assert SHARPNESS * 0.2 / np.sqrt(n) <= 0.05 / 2 < SHARPNESS * 0.2 / np.sqrt(n - 1)


def test_an_interval_is_that_of_resampled_means():
    values = np.random.default_rng(3).exponential(size=500)
    ours = interval(values)
    theirs = stats.bootstrap((values,), np.mean, method="percentile").confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.1 * (theirs.high - theirs.low))
