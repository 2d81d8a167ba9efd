"""How steady a ranking of systems is as inputs are added: the metric against itself.

tau between the rankings from two independent samples of m inputs, for growing m (Deutsch, Dror and
Roth, NAACL 2022). It needs no human scores, and tells how many inputs a ranking rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rubrica.core.python.common import uniform_rounds
from rubrica.errors import ParameterError
from rubrica.meta.correlation.coefficients import Coefficient, coefficient_of_rows
from rubrica.meta.correlation.draws import (
    STANDARD,
    count_draws,
    defined_interval,
    facts_of,
    rounds_of,
)
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import blocks, score_matrix, weighted_means
from rubrica.meta.signatures import signature_of
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling

# Draws of a round that fit into memory.
_LARGEST_SAMPLE = 10_000_000


@dataclass(frozen=True, slots=True)
class Stability:
    """Agreement of two rankings from `size` inputs each: mean, standard deviation, interval.

    Values in [-1, 1], None where no round was defined; `undefined` rounds are left out.
    """

    size: int
    mean: float | None
    deviation: float | None
    lower: float | None
    upper: float | None
    undefined: int
    signature: Signature = field(repr=False)


def ranking_stability(
    scores: ArrayLike,
    *,
    sizes: Sequence[int] | None = None,
    coefficient: Coefficient | str = Coefficient.KENDALL,
    resampling: Resampling = STANDARD,
) -> tuple[Stability, ...]:
    """Return the correlation between the system means of two independent samples of inputs, for growing samples.

    Args:
        scores: Scores, systems x inputs (NaN where missing). A system without a score in a sample is left out of it.
        sizes: Numbers of inputs to draw, with replacement (default: up to ten steps to all inputs).
        coefficient: `pearson`, `spearman` or `kendall`.
        resampling: Rounds, confidence and seed.

    Returns:
        Mean, standard deviation and interval for each size.

    Raises:
        ParameterError: A size is below 1, or there are no inputs.

    Example:
        >>> from rubrica.meta import ranking_stability
        >>> points = ranking_stability([[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]], sizes=[1, 10])
        >>> [(point.size, round(point.mean, 2)) for point in points]
        [(1, 0.81), (10, 0.94)]
    """
    coefficient = Coefficient(coefficient)
    matrix = score_matrix(scores)
    inputs = matrix.shape[1]
    if sizes is None:
        sizes = sorted({-(-inputs * tenth // 10) for tenth in range(1, 11)} - {0})
    facts = {"samples": "two", **facts_of(resampling)}
    signature = signature_of("stability", (matrix,), Level.SYSTEM, coefficient, **facts)
    out = []
    for size in sizes:
        if not 1 <= size <= _LARGEST_SAMPLE or not inputs:
            raise ParameterError(f"cannot draw {size} of {inputs} inputs")
        samples = np.full(rounds_of(resampling), np.nan)
        for part in blocks(len(samples), 2 * (size + inputs)):
            draws = uniform_rounds(resampling.seed, part.start, part.stop - part.start, 2 * size)
            drawn = (draws * inputs).astype(np.int64)
            first, second = (
                weighted_means(matrix, count_draws(half, inputs))
                for half in (drawn[:, :size], drawn[:, size:])
            )
            samples[part] = coefficient_of_rows(first, second, coefficient)
        defined = samples[~np.isnan(samples)]
        lower, upper = defined_interval(samples, resampling)
        out.append(
            Stability(
                size=size,
                mean=float(defined.mean()) if len(defined) else None,
                deviation=float(defined.std()) if len(defined) else None,
                lower=lower,
                upper=upper,
                undefined=len(samples) - len(defined),
                signature=signature,
            )
        )
    return tuple(out)
