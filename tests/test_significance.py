import numpy as np
import pytest
from scipy import stats

from nnbr_core.errors import InputError
from nnbr_core.significance import compare, holm, interval


def test_an_interval_covers_the_true_mean_about_95_times_of_100():
    rng = np.random.default_rng(0)
    intervals = [interval(rng.exponential(size=200), seed=i) for i in range(100)]
    assert 88 <= sum(low <= 1 <= high for low, high in intervals) <= 99


def test_users_without_a_value_are_left_out_of_the_interval():
    values = np.array([1.0, 2.0, 3.0, np.nan])
    assert interval(values) == interval(values[:3])


def test_a_constant_has_an_interval_of_no_width():
    assert interval(np.full(5, 0.25)) == (0.25, 0.25)


def test_compare_is_the_paired_test_over_users_with_both_values():
    rng = np.random.default_rng(1)
    b = rng.random(50)
    a = b + 0.1 + 0.05 * rng.standard_normal(50)
    a[0], b[1] = np.nan, np.nan
    found = compare(a, b)
    assert found.n_users == 48
    assert found.difference == pytest.approx(np.mean(a[2:] - b[2:]))
    assert found.p == stats.ttest_rel(a[2:], b[2:]).pvalue
    assert found.low < found.difference < found.high
    assert found.p_wilcoxon < 0.001


def test_the_same_method_twice_is_no_difference():
    found = compare(np.arange(4.0), np.arange(4.0))
    assert (found.difference, found.p, found.p_wilcoxon) == (0, 1, 1)


def test_different_users_cannot_be_paired():
    with pytest.raises(InputError, match="3 against 2"):
        compare(np.zeros(3), np.zeros(2))


def test_holm_multiplies_the_smallest_p_by_the_number_of_tests():
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.02, 0.7]).tolist() == pytest.approx([1, 0.06, 1])  # never above one
    assert len(holm([])) == 0
