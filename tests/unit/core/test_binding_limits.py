"""Abuse of the kernels: no crash, and both implementations agree on what is undefined."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rubrica.core import kernels
from rubrica.core.python import correlation as plain
from rubrica.core.python import exchanged_sums as plain_sums
from rubrica.errors import DataError

FUZZ = Path(__file__).resolve().parents[2] / "native" / "fuzz_bindings.py"
COEFFICIENTS = ["pearson", "spearman", "kendall", "tau-a", "tau-c"]
LEVELS = ["summary", "system", "global"]
needs_native = pytest.mark.skipif(
    kernels.IMPLEMENTATION != "native", reason="needs the compiled kernels"
)


@pytest.mark.slow
@needs_native
def test_no_abusive_call_crashes_a_binding() -> None:
    done = subprocess.run(
        [sys.executable, str(FUZZ), "2000", "3"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2,000 calls, 0 crashes or hangs" in done.stdout


@pytest.mark.parametrize("module", [kernels, plain])
def test_infinite_scores_are_refused(module: object) -> None:
    scores = np.array([[[1.0, 2.0], [3.0, np.inf]]])
    for name in ("column_correlations",):
        with pytest.raises(DataError, match="infinite scores"):
            getattr(module, name)(scores, scores[0], "pearson")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (3, 2)])
def test_both_implementations_agree_on_tables_of_any_size(
    shape: tuple[int, int], coefficient: str, level: str
) -> None:
    systems, inputs = shape
    scores = np.arange(2.0 * systems * inputs).reshape(2, systems, inputs) ** 2 % 7
    human = np.arange(1.0 * systems * inputs).reshape(systems, inputs)
    counts = np.ones((3, systems), np.int32), np.ones((3, inputs), np.int32)
    pairs = np.array([[0, 1]])
    swaps = kernels.swap_masks(systems, inputs, "cells", 3, 1)
    for zero in (False, True):
        ours = kernels.resampled_correlations(scores, human, level, coefficient, *counts, zero)
        theirs = plain.resampled_correlations(scores, human, level, coefficient, *counts, zero)
        np.testing.assert_array_equal(ours, theirs)
        ours = kernels.swapped_correlations(scores, human, level, coefficient, pairs, swaps, zero)
        theirs = plain.swapped_correlations(scores, human, level, coefficient, pairs, swaps, zero)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("module", [kernels, plain])
def test_correlations_of_huge_numbers_are_right_or_undefined(module: object, level: str) -> None:
    human = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 5.0]])
    counts = np.ones((1, 3), np.int32), np.ones((1, 2), np.int32)
    correlate = module.resampled_correlations  # type: ignore[attr-defined]
    for scale in (1.0, 1e100, 1e140, 1e200, 1e300, 1e307):
        [[value]] = correlate((human * scale)[None], human, level, "pearson", *counts)
        assert np.isnan(value) or value == pytest.approx(1.0), scale
        [[value]] = correlate((human * scale)[None], human, level, "kendall", *counts)
        assert np.isnan(value) or value == pytest.approx(1.0), scale


@pytest.mark.parametrize("coefficient", ["spearman", "kendall", "tau-c"])
def test_both_implementations_rank_means_that_overflow(coefficient: str) -> None:
    scores = np.array([[[0.5, 3.0], [1.7e308, 1.7e308], [0.1, 2.0]]])
    human = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    counts = np.array([[1, 1, 1], [2, 0, 2]], np.int32), np.array([[2, 2], [1, 2]], np.int32)
    rest = human, "system", coefficient, *counts
    ours = kernels.resampled_correlations(scores, *rest)
    np.testing.assert_array_equal(ours, plain.resampled_correlations(scores, *rest))
    assert not np.isnan(ours).any()


def test_infinite_weights_count_where_they_are_exchanged() -> None:
    weights, swaps = np.array([[np.inf], [1.0]]), np.array([[0, 1], [1, 1]], np.uint8)
    for module in (kernels, plain_sums):
        assert module.masked_sums(weights, swaps).tolist() == [[1.0], [np.inf]]  # type: ignore[attr-defined]
