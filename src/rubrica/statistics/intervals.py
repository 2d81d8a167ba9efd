"""Confidence intervals of a system's scores, by resampling its summaries."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.cores import available_cores
from rubrica.data.metrics import exact_mean
from rubrica.errors import ParameterError
from rubrica.parameters import SEED
from rubrica.statistics.student import expanded_level, normal_quantile

FloatMatrix: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its interval; without resampling, or with one summary, the bounds are None."""

    value: float
    lower: float | None = None
    upper: float | None = None


MAX_ROUNDS = 10_000_000


def check_rounds(rounds: int) -> None:
    """Refuse more rounds than anybody can wait for, or than memory holds."""
    if rounds > MAX_ROUNDS:
        raise ParameterError(f"more than {MAX_ROUNDS:,} rounds: {rounds}")


@dataclass(frozen=True, slots=True)
class Resampling:
    """Choices of a bootstrap: rounds (0 for none), confidence in percent, seed."""

    rounds: int = 1000
    confidence: float = 95.0
    seed: int = SEED

    def __post_init__(self) -> None:
        if not 0 <= self.rounds <= MAX_ROUNDS:
            raise ParameterError(
                f"the number of bootstrap rounds must lie between 0 and {MAX_ROUNDS:,}: {self.rounds}"
            )
        if not 0 <= self.seed < 2**64:
            raise ParameterError(f"the seed must lie between 0 and 2^64 - 1: {self.seed}")

    def shown_confidence(self) -> dict[str, float]:
        """For a signature: the confidence, where it is not the usual one."""
        return {} if self.confidence == 95 else {"conf": self.confidence}

    def bounds(
        self, samples: FloatMatrix, count: int | None = None
    ) -> tuple[FloatMatrix, FloatMatrix]:
        """Return the lower and the upper percentile of each column of resampled scores.

        With `count`, the number of units resampled, they are expanded: with few units plain percentiles
        cover too seldom.
        """
        tail = (100.0 - self.confidence) / 200.0
        if count is not None:
            tail = expanded_level(tail, count)
        lower, upper = np.quantile(samples, [tail, 1.0 - tail], axis=0)
        return lower, upper


def bootstrap_means(values: FloatMatrix, resampling: Resampling) -> list[Interval]:
    """Return the mean of each column with its interval; undefined values (NaN) are left out."""
    intervals = [Interval(exact_column_mean(column)) for column in values.T]
    if resampling.rounds < 1:
        return intervals
    # Columns that lack the same rows are resampled together: drawing takes most of the time.
    groups: dict[bytes, list[int]] = {}
    for number, column in enumerate(values.T):
        groups.setdefault(np.packbits(~np.isnan(column)).tobytes(), []).append(number)
    for columns in groups.values():
        mask = ~np.isnan(values[:, columns[0]])
        count = int(mask.sum())
        if count < 2:
            continue
        # Where nothing is missing, not even a copy is needed.
        whole = count == len(values) and len(columns) == values.shape[1]
        chosen = values if whole else values[np.ix_(mask, np.array(columns))]
        lower, upper = resampling.bounds(_bootstrap_sums(chosen, resampling) / count, count)
        for at, low, high in zip(columns, lower.tolist(), upper.tolist(), strict=True):
            intervals[at] = Interval(intervals[at].value, low, high)
    return intervals


def normal_means(values: FloatMatrix, confidence: float = 95.0) -> list[Interval]:
    """Return the mean of each column with its normal interval, for thousands of rows; NaN are left out."""
    quantile = normal_quantile((100 + confidence) / 200)
    intervals = []
    for column in values.T:
        defined = column[~np.isnan(column)]
        mean = exact_column_mean(column)
        if len(defined) < 2:
            intervals.append(Interval(mean))
            continue
        half = quantile * float(np.std(defined, ddof=1)) / math.sqrt(len(defined))
        intervals.append(Interval(mean, mean - half, mean + half))
    return intervals


def wilson_bounds(share: float, count: float, confidence: float = 95.0) -> tuple[float, float]:
    """Return Wilson's interval of a share of `count` trials."""
    square = normal_quantile((100 + confidence) / 200) ** 2 / count
    middle = (share + square / 2) / (1 + square)
    half = math.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def exact_column_mean(column: FloatMatrix) -> float:
    """`exact_mean` of many values, without a Python number for each of them at the same time."""
    defined = np.ascontiguousarray(column[~np.isnan(column)])
    if not len(defined):
        return math.nan
    try:
        return math.fsum(defined.data) / len(defined)
    except OverflowError:
        return exact_mean(defined.tolist())


def _bootstrap_sums(values: FloatMatrix, resampling: Resampling) -> FloatMatrix:
    """All rounds, on all cores where there is much to draw; the split does not change the numbers."""
    rows = np.ascontiguousarray(values, dtype=np.float64)
    workers = available_cores()
    if rows.shape[0] * resampling.rounds < 10_000_000 or workers == 1:
        return kernels.bootstrap_sums(rows, resampling.rounds, resampling.seed)
    from concurrent.futures import ThreadPoolExecutor

    starts = np.linspace(0, resampling.rounds, workers + 1).astype(int).tolist()
    with ThreadPoolExecutor(workers) as pool:
        parts = pool.map(
            lambda span: kernels.bootstrap_sums(rows, span[1] - span[0], resampling.seed, span[0]),
            pairwise(starts),
        )
        return np.concatenate(list(parts))


def bootstrap_statistics(
    values: list[float],
    statistics: FloatMatrix,
    score: Callable[[FloatMatrix], FloatMatrix],
    resampling: Resampling,
) -> list[Interval]:
    """A system's scores with percentile intervals, resampling the rows of its statistics.

    `score` makes a row of scores of each row of sums.
    """
    if resampling.rounds < 1 or len(statistics) < 2:
        return [Interval(value) for value in values]
    resampled = score(_bootstrap_sums(statistics, resampling))
    lower, upper = resampling.bounds(resampled, len(statistics))
    bounds = zip(values, lower.tolist(), upper.tolist(), strict=True)
    return [Interval(value, low, high) for value, low, high in bounds]
