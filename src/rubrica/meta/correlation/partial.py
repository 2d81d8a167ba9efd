"""Correlation beyond what something else explains: which system it was, or how long the summary is.

Given system (Pagnoni et al., NAACL 2021, FRANK): both scores are taken as deviations from their
system's mean, so a metric gains nothing from telling systems apart. Given length: the classical
partial correlation, and length itself as the baseline that a metric has to beat.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rubrica.errors import MismatchError
from rubrica.meta.correlation.coefficients import Coefficient, coefficient_of, coefficient_of_rows
from rubrica.meta.correlation.correlation import Correlation, correlate
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import Matrix, centred, joined, score_matrix, system_means
from rubrica.meta.signatures import signature_of
from rubrica.signature import Signature
from rubrica.statistics.undefined import none_if_nan

# Correlations within this of 1 leave nothing over but rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class GivenSystem:
    """Correlation in [-1, 1] of the deviations from system means; None where one side has none.

    `plain` is the global correlation of the same cells. Systems with fewer than two cells have no
    deviations: `left_out`.
    """

    value: float | None
    plain: float | None
    cells: int
    left_out: int
    signature: Signature = field(repr=False)


@dataclass(frozen=True, slots=True)
class PartialCorrelation:
    """A partial correlation in [-1, 1] or None; `defined` of its parts were, `undefined` not.

    At summary level the parts are inputs; at the other levels there is one.
    """

    value: float | None
    defined: int
    undefined: int
    signature: Signature = field(repr=False)


@dataclass(frozen=True, slots=True)
class LengthBaseline:
    """How a metric and length alone agree with people, how they agree, and the metric beyond length.

    All over the cells that have all three scores. `beyond` is the partial correlation.
    """

    metric: Correlation
    length: Correlation
    metric_with_length: Correlation
    beyond: PartialCorrelation


def partial_given_system(
    metric: ArrayLike, human: ArrayLike, *, coefficient: Coefficient | str = Coefficient.PEARSON
) -> GivenSystem:
    """Correlate all cells after subtracting each system's mean.

    This equals the correlation of residuals of a regression on one-hot systems. Spearman and Kendall rank the
    residuals, as FRANK does.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        coefficient: `pearson`, `spearman` or `kendall`.

    Returns:
        The partial and the plain correlation. Systems with one cell are left out and counted.

    Raises:
        MismatchError: The matrices differ in shape.

    Example:
        >>> from rubrica.meta import partial_given_system
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> metric = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> result = partial_given_system(metric, human)
        >>> round(result.plain, 3), round(result.value, 3)
        (0.815, 0.471)
    """
    coefficient = Coefficient(coefficient)
    x, z = joined(metric, human)
    signature = signature_of("partial", (x, z), Level.GLOBAL, coefficient, given="system")
    cells = ~np.isnan(x)
    usable = cells.sum(axis=1) >= 2
    x, z, cells = x[usable], z[usable], cells[usable]
    value = none_if_nan(coefficient_of(centred(x)[cells], centred(z)[cells], coefficient))
    plain = none_if_nan(coefficient_of(x[cells], z[cells], coefficient))
    return GivenSystem(value, plain, int(cells.sum()), int((~usable).sum()), signature)


def partial_given_length(
    metric: ArrayLike,
    human: ArrayLike,
    length: ArrayLike,
    *,
    level: Level | str = Level.SUMMARY,
    coefficient: Coefficient | str = Coefficient.PEARSON,
) -> PartialCorrelation:
    """(r_mh - r_ml r_hl) / sqrt((1 - r_ml^2)(1 - r_hl^2)) at a level, with any coefficient for r.

    Undefined where one of the three is, or where length explains one side wholly. Inputs that are
    undefined at summary level are left out and counted. `length` may be any other covariate.
    """
    return length_baseline(metric, human, length, level=level, coefficient=coefficient).beyond


def length_baseline(
    metric: ArrayLike,
    human: ArrayLike,
    length: ArrayLike,
    *,
    level: Level | str = Level.SUMMARY,
    coefficient: Coefficient | str = Coefficient.PEARSON,
) -> LengthBaseline:
    """Show how much of a metric's agreement with people length explains.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        length: Lengths of the summaries, in the same shape.
        level: `summary`, `system` or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.

    Returns:
        Four correlations: metric with people, length with people, metric with length, and the metric with people beyond
        length (partial correlation).

    Raises:
        MismatchError: The matrices differ in shape.

    Example:
        >>> from rubrica.meta import length_baseline
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> metric = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> length = [[50, 60, 40], [70, 50, 40], [60, 70, 80], [50, 60, 90]]
        >>> result = length_baseline(metric, human, length, level="global")
        >>> round(result.metric.value, 2), round(result.length.value, 2), round(result.beyond.value, 2)
        (0.81, 0.41, 0.79)
    """
    level, coefficient = Level(level), Coefficient(coefficient)
    x, z = joined(metric, human)
    size = score_matrix(length, "length")
    if size.shape != x.shape:
        raise MismatchError(f"length has shape {size.shape}, metric and human have {x.shape}")
    x, size = joined(x, size)
    x, z = joined(x, z)
    return LengthBaseline(
        metric=correlate(x, z, level, coefficient),
        length=correlate(size, z, level, coefficient),
        metric_with_length=correlate(x, size, level, coefficient),
        beyond=_partial_at(x, z, size, level, coefficient),
    )


def _partial_at(
    x: Matrix, z: Matrix, size: Matrix, level: Level, coefficient: Coefficient
) -> PartialCorrelation:
    if level is Level.SUMMARY:
        rows = (x.T, z.T, size.T)
    elif level is Level.SYSTEM:
        rows = (system_means(x)[None], system_means(z)[None], system_means(size)[None])
    else:
        rows = (x.reshape(1, -1), z.reshape(1, -1), size.reshape(1, -1))
    a, b, c = rows
    values = _partial(
        coefficient_of_rows(a, b, coefficient),
        coefficient_of_rows(a, c, coefficient),
        coefficient_of_rows(b, c, coefficient),
    )
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if len(defined) else None
    facts = {"undefined": "drop"} if level is Level.SUMMARY else {}
    signature = signature_of("partial", (x, z, size), level, coefficient, given="length", **facts)
    return PartialCorrelation(mean, len(defined), len(values) - len(defined), signature)


def _partial(mh: Matrix, ml: Matrix, hl: Matrix) -> Matrix:
    left = (1.0 - ml**2) * (1.0 - hl**2)
    over = (1.0 - ml**2 > _ROUNDING) & (1.0 - hl**2 > _ROUNDING)
    value = (mh - ml * hl) / np.sqrt(np.where(over, left, 1.0))
    return np.where(over, np.clip(value, -1.0, 1.0), np.nan)
