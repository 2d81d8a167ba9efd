"""Power: how many documents or systems are needed to see a difference, judged from one's own data.

The data are resampled to each size in turn, the test is made on every sample, and power is the
share of samples in which it speaks. The data at hand stand for the population: the effect seen in
them is taken as true, and it is often too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from rubrica.errors import DataError, MismatchError, ParameterError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlation_value
from rubrica.meta.correlation.draws import STANDARD, count_blocks, facts_of, rounds_of
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.subsampled import resampled_correlations
from rubrica.meta.scores import Matrix, joined, score_matrix
from rubrica.meta.signatures import method_signature, signature_of
from rubrica.neural.progress import steps
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling, wilson_bounds


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """Power at one size, 0 to 1, with the Wilson interval of its `rounds` (the chance of resampling).

    `undefined` rounds count as a difference not seen.
    """

    size: int
    power: float
    lower: float
    upper: float
    undefined: int


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """Power by size for an effect (None where undefined) at a two-sided significance level."""

    effect: float | None
    alpha: float
    points: tuple[PowerPoint, ...]
    signature: Signature = field(repr=False)

    def needed(self, power: float = 0.8) -> int | None:
        """The smallest size from which on no tried size has less power; None where there is none."""
        enough = None
        for point in sorted(self.points, key=lambda point: point.size, reverse=True):
            if point.power < power:
                break
            enough = point.size
        return enough


def power_of_means(
    first: ArrayLike,
    second: ArrayLike,
    sizes: Sequence[int],
    *,
    difference: float | None = None,
    alpha: float = 0.05,
    resampling: Resampling = STANDARD,
) -> PowerCurve:
    """Estimate how many documents tell two systems' mean scores apart with a paired two-sided t-test.

    A sample whose differences are all equal has no t and counts as not significant.

    Args:
        first: A system's score of each document (NaN where missing).
        second: The other system's scores of the same documents. Documents that one lacks are left out.
        sizes: Numbers of documents to simulate.
        difference: A difference of the means to assume instead of the observed one.
        alpha: Level of the test.
        resampling: Rounds and seed.

    Returns:
        The power at each size; `needed(0.8)` is the smallest size from which power stays at 0.8 or above.

    Raises:
        DataError: The systems have no document in common.
        ParameterError: A size or `alpha` is out of range.

    Example:
        >>> from rubrica.meta import power_of_means
        >>> curve = power_of_means([0.35, 0.29, 0.36, 0.47, 0.30], [0.28, 0.30, 0.30, 0.41, 0.29], [5, 20])
        >>> round(curve.effect, 3), [round(point.power, 2) for point in curve.points]
        (0.038, [0.42, 1.0])
    """
    _check(alpha, sizes, 2)
    d = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if d.ndim != 1:
        raise DataError(f"expected one score per document, found {d.ndim} dimensions")
    d = d[~np.isnan(d)]
    if not len(d):
        raise DataError("the two systems have no document in common")
    effect = float(d.mean()) if difference is None else difference
    noise = d - d.mean()
    points = []
    for size in steps("sizes simulated", sizes):
        shift, square = np.empty((2, rounds_of(resampling)))
        for part, counts in count_blocks(resampling, size, len(d)):
            shift[part], square[part] = counts @ noise / size, counts @ noise**2 / size
        # The spread about the sample's own mean; rounding must not make it negative.
        spread = np.maximum(square - shift**2, 0.0)
        varied = spread > 1e-24 * max(1.0, float((noise**2).max()))
        t = (effect + shift) / np.sqrt(np.where(varied, spread, 1.0) / (size - 1))
        seen = varied & (2.0 * stats.t.sf(np.abs(t), size - 1) <= alpha)
        points.append(_point(size, seen, int((~varied).sum())))
    facts = {"test": "paired-t", "tails": 2, "alpha": f"{alpha:g}", **facts_of(resampling)}
    effects = "observed" if difference is None else f"{difference:g}"
    signature = method_signature("power-of-means", d, effect=effects, **facts, absent="left-out")
    return PowerCurve(effect, alpha, tuple(points), signature)


def power_of_correlations(
    first: ArrayLike,
    second: ArrayLike,
    human: ArrayLike,
    sizes: Sequence[int],
    *,
    over: Literal["inputs", "systems"] = "inputs",
    level: Level | str = Level.SYSTEM,
    coefficient: Coefficient | str = Coefficient.KENDALL,
    alpha: float = 0.05,
    resampling: Resampling = STANDARD,
) -> PowerCurve:
    """Estimate how many inputs or systems show that one metric agrees with people better than another.

    At each size the difference of the two correlations is resampled. It is significant where it exceeds the 1 - alpha
    quantile of its own deviations from its mean. Only cells that all three have are used.

    Args:
        first: Scores of a metric, systems x inputs (NaN where missing).
        second: Scores of the other metric, in the same shape.
        human: Human scores, in the same shape.
        sizes: Numbers of inputs or systems to simulate.
        over: What to vary: `inputs` or `systems`.
        level: `summary`, `system` or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.
        alpha: Level of the test.
        resampling: Rounds and seed.

    Returns:
        The power at each size; `needed(0.8)` is the smallest size from which power stays at 0.8 or above.

    Raises:
        MismatchError: The matrices differ in shape.
        ParameterError: A size or `alpha` is out of range.

    Example:
        >>> from rubrica.meta import power_of_correlations
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> good = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> poor = [[0.5, 0.1, 0.2], [0.3, 0.4, 0.1], [0.2, 0.2, 0.4], [0.5, 0.3, 0.2]]
        >>> curve = power_of_correlations(good, poor, human, [3, 12], level="summary")
        >>> round(curve.effect, 2), [round(point.power, 2) for point in curve.points]
        (0.51, [0.71, 0.96])
    """
    _check(alpha, sizes, 1)
    level, coefficient = Level(level), Coefficient(coefficient)
    x, y, z = _three(first, second, human)
    effect = _gap(
        correlation_value(x, z, level, coefficient, "drop"),
        correlation_value(y, z, level, coefficient, "drop"),
    )
    points = []
    for size in steps("sizes simulated", sizes):
        r1, r2 = (
            resampled_correlations(
                matrix,
                z,
                size,
                over=over,
                level=level,
                coefficient=coefficient,
                resampling=resampling,
            )
            for matrix in (x, y)
        )
        gaps = r1 - r2
        defined = gaps[~np.isnan(gaps)]
        seen = np.zeros(len(gaps), dtype=np.bool_)
        if len(defined):
            critical = np.quantile(np.abs(defined - defined.mean()), 1.0 - alpha)
            seen[~np.isnan(gaps)] = np.abs(defined) > critical
        points.append(_point(size, seen, len(gaps) - len(defined)))
    facts = {"over": over, "tails": 2, "alpha": f"{alpha:g}", **facts_of(resampling)}
    signature = signature_of("power-of-correlations", (x, y, z), level, coefficient, **facts)
    return PowerCurve(effect, alpha, tuple(points), signature)


def _three(first: ArrayLike, second: ArrayLike, human: ArrayLike) -> tuple[Matrix, Matrix, Matrix]:
    x, z = joined(first, human)
    y = score_matrix(second, "second metric")
    if y.shape != x.shape:
        raise MismatchError(f"the metrics have shapes {x.shape} and {y.shape}")
    y, z = joined(y, z)
    x, z = joined(x, z)
    return x, joined(y, z)[0], z


def _gap(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _check(alpha: float, sizes: Sequence[int], least: int) -> None:
    if not 0.0 < alpha < 1.0:
        raise ParameterError(f"alpha is a share between 0 and 1, found {alpha}")
    if not sizes or min(sizes) < least:
        raise ParameterError(f"sizes must be numbers from {least} on, found {list(sizes)}")


def _point(
    size: int, seen: np.ndarray[tuple[int], np.dtype[np.bool_]], undefined: int
) -> PowerPoint:
    rounds, share = len(seen), float(seen.mean())
    low, high = wilson_bounds(share, rounds)
    return PowerPoint(size, share, low, high, undefined)
