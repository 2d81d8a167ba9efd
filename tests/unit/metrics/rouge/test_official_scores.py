"""ROUGE-1.5.5's averages and bounds: exact sums, and the program's own order where a digit hangs on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rubrica.core import kernels
from rubrica.metrics.rouge import bootstrap
from rubrica.metrics.rouge.bootstrap import (
    official_intervals,
    official_order,
    official_scores,
    printed_units,
)


def in_the_order_drawn(units: np.ndarray, rounds: int, confidence: float = 95.0) -> np.ndarray:
    """As the program computes it: floating-point numbers, added one after the other."""
    sums = kernels.rouge155_bootstrap_sums(units / 1e5, rounds)
    return np.array(official_intervals(sums / len(units), confidence))


# Few and round values, so that many means lie between two printed numbers.
ROUND = st.sampled_from([0, 1, 2, 3, 12345, 12346, 50000, 99999, 100000])


@given(
    arrays(
        np.int32,
        st.tuples(st.integers(1, 40), st.integers(1, 3)),
        elements=ROUND | st.integers(0, 100_000),
    ),
    st.sampled_from([1, 10, 100]),
    st.sampled_from([50.0, 95.0, 99.9]),
)
def test_every_digit_is_that_of_the_order_drawn(
    units: np.ndarray, rounds: int, confidence: float
) -> None:
    found = np.array(official_scores(units, rounds, confidence))
    np.testing.assert_array_equal(found, in_the_order_drawn(units, rounds, confidence))


# Means of four of these end in a 5 that is not printed; which way they go is decided by noise.
TIES = np.array([[98480, 91384], [838, 82578], [24330, 15682], [46699, 77811]], dtype=np.int32)


def test_a_tie_goes_as_the_noise_of_the_program_has_it() -> None:
    exact = official_intervals(kernels.rouge155_whole_sums(TIES, 100) / (1e5 * len(TIES)))
    found = np.array(official_scores(TIES, 100))
    assert (np.array(exact) != found).any()
    np.testing.assert_array_equal(found, in_the_order_drawn(TIES, 100))


def test_many_evaluations_are_added_once_and_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    units = np.random.default_rng(5).integers(0, 100_001, (5000, 3), dtype=np.int32)
    wanted = in_the_order_drawn(units, 300)
    monkeypatch.delattr(bootstrap.kernels, "rouge155_bootstrap_sums")
    np.testing.assert_array_equal(np.array(official_scores(units, 300)), wanted)


@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 100, 101, 12345])
def test_evaluations_stand_in_the_order_of_their_names(count: int) -> None:
    names = sorted(range(count), key=lambda number: f"{number + 1}.")
    assert official_order(count).tolist() == names


def test_scores_become_the_digits_that_are_printed() -> None:
    values = np.array([[0.0, 100.0], [12.3454999, 33.33333333], [0.0005, 66.6666666]])
    assert printed_units(values, 100.0).tolist() == [[0, 100_000], [12345, 33333], [1, 66667]]
    order = np.array([2, 0, 1])
    assert (
        printed_units(values, 100.0, order).tolist() == printed_units(values, 100.0)[order].tolist()
    )
    with pytest.raises(ValueError, match="undefined"):
        printed_units(np.array([[np.nan]]))
