"""Intervals of a correlation: the two-way jackknife, Fisher's transformation, and bootstraps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rubrica.meta.correlation.bootstrap import (
    RESAMPLED,
    ROUNDS,
    bootstrap_correlations,
    cluster_numbers,
    leave_one_out,
)
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import (
    aligned,
    correlation_value,
    number_of_points,
    without_empty,
)
from rubrica.meta.correlation.interval_options import Bounds, IntervalOptions, Method
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.scores import Matrix
from rubrica.meta.signatures import signature_of
from rubrica.parameters import SEED
from rubrica.signature import Signature
from rubrica.statistics.student import normal_cdf, normal_quantile


@dataclass(frozen=True, slots=True)
class CorrelationInterval:
    """Bounds of a correlation; None where the method has none.

    `rounds` is 0 without a bootstrap. `undefined_rounds` of them had no correlation and were left out.
    """

    lower: float | None
    upper: float | None
    method: str
    confidence: float
    tails: int
    rounds: int
    undefined_rounds: int
    signature: Signature


def interval(
    metric: ArrayLike,
    human: ArrayLike,
    level: Level | str = Level.SUMMARY,
    coefficient: Coefficient | str = Coefficient.PEARSON,
    *,
    method: Method = "auto",
    bounds: Bounds = "percentile",
    confidence: float = 95.0,
    tails: int = 2,
    rounds: int = ROUNDS,
    seed: int = SEED,
    undefined: Undefined = "drop",
    threads: int | None = None,
    clusters: Sequence[object] | None = None,
) -> CorrelationInterval:
    """Return an interval of the correlation that `correlate` computes.

    The default method has the best coverage in simulations: Fisher's transformation at the system level, and the
    two-way jackknife (systems and inputs) at the others.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        level: `summary`, `system` or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.
        method: `auto`, `jackknife`, `fisher`, `bootstrap-system`, `bootstrap-input`, `bootstrap-both` or `none`.
        bounds: Bounds of a bootstrap: `percentile` or `bca`.
        confidence: In percent.
        tails: 2 for an interval; with 1 each bound alone has the confidence, as in SacreROUGE.
        rounds: Rounds of a bootstrap.
        seed: Seed of the random numbers.
        undefined: Inputs without a correlation: `drop` them, count them as `zero`, or raise an `error`. `error` looks
            at the scores as they are; resampled inputs without a correlation are dropped.
        threads: Threads to use (default: all cores).
        clusters: A label per input; inputs with one label are left out or drawn together.

    Returns:
        The bounds, None where the method has none, and how they were computed.

    Raises:
        MismatchError: The matrices differ in shape.
        ParameterError: An option has an unknown value.

    Example:
        >>> from rubrica.meta import interval
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> metric = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> result = interval(metric, human, "system")
        >>> result.method, round(result.lower, 2), round(result.upper, 2)
        ('fisher', 0.96, 1.0)
    """
    level, coefficient = Level(level), Coefficient(coefficient)
    (x, z), _ = aligned(metric, human)
    groups = cluster_numbers(clusters, z)
    x, z = without_empty(x, z)
    options = IntervalOptions(
        method, bounds, confidence, tails, rounds, seed, undefined, threads, groups
    )
    value = correlation_value(x, z, level, coefficient, undefined)
    lower, upper, missing = interval_bounds(x[None], z, level, coefficient, [value], options)[0]
    used = options.method_at(level)
    return CorrelationInterval(
        lower,
        upper,
        used,
        confidence,
        tails,
        rounds if used.startswith("bootstrap") else 0,
        missing,
        signature_of("interval", (x, z), level, coefficient, **options.facts(level)),
    )


def interval_bounds(
    metrics: Matrix,
    human: Matrix,
    level: Level,
    coefficient: Coefficient,
    values: Sequence[float | None],
    options: IntervalOptions,
) -> list[tuple[float | None, float | None, int]]:
    """Return lower and upper bound and undefined rounds of each metric; one pass over the draws serves all."""
    method = options.method_at(level)
    if method == "none":
        return [(None, None, 0)] * len(metrics)
    if method == "fisher":
        points = number_of_points(human, level)
        return [
            (None, None, 0)
            if value is None
            else (*fisher_bounds(value, points, coefficient, options.tail), 0)
            for value in values
        ]
    if method == "jackknife":
        return _jackknife_bounds(metrics, human, level, coefficient, values, options)
    over = RESAMPLED[method.removeprefix("bootstrap-")]
    drawn = bootstrap_correlations(
        metrics,
        human,
        level,
        coefficient,
        over=over,
        rounds=options.rounds,
        seed=options.seed,
        undefined=options.undefined,
        threads=options.threads,
        clusters=options.clusters,
    )
    axes = {"systems": (0,), "inputs": (1,), "both": (0, 1)}[over]
    influences = (
        [_left_out(metrics, human, level, coefficient, axis, options) for axis in axes]
        if options.bounds == "bca"
        else []
    )
    out: list[tuple[float | None, float | None, int]] = []
    for at, (column, value) in enumerate(zip(drawn.T, values, strict=True)):
        samples = column[~np.isnan(column)]
        missing = len(column) - len(samples)
        if not len(samples):
            out.append((None, None, missing))
            continue
        places = (options.tail, 1 - options.tail)
        if options.bounds == "bca" and value is not None:
            places = _bca(samples, value, [part[:, at] for part in influences], options.tail)
        lower, upper = (float(bound) for bound in np.quantile(samples, places))
        out.append((lower, upper, missing))
    return out


def fisher_bounds(
    value: float, n: int, coefficient: Coefficient, tail: float
) -> tuple[float | None, float | None]:
    """Bounds by atanh, with the variances of Bonett and Wright (2000); none if n is too small or |r| is 1."""
    less, scale = 3, 1.0
    if coefficient is Coefficient.SPEARMAN:
        scale = math.sqrt(1 + value * value / 2)
    elif coefficient is not Coefficient.PEARSON:
        less, scale = 4, math.sqrt(0.437)
    if n <= less:
        return None, None
    if abs(value) >= 1.0:
        # atanh is infinite there; an interval without width would claim too much.
        return None, None
    half = normal_quantile(1 - tail) * scale / math.sqrt(n - less)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)


def _left_out(
    metrics: Matrix,
    human: Matrix,
    level: Level,
    coefficient: Coefficient,
    axis: int,
    options: IntervalOptions,
) -> Matrix:
    return leave_one_out(
        metrics,
        human,
        level,
        coefficient,
        axis,
        undefined=options.undefined,
        threads=options.threads,
        clusters=options.clusters,
    )


def _jackknife_bounds(
    metrics: Matrix,
    human: Matrix,
    level: Level,
    coefficient: Coefficient,
    values: Sequence[float | None],
    options: IntervalOptions,
) -> list[tuple[float | None, float | None, int]]:
    """Student's t about atanh r, its variance the sum of the jackknife variances over systems and over inputs."""
    from scipy import stats  # slow to import, and not needed by other methods

    variance = np.zeros(len(metrics))
    units = []
    for axis in (0, 1):
        left_out = _left_out(metrics, human, level, coefficient, axis, options)
        for at, column in enumerate(left_out.T):
            defined = column[~np.isnan(column)]
            if len(defined) > 1:
                influence = _influence(defined)
                variance[at] += (influence**2).sum() / (len(defined) * (len(defined) - 1))
            else:
                variance[at] = np.nan
        units.append(len(left_out))
    quantile = float(stats.t.ppf(1 - options.tail, max(1, min(units) - 1)))
    out: list[tuple[float | None, float | None, int]] = []
    for value, spread in zip(values, variance.tolist(), strict=True):
        if value is None or math.isnan(spread) or abs(value) >= 1.0:
            out.append((None, None, 0))
        else:
            half = quantile * math.sqrt(spread) / ((1 - value) * (1 + value))
            centre = math.atanh(value)
            out.append((math.tanh(centre - half), math.tanh(centre + half), 0))
    return out


def _influence(left_out: Matrix) -> Matrix:
    """(n - 1) (mean - value without the unit)."""
    return np.asarray((len(left_out) - 1) * (left_out.mean() - left_out))


def _bca(
    samples: Matrix, value: float, left_out: Sequence[Matrix], tail: float
) -> tuple[float, float]:
    """The quantiles of the bias-corrected and accelerated bootstrap (Efron 1987).

    For both factors the acceleration pools the jackknife influences of systems and inputs as
    scipy.stats.bootstrap pools those of several samples.
    """
    # Resamples equal to the value count half, so that a discrete distribution is not biased.
    share = ((samples < value).sum() + 0.5 * (samples == value).sum()) / len(samples)
    if not 0 < share < 1:
        return tail, 1 - tail
    bias = normal_quantile(float(share))
    above = below = 0.0
    for column in left_out:
        defined = column[~np.isnan(column)]
        influence = _influence(defined) if len(defined) else np.zeros(1)
        above += float((influence**3).sum()) / len(influence) ** 3
        below += float((influence**2).sum()) / len(influence) ** 2
    speed = above / (6 * below**1.5) if below > 0 else 0.0

    def corrected(at: float) -> float:
        moved = bias + normal_quantile(at)
        return normal_cdf(bias + moved / (1 - speed * moved))

    return corrected(tail), corrected(1 - tail)
