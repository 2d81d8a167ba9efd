"""Systems compared on the inputs they share: means with intervals, and a paired test of every pair.

One set of draws serves everything: each round draws as many inputs as there are, with replacement,
and all systems are judged on the inputs drawn. Undefined scores are left out of their means.

The test of two systems is the paired bootstrap. With d the mean difference over the inputs both have,
and d* that of a round, p = (1 + number of rounds with |d* - d| >= |d|) / (1 + rounds). The adjusted p
is Holm's, over all pairs of one measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.data.metrics import exact_mean
from rubrica.statistics.intervals import Interval, Resampling

Floats: TypeAlias = NDArray[np.float64]
# Pairs of systems that are drawn together: 10,000 rounds of them are 10 MB.
_AT_ONCE = 128


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
        differences = {pair: values[pair[0], :, m] - values[pair[1], :, m] for pair in pairs}
        # Means of systems that lack different inputs cannot be subtracted: their differences are drawn.
        broken = [(one, other) for one, other in pairs if not (whole[one, m] and whole[other, m])]
        p_values: dict[tuple[int, int], float | None] = {}
        for pair, drawn in _drawn(differences, broken, resampling):
            p_values[pair] = _tested(differences[pair], drawn)
        found = []
        for one, other in pairs:
            column = differences[one, other]
            if (one, other) not in p_values:
                drawn = None if means is None else means[:, one, m] - means[:, other, m]
                p_values[one, other] = _tested(column, drawn)
            shared = int(np.sum(~np.isnan(column)))
            found.append((one, other, shared, exact_mean(column.tolist()), p_values[one, other]))
        adjusted = holm([test[-1] for test in found])
        tests.append([PairTest(*test, q) for test, q in zip(found, adjusted, strict=True)])
    return tests


def _drawn(
    differences: Mapping[tuple[int, int], Floats],
    pairs: Sequence[tuple[int, int]],
    resampling: Resampling,
) -> Iterator[tuple[tuple[int, int], Floats | None]]:
    """Each pair with its mean differences in all rounds; many pairs share one set of draws."""
    for start in range(0, len(pairs), _AT_ONCE):
        some = pairs[start : start + _AT_ONCE]
        rows = np.array([differences[pair] for pair in some])
        means = _resampled_means(rows[:, :, None], resampling)
        for at, pair in enumerate(some):
            yield pair, None if means is None else means[:, at, 0]


def _tested(column: Floats, drawn: Floats | None) -> float | None:
    if drawn is None or np.sum(~np.isnan(column)) < 2:
        return None
    return _p_value(exact_mean(column.tolist()), drawn)


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
