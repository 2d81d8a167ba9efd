"""The noise ceiling: how well could any metric agree with judgments that do not agree themselves?

Judges are split in two at random, the halves are correlated, and Spearman-Brown lengthens the
halves to the whole: the reliability of the mean judgment. Its square root bounds the correlation
of anything with that mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.core.python.common import uniforms
from rubrica.errors import DataError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlation_value
from rubrica.meta.correlation.draws import STANDARD, defined_interval, facts_of, rounds_of
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import Matrix, choice
from rubrica.meta.signatures import signature_of
from rubrica.neural.progress import steps
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.undefined import nan_if_none


@dataclass(frozen=True, slots=True)
class NoiseCeiling:
    """What split halves say about the mean judgment; None where no split was defined.

    `half`: mean correlation of the halves over the splits, in [-1, 1]. `reliability`: that of all
    judges' mean, at most 1. `ceiling`: its square root, 0 where it is negative. `lower` and
    `upper`: where the splits' reliabilities lie; this is the chance of the split, not of the data.
    `judges` is the mean number per cell used, `lengthened` the Spearman-Brown factor.
    """

    half: float | None
    reliability: float | None
    ceiling: float | None
    lower: float | None
    upper: float | None
    judges: float
    lengthened: float
    left_out: int
    undefined: int
    signature: Signature = field(repr=False)


def noise_ceiling(
    judgments: ArrayLike,
    *,
    level: Level | str = Level.SYSTEM,
    coefficient: Coefficient | str = Coefficient.PEARSON,
    split: Literal["cells", "judges"] = "cells",
    resampling: Resampling = STANDARD,
) -> NoiseCeiling:
    """Estimate the best correlation that any score can reach with the mean of these annotators, by splitting them in
    halves.

    With an odd number of annotators one is left out of each split. Cells with an empty half do not count. The
    Spearman-Brown formula is exact for Pearson and an approximation for Spearman and Kendall.

    Args:
        judgments: Annotators x systems x inputs (NaN where missing). Repeated judgments count as annotators.
        level: `summary`, `system` or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.
        split: `cells` splits anew in each cell, for crowds; `judges` puts each annotator in one half everywhere, for a
            few who judged everything.
        resampling: Rounds, confidence and seed of the splits.

    Returns:
        The correlation of halves, the reliability of all annotators, and the ceiling.

    Raises:
        DataError: The judgments do not have three dimensions.
        ParameterError: `split` is unknown.

    Example:
        >>> from rubrica.meta import noise_ceiling
        >>> from rubrica.statistics.intervals import Resampling
        >>> first = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> second = [[2, 3, 1], [2, 3, 2], [4, 3, 4], [4, 5, 4]]
        >>> result = noise_ceiling([first, second], level="global", resampling=Resampling(50))
        >>> round(result.reliability, 2), round(result.ceiling, 2)
        (0.89, 0.94)
    """
    choice(split, ("cells", "judges"), "split")
    level, coefficient = Level(level), Coefficient(coefficient)
    values = np.asarray(judgments, dtype=np.float64)
    if values.ndim != 3:
        raise DataError(f"expected judges x systems x inputs, found {values.ndim} dimensions")
    present = ~np.isnan(values)
    have = present.sum(axis=0)
    samples = np.full(rounds_of(resampling), np.nan)
    whole = halves = 0.0
    for number in steps("splits", range(len(samples))):
        first, second = _halves(present, split, resampling.seed, number)
        mean_of_first, mean_of_second = _means(values, first), _means(values, second)
        samples[number] = nan_if_none(
            correlation_value(mean_of_first, mean_of_second, level, coefficient, "drop")
        )
        used = first.any(axis=0) & second.any(axis=0)
        whole += float(have[used].sum())
        halves += float(first[:, used].sum() + second[:, used].sum()) / 2.0
    lengthened = whole / halves if halves else 2.0
    defined = samples[~np.isnan(samples)]
    stepped = np.array([nan_if_none(spearman_brown(r, lengthened)) for r in defined.tolist()])
    lower, upper = defined_interval(stepped, resampling)
    half = float(defined.mean()) if len(defined) else None
    reliability = None if half is None else spearman_brown(half, lengthened)
    return NoiseCeiling(
        half=half,
        reliability=reliability,
        ceiling=None if reliability is None else math.sqrt(max(0.0, reliability)),
        lower=lower,
        upper=upper,
        judges=float(have[have >= 2].mean()) if (have >= 2).any() else 0.0,
        lengthened=lengthened,
        left_out=int((have < 2).sum()),
        undefined=len(samples) - len(defined),
        signature=signature_of(
            "noise-ceiling",
            (values,),
            level,
            coefficient,
            split=split,
            **facts_of(resampling, "splits"),
        ),
    )


def spearman_brown(r: float, factor: float) -> float | None:
    """Reliability of a judgment `factor` times as long: f r / (1 + (f - 1) r).

    None where the denominator is not positive, which a strongly negative r can make it.
    """
    below = 1.0 + (factor - 1.0) * r
    return factor * r / below if below > 0.0 else None


def disattenuated(
    r: float | None, reliability: float | None, *, metric_reliability: float = 1.0
) -> float | None:
    """Return the correlation that a metric would have with noiseless judgments: r / sqrt(product of the reliabilities).

    Args:
        r: Correlation of the metric with people.
        reliability: Reliability of the judgments; see `noise_ceiling`.
        metric_reliability: Reliability of the metric.

    Returns:
        The correlation, which can exceed 1 and is not clipped; None where a part is None or not positive.

    Example:
        >>> from rubrica.meta import disattenuated
        >>> round(disattenuated(0.6, 0.81), 3)
        0.667
    """
    if r is None or reliability is None or not reliability * metric_reliability > 0.0:
        return None
    return r / math.sqrt(reliability * metric_reliability)


def _halves(
    present: NDArray[np.bool_], split: str, seed: int, number: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Two disjoint, equally large sets of judgments; in each cell, or (judges) by judge."""
    judges = len(present)
    if split == "judges":
        rank = np.argsort(np.argsort(uniforms(seed, number, judges), kind="stable"))
        first, second = rank < judges // 2, (rank >= judges // 2) & (rank < judges // 2 * 2)
        return present & first[:, None, None], present & second[:, None, None]
    keys = uniforms(seed, number, present.size).reshape(present.shape)
    order = np.argsort(np.where(present, keys, 2.0), axis=0, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(judges)[:, None, None], axis=0)
    size = present.sum(axis=0) // 2
    return ranks < size, (ranks >= size) & (ranks < 2 * size)


def _means(values: Matrix, chosen: NDArray[np.bool_]) -> Matrix:
    counts = chosen.sum(axis=0)
    sums = np.where(chosen, values, 0.0).sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
