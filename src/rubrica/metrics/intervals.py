"""Confidence intervals of a system's scores, by resampling its summaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.data.metrics import exact_mean

FloatMatrix: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its interval; without resampling, or with one summary, the bounds are None."""

    value: float
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, slots=True)
class Resampling:
    """Choices of a bootstrap: rounds (0 for none), confidence in percent, seed."""

    rounds: int = 1000
    confidence: float = 95.0
    seed: int = 12345

    def bounds(self, samples: FloatMatrix) -> tuple[FloatMatrix, FloatMatrix]:
        """Lower and upper percentile of each column."""
        tail = (100.0 - self.confidence) / 200.0
        lower, upper = np.quantile(samples, [tail, 1.0 - tail], axis=0)
        return lower, upper


def bootstrap_means(values: FloatMatrix, resampling: Resampling) -> list[Interval]:
    """The mean of each column with its percentile interval; undefined values (NaN) are left out."""
    return [_interval(values[:, column], resampling) for column in range(values.shape[1])]


def _interval(column: FloatMatrix, resampling: Resampling) -> Interval:
    defined = column[~np.isnan(column)]
    value = exact_mean(defined.tolist())
    if resampling.rounds < 1 or len(defined) < 2:
        return Interval(value)
    sums = kernels.bootstrap_sums(
        np.ascontiguousarray(defined[:, None]), resampling.rounds, resampling.seed
    )
    lower, upper = resampling.bounds(sums / len(defined))
    return Interval(value, float(lower[0]), float(upper[0]))


def bootstrap_statistics(
    statistics: FloatMatrix,
    score: Callable[[FloatMatrix], list[float]],
    resampling: Resampling,
) -> list[Interval]:
    """Scores of summed statistics with percentile intervals, resampling the rows of statistics."""
    values = score(statistics.sum(axis=0))
    if resampling.rounds < 1 or len(statistics) < 2:
        return [Interval(value) for value in values]
    sums = kernels.bootstrap_sums(
        np.ascontiguousarray(statistics, dtype=np.float64), resampling.rounds, resampling.seed
    )
    lower, upper = resampling.bounds(np.array([score(row) for row in sums]))
    bounds = zip(values, lower.tolist(), upper.tolist(), strict=True)
    return [Interval(value, low, high) for value, low, high in bounds]
