"""Intervals of a correlation: bootstrap over systems, inputs or both, and Fisher's transformation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rubrica.core import kernels
from rubrica.core.cores import available_cores
from rubrica.errors import ParameterError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import (
    aligned,
    check_rule,
    correlation_value,
    number_of_points,
    without_empty,
)
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.scores import Matrix
from rubrica.meta.signatures import signature_of
from rubrica.parameters import SEED
from rubrica.signature import Signature

Over: TypeAlias = Literal["systems", "inputs", "both"]
Method: TypeAlias = Literal[
    "bootstrap-system", "bootstrap-input", "bootstrap-both", "fisher", "none"
]
Bounds: TypeAlias = Literal["percentile", "bca"]

ROUNDS = 9_999
OVER: dict[str, Over] = {"system": "systems", "input": "inputs", "both": "both"}
# Rounds are drawn in blocks of about this many counts, so that memory stays bounded.
_BLOCK = 8_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of a correlation; None where the method has none.

    `rounds` is 0 for Fisher's. `undefined_rounds` of them had no correlation and were left out.
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
    method: Method = "bootstrap-both",
    bounds: Bounds = "percentile",
    confidence: float = 95.0,
    tails: int = 2,
    rounds: int = ROUNDS,
    seed: int = SEED,
    undefined: Undefined = "drop",
    threads: int | None = None,
) -> Interval:
    """An interval of the correlation that `correlate` gives.

    With `tails` 1 each bound taken alone has the confidence asked for (SacreROUGE's meaning). The
    rule `error` looks at the scores as they are; resampled inputs without a correlation are dropped.
    """
    level, coefficient = Level(level), Coefficient(coefficient)
    check_interval(method, bounds, confidence, tails, rounds)
    check_rule(undefined)
    (x, z), _ = aligned(metric, human)
    x, z = without_empty(x, z)
    facts = {"interval": method, "confidence": f"{confidence:g}", "tails": tails}
    if level is Level.SUMMARY:
        facts["undefined"] = undefined
    tail = (1 - confidence / 100) / tails
    if not method.startswith("bootstrap"):
        value = correlation_value(x, z, level, coefficient, undefined)
        signature = signature_of("interval", (x, z), level, coefficient, **facts)
        lower, upper = None, None
        if method == "fisher" and value is not None:
            lower, upper = fisher_bounds(value, number_of_points(z, level), coefficient, tail)
        return Interval(lower, upper, method, confidence, tails, 0, 0, signature)
    facts |= {"bounds": bounds, "bs": rounds, "seed": seed}
    signature = signature_of("interval", (x, z), level, coefficient, **facts)
    over = OVER[method.removeprefix("bootstrap-")]
    drawn = bootstrap_correlations(
        x[None],
        z,
        level,
        coefficient,
        over=over,
        rounds=rounds,
        seed=seed,
        undefined=undefined,
        threads=threads,
    )[:, 0]
    samples = drawn[~np.isnan(drawn)]
    lower, upper = None, None
    if len(samples):
        at = (tail, 1 - tail)
        if bounds == "bca":
            at = _bca(x, z, level, coefficient, over, undefined, samples, tail, threads)
        lower, upper = (float(bound) for bound in np.quantile(samples, at))
    return Interval(
        lower, upper, method, confidence, tails, rounds, rounds - len(samples), signature
    )


def bootstrap_correlations(
    metrics: Matrix,
    human: Matrix,
    level: Level | str,
    coefficient: Coefficient | str,
    *,
    over: Over = "both",
    rounds: int = ROUNDS,
    seed: int = SEED,
    undefined: Undefined = "drop",
    threads: int | None = None,
) -> Matrix:
    """Correlations of resampled scores: [round, metric], NaN where undefined.

    `metrics` is [metric, system, input]. Every metric and every call with the same seed and shape
    sees the same draws, so differences between metrics are paired.
    """
    metrics, human = np.ascontiguousarray(metrics), np.ascontiguousarray(human)
    systems, inputs = human.shape
    out = np.full((rounds, len(metrics)), np.nan)
    if not human.size:
        return out
    step = max(1, _BLOCK // (systems + inputs))
    for first in range(0, rounds, step):
        number = min(step, rounds - first)
        rows = np.ones((number, systems), dtype=np.int32)
        columns = np.ones((number, inputs), dtype=np.int32)
        if over in ("systems", "both"):
            rows = kernels.bootstrap_counts(systems, number, seed, first=first)
        if over in ("inputs", "both"):
            columns = kernels.bootstrap_counts(inputs, number, seed, first=first, start=systems)
        out[first : first + number] = kernels.resampled_correlations(
            metrics,
            human,
            Level(level).value,
            Coefficient(coefficient).value,
            rows,
            columns,
            undefined == "zero",
            threads or available_cores(),
        )
    return out


def fisher_bounds(
    value: float, n: int, coefficient: Coefficient, tail: float
) -> tuple[float | None, float | None]:
    """Bounds by atanh, with the variances of Bonett and Wright (2000); none if n is too small."""
    less, scale = 3, 1.0
    if coefficient is Coefficient.SPEARMAN:
        scale = math.sqrt(1 + value * value / 2)
    elif coefficient is not Coefficient.PEARSON:
        less, scale = 4, math.sqrt(0.437)
    if n <= less:
        return None, None
    if abs(value) >= 1.0:
        # atanh is infinite there, and so are both bounds of the transformed value.
        return value, value
    half = NormalDist().inv_cdf(1 - tail) * scale / math.sqrt(n - less)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)


def _bca(
    x: Matrix,
    z: Matrix,
    level: Level,
    coefficient: Coefficient,
    over: Over,
    undefined: Undefined,
    samples: Matrix,
    tail: float,
    threads: int | None,
) -> tuple[float, float]:
    """The quantiles of the bias-corrected and accelerated bootstrap (Efron 1987).

    For both factors the acceleration pools the jackknife influences of systems and inputs as
    scipy.stats.bootstrap pools those of several samples.
    """
    normal = NormalDist()
    value = correlation_value(x, z, level, coefficient, undefined)
    if value is None:
        return tail, 1 - tail
    # Resamples equal to the value count half, so that a discrete distribution is not biased.
    share = ((samples < value).sum() + 0.5 * (samples == value).sum()) / len(samples)
    if not 0 < share < 1:
        return tail, 1 - tail
    bias = normal.inv_cdf(float(share))
    above = below = 0.0
    for axis in {"systems": (0,), "inputs": (1,), "both": (0, 1)}[over]:
        influence = _jackknife(x, z, level, coefficient, undefined, axis, threads)
        above += float((influence**3).sum()) / len(influence) ** 3
        below += float((influence**2).sum()) / len(influence) ** 2
    speed = above / (6 * below**1.5) if below > 0 else 0.0

    def corrected(at: float) -> float:
        moved = bias + normal.inv_cdf(at)
        return normal.cdf(bias + moved / (1 - speed * moved))

    return corrected(tail), corrected(1 - tail)


def _jackknife(
    x: Matrix,
    z: Matrix,
    level: Level,
    coefficient: Coefficient,
    undefined: Undefined,
    axis: int,
    threads: int | None,
) -> Matrix:
    """Influence of each system (axis 0) or input (axis 1): (n - 1)(mean - value without it)."""
    size, parts = z.shape[axis], []
    step = max(1, _BLOCK // sum(z.shape))
    for first in range(0, size, step):
        number = min(step, size - first)
        counts = [np.ones((number, extent), dtype=np.int32) for extent in z.shape]
        counts[axis][np.arange(number), np.arange(first, first + number)] = 0
        parts.append(
            kernels.resampled_correlations(
                np.ascontiguousarray(x[None]),
                z,
                level.value,
                coefficient.value,
                counts[0],
                counts[1],
                undefined == "zero",
                threads or available_cores(),
            )[:, 0]
        )
    values = np.concatenate(parts)
    values = values[~np.isnan(values)]
    if not len(values):
        return np.zeros(1)
    return np.asarray((len(values) - 1) * (values.mean() - values))


def check_interval(method: str, bounds: str, confidence: float, tails: int, rounds: int) -> None:
    """Refuse what no interval has."""
    if method not in get_args(Method):
        raise ParameterError(f"no interval {method!r}; there are: {', '.join(get_args(Method))}")
    if bounds not in get_args(Bounds):
        raise ParameterError(f"bounds are percentile or bca, not {bounds!r}")
    if not 0 < confidence < 100:
        raise ParameterError(f"confidence is a percentage between 0 and 100, not {confidence:g}")
    if tails not in (1, 2):
        raise ParameterError(f"an interval has 1 or 2 tails, not {tails}")
    if tails == 1 and confidence <= 50:
        raise ParameterError("a bound with one tail needs a confidence above 50")
    if rounds < 1:
        raise ParameterError(f"at least one round of resampling is needed, not {rounds}")
