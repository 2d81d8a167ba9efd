"""Student's t without scipy, which takes longer to import than most commands take to run."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

# Beyond this many degrees of freedom a series in 1/df is exact to more digits than anybody reads.
_MANY = 400


@lru_cache(maxsize=256)
def t_quantile(p: float, df: int) -> float:
    """Return the value that Student's t with `df` degrees of freedom exceeds with probability 1 - p."""
    if p > 0.5:
        return -t_quantile(1 - p, df)
    if df > _MANY:
        return _large_quantile(normal_quantile(p), df)
    low, high = -1.0, 0.0
    while t_cdf(low, df) > p:
        low *= 2
    return _bisect(lambda x: t_cdf(x, df), p, low, high)


def t_cdf(t: float, df: int) -> float:
    """Return the probability that Student's t is at most `t` (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan2(t, math.sqrt(df))
    cosine, sine = math.cos(angle), math.sin(angle)
    term = total = cosine if df % 2 else 1.0
    for k in range(2 + df % 2, df, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    if df == 1:
        total = 0.0
    inside = 2 / math.pi * (angle + sine * total) if df % 2 else sine * total
    return 0.5 + inside / 2


def normal_cdf(z: float) -> float:
    """Return the probability that a standard normal variable is at most `z`."""
    return math.erfc(-z / math.sqrt(2)) / 2


def normal_quantile(p: float) -> float:
    """Return the value that a standard normal variable exceeds with probability 1 - p."""
    return _bisect(normal_cdf, p, -38.0, 0.0) if p <= 0.5 else -normal_quantile(1 - p)


@lru_cache(maxsize=256)
def expanded_level(level: float, count: int) -> float:
    """Return the percentile of bootstrapped means that bounds a mean of `count` values at this level.

    With few values the bootstrap's percentiles lie too close together. This is Hesterberg's expanded
    percentile (2015, "What Teachers Should Know About the Bootstrap"); for many values it tends to `level`.
    """
    wider = math.sqrt(count / (count - 1)) * t_quantile(level, count - 1)
    return normal_cdf(wider)


def _large_quantile(z: float, df: int) -> float:
    """Cornish and Fisher's series (Abramowitz and Stegun 26.7.5)."""
    powers = [math.pow(z, 2 * k + 1) for k in range(4)]
    series = (
        (powers[1] + powers[0]) / 4,
        (5 * powers[2] + 16 * powers[1] + 3 * powers[0]) / 96,
        (3 * powers[3] + 19 * powers[2] + 17 * powers[1] - 15 * powers[0]) / 384,
    )
    return z + series[0] / df + series[1] / (df * df) + series[2] / (df * df * df)


def _bisect(function: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Return where an increasing function reaches the target."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if function(middle) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2
