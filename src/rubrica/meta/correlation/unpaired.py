"""System level with every input for the metric and only the judged ones for people.

A metric costs nothing more to run on the whole test set, and its system scores get steadier with
it (Deutsch, Dror and Roth, NAACL 2022). Metric and human inputs need not even be the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rubrica.core.python.common import uniform_rounds
from rubrica.meta.correlation.coefficients import Coefficient, coefficient_of, coefficient_of_rows
from rubrica.meta.correlation.draws import (
    STANDARD,
    count_draws,
    defined_interval,
    facts_of,
    rounds_of,
)
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import Matrix, blocks, choice, same_systems, system_means, weighted_means
from rubrica.meta.signatures import signature_of
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.undefined import none_if_nan


@dataclass(frozen=True, slots=True)
class UnpairedCorrelation:
    """A system-level correlation in [-1, 1], None where undefined, and what it rests on.

    `systems` have a score on both sides and count; `left_out` lack one.
    """

    value: float | None
    systems: int
    left_out: int
    metric_inputs: int
    judged_inputs: int
    signature: Signature = field(repr=False)


@dataclass(frozen=True, slots=True)
class UnpairedInterval:
    """Bounds of the correlation, None where no round was defined; `undefined` rounds are left out."""

    lower: float | None
    upper: float | None
    undefined: int
    signature: Signature = field(repr=False)


def unpaired_correlation(
    metric: ArrayLike, human: ArrayLike, *, coefficient: Coefficient | str = Coefficient.KENDALL
) -> UnpairedCorrelation:
    """Correlate system means: the metric's over all its inputs, people's over those that they judged.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, with the same systems; the inputs may be others.
        coefficient: `pearson`, `spearman` or `kendall`.

    Returns:
        The correlation and the number of systems and inputs; None with fewer than two systems on both sides, or if one
        side is constant.

    Raises:
        MismatchError: The two have different numbers of systems.

    Example:
        >>> from rubrica.meta import unpaired_correlation
        >>> metric = [[0.2, 0.3, 0.2, 0.4], [0.3, 0.2, 0.4, 0.4], [0.4, 0.4, 0.5, 0.6]]
        >>> unpaired_correlation(metric, [[1, 2], [2, 2], [4, 3]])
        UnpairedCorrelation(value=1.0, systems=3, left_out=0, metric_inputs=4, judged_inputs=2)
    """
    coefficient = Coefficient(coefficient)
    x, z = same_systems(metric, human)
    a, b = system_means(x), system_means(z)
    both = ~(np.isnan(a) | np.isnan(b))
    return UnpairedCorrelation(
        value=none_if_nan(coefficient_of(a, b, coefficient)),
        systems=int(both.sum()),
        left_out=int((~both).sum()),
        metric_inputs=int((~np.isnan(x)).any(axis=0).sum()),
        judged_inputs=int((~np.isnan(z)).any(axis=0).sum()),
        signature=signature_of(
            "unpaired", (x, z), Level.SYSTEM, coefficient, absent="each-side-its-own"
        ),
    )


def unpaired_interval(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    coefficient: Coefficient | str = Coefficient.KENDALL,
    over: Literal["systems", "inputs", "both"] = "both",
    resampling: Resampling = STANDARD,
) -> UnpairedInterval:
    """Return an interval of `unpaired_correlation` by a percentile bootstrap.

    Systems are drawn for both sides together, inputs for each side separately.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, with the same systems; the inputs may be others.
        coefficient: `pearson`, `spearman` or `kendall`.
        over: What to draw: `systems`, `inputs` or `both`.
        resampling: Rounds, confidence and seed.

    Returns:
        The bounds and the number of rounds without a correlation.

    Raises:
        MismatchError: The two have different numbers of systems.
        ParameterError: `over` is unknown.

    Example:
        >>> from rubrica.meta import unpaired_interval
        >>> metric = [[0.2, 0.3, 0.2, 0.4], [0.3, 0.2, 0.4, 0.4], [0.4, 0.4, 0.5, 0.6]]
        >>> result = unpaired_interval(metric, [[1, 2], [2, 2], [4, 3]], coefficient="pearson", over="inputs")
        >>> round(result.lower, 2), round(result.upper, 2)
        (0.82, 1.0)
    """
    choice(over, ("systems", "inputs", "both"), "over")
    coefficient = Coefficient(coefficient)
    x, z = same_systems(metric, human)
    systems, width = len(x), x.shape[1] + z.shape[1]
    samples = np.full(rounds_of(resampling), np.nan)
    for part in blocks(len(samples), width + systems):
        draws = uniform_rounds(resampling.seed, part.start, part.stop - part.start, systems + width)
        if over == "systems":
            a = np.broadcast_to(system_means(x), (len(draws), systems))
            b = np.broadcast_to(system_means(z), (len(draws), systems))
        else:
            a = _resampled_means(x, draws[:, systems : systems + x.shape[1]])
            b = _resampled_means(z, draws[:, systems + x.shape[1] :])
        if over != "inputs":
            rows = (draws[:, :systems] * systems).astype(np.int64)
            a, b = np.take_along_axis(a, rows, axis=1), np.take_along_axis(b, rows, axis=1)
        samples[part] = coefficient_of_rows(a, b, coefficient)
    lower, upper = defined_interval(samples, resampling)
    facts = {"interval": "bootstrap", "over": over, **facts_of(resampling)}
    signature = signature_of(
        "unpaired", (x, z), Level.SYSTEM, coefficient, absent="each-side-its-own", **facts
    )
    return UnpairedInterval(lower, upper, int(np.isnan(samples).sum()), signature)


def _resampled_means(matrix: Matrix, draws: Matrix) -> Matrix:
    inputs = matrix.shape[1]
    return weighted_means(matrix, count_draws((draws * inputs).astype(np.int64), inputs))
