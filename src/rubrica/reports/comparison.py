"""Systems compared on the inputs they share: means with intervals, and a paired test of every pair.

One set of draws serves everything: each round draws as many inputs as there are, with replacement,
and all systems are judged on the inputs drawn. Undefined scores are left out of their means.

The test of two systems is the paired bootstrap. With d the mean difference over the inputs both have,
and d* that of a round, p = (1 + number of rounds with |d* - d| >= |d|) / (1 + rounds). The adjusted p
is Holm's, over all pairs of one measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.data.metrics import exact_mean
from rubrica.metrics.intervals import Interval, Resampling

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairTest:
    """Systems `one` and `other` (by number) on `inputs` shared inputs; `difference` is one - other.

    p values are None where fewer than two inputs are shared or nothing was resampled.
    """

    one: int
    other: int
    inputs: int
    difference: float
    p: float | None
    p_adjusted: float | None


def compare(
    values: Floats, resampling: Resampling
) -> tuple[list[list[Interval]], list[list[PairTest]]]:
    """Intervals [system][measure] and tests [measure][pair] of values [system, input, measure]."""
    systems, _, measures = values.shape
    pairs = list(combinations(range(systems), 2))
    means = _resampled_means(values, resampling)
    intervals = [
        [
            _interval(values[s, :, m], None if means is None else means[:, s, m], resampling)
            for m in range(measures)
        ]
        for s in range(systems)
    ]
    return intervals, _tests(values, pairs, means, resampling)


def _tests(
    values: Floats, pairs: list[tuple[int, int]], means: Floats | None, resampling: Resampling
) -> list[list[PairTest]]:
    whole: NDArray[np.bool_] = np.all(~np.isnan(values), axis=1)
    tests = []
    for m in range(values.shape[2]):
        found = []
        for one, other in pairs:
            column = values[one, :, m] - values[other, :, m]
            shared, observed = int(np.sum(~np.isnan(column))), exact_mean(column.tolist())
            p = None
            if means is not None and shared > 1:
                if whole[one, m] and whole[other, m]:
                    drawn = means[:, one, m] - means[:, other, m]
                else:
                    again = _resampled_means(column[None, :, None], resampling)
                    assert again is not None
                    drawn = again[:, 0, 0]
                p = _p_value(observed, drawn)
            found.append((one, other, shared, observed, p))
        adjusted = holm([test[-1] for test in found])
        tests.append([PairTest(*test, q) for test, q in zip(found, adjusted, strict=True)])
    return tests


def _resampled_means(values: Floats, resampling: Resampling) -> Floats | None:
    """Means over the inputs drawn in each round: array [round, row, measure]."""
    rows, inputs, measures = values.shape
    if resampling.rounds < 1 or inputs < 1:
        return None
    by_input = values.transpose(1, 0, 2).reshape(inputs, rows * measures)
    missing = np.isnan(by_input)
    sums = _sums(np.where(missing, 0.0, by_input), resampling)
    counts = np.full_like(sums, float(inputs))
    some = np.flatnonzero(missing.any(axis=0))
    if len(some):
        counts[:, some] = _sums((~missing[:, some]).astype(np.float64), resampling)
    means = np.full_like(sums, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means.reshape(resampling.rounds, rows, measures)


def _sums(columns: Floats, resampling: Resampling) -> Floats:
    return kernels.bootstrap_sums(np.ascontiguousarray(columns), resampling.rounds, resampling.seed)


def _interval(column: Floats, means: Floats | None, resampling: Resampling) -> Interval:
    value = exact_mean(column.tolist())
    if means is None or np.sum(~np.isnan(column)) < 2:
        return Interval(value)
    # A round that drew no input with a score says nothing.
    lower, upper = resampling.bounds(means[~np.isnan(means)][:, None])
    return Interval(value, float(lower[0]), float(upper[0]))


def _p_value(observed: float, drawn: Floats) -> float:
    told = drawn[~np.isnan(drawn)]
    # Sums in another order differ in the last bits; they must not decide a tie.
    slack = 1e-12 * max(1.0, abs(observed))
    extreme = int(np.sum(np.abs(told - observed) >= abs(observed) - slack))
    return (1 + extreme) / (1 + len(told))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p values: the smallest times their number, the next times one less, never falling."""
    known = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, at) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        adjusted[at] = highest
    return adjusted
