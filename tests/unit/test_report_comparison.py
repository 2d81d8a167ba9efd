"""Systems compared: means, intervals, and the paired bootstrap, against plainer computations."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.core.python.common import uniforms
from rubrica.data.metrics import exact_mean
from rubrica.reports.comparison import compare, holm
from rubrica.statistics.intervals import Resampling, bootstrap_means

RESAMPLING = Resampling(rounds=200, seed=7)


def scores(*systems: list[float]) -> np.ndarray:
    return np.array(systems)[:, :, None]


def plain_p(one: np.ndarray, other: np.ndarray) -> float:
    """The rule, round by round."""
    difference = one - other
    observed = difference.mean()
    extreme = 0
    for number in range(RESAMPLING.rounds):
        drawn = (uniforms(RESAMPLING.seed, number, len(one)) * len(one)).astype(int)
        extreme += abs(difference[drawn].mean() - observed) >= abs(observed) - 1e-9
    return (1 + extreme) / (1 + RESAMPLING.rounds)


def test_p_follows_the_stated_rule() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(3, 25, 2)) + np.array([0.0, 0.4, 1.0])[:, None, None]
    _, tests = compare(values, RESAMPLING)
    for m in range(2):
        for test in tests[m]:
            expected = plain_p(values[test.one, :, m], values[test.other, :, m])
            assert test.p == pytest.approx(expected)
            assert test.difference == pytest.approx(
                (values[test.one, :, m] - values[test.other, :, m]).mean()
            )


def test_intervals_are_those_of_evaluate() -> None:
    values = np.random.default_rng(0).normal(size=(2, 30, 3))
    intervals, _ = compare(values, RESAMPLING)
    for s in range(2):
        expected = bootstrap_means(values[s], RESAMPLING)
        for found, wanted in zip(intervals[s], expected, strict=True):
            assert found.value == wanted.value
            assert (found.lower, found.upper) == pytest.approx((wanted.lower, wanted.upper))


def test_equal_systems_are_not_told_apart() -> None:
    _, [[test]] = compare(scores([1, 2, 3, 4], [1, 2, 3, 4]), RESAMPLING)
    assert (test.difference, test.p) == (0.0, 1.0)


def test_a_constant_difference_is_as_sure_as_the_rounds_allow() -> None:
    _, [[test]] = compare(scores([2, 3, 4, 5], [1, 2, 3, 4]), RESAMPLING)
    assert test.p == pytest.approx(1 / 201)


def test_only_shared_inputs_count() -> None:
    nan = np.nan
    intervals, [[test]] = compare(scores([1, 2, 3, nan], [0, nan, 1, 9]), RESAMPLING)
    assert test.inputs == 2
    assert test.difference == 1.5
    assert intervals[1][0].value == pytest.approx(10 / 3)
    # The scores that only one system has do not touch the test.
    _, [[again]] = compare(scores([1, 700, 3, nan], [0, nan, 1, -50]), RESAMPLING)
    assert (test.p, test.difference) == (again.p, again.difference)


def test_one_shared_input_or_no_rounds_give_no_p() -> None:
    nan = np.nan
    _, [[test]] = compare(scores([1, nan], [2, 3]), RESAMPLING)
    assert test.p is test.p_adjusted is None
    intervals, [[test]] = compare(scores([1, 2], [2, 4]), Resampling(rounds=0))
    assert test.p is None
    assert intervals[0][0].lower is None


def test_one_system_has_nobody_to_be_compared_with() -> None:
    intervals, tests = compare(scores([1, 2, 3]), RESAMPLING)
    assert tests == [[]]
    assert intervals[0][0].value == 2


def test_holm_by_hand() -> None:
    # Holm (1979): 0.01 * 4, then max(0.04, 0.02 * 3), max(0.06, 0.03 * 2), max(0.06, 0.04 * 1).
    assert holm([0.02, None, 0.01, 0.04, 0.03]) == [
        pytest.approx(value) if value is not None else None
        for value in (0.06, None, 0.04, 0.06, 0.06)
    ]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_a_p_value_nor_changes_their_order(p_values: list[float]) -> None:
    adjusted = [value for value in holm(p_values) if value is not None]
    assert all(a >= p for a, p in zip(adjusted, p_values, strict=True))
    ranked = [adjusted[at] for at in np.argsort(p_values, kind="stable")]
    assert ranked == sorted(ranked)


def test_means_of_columns_are_those_of_lists() -> None:
    columns = [[1e308, 1e308, -1e308], [0.1, 0.2, np.nan], [np.nan] * 3]
    found = bootstrap_means(np.array(columns).T, Resampling(0))
    np.testing.assert_array_equal([one.value for one in found], [exact_mean(c) for c in columns])


def test_many_values_are_resampled_in_the_memory_of_a_column_or_two() -> None:
    values = np.random.default_rng(0).random((100_000, 6))
    tracemalloc.start()
    try:
        bootstrap_means(values, Resampling(4))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < values.nbytes
