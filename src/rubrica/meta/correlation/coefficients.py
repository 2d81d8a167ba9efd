"""The correlation coefficients, of two vectors, with their p-values."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from rubrica.core import kernels
from rubrica.errors import ParameterError, UnknownNameError
from rubrica.meta.scores import Matrix


class Coefficient(StrEnum):
    """Pearson's r, Spearman's rho, and Kendall's tau: `kendall` is tau-b."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    KENDALL = "kendall"
    TAU_A = "tau-a"
    TAU_C = "tau-c"

    @classmethod
    def _missing_(cls, value: object) -> Coefficient:
        raise UnknownNameError(
            "coefficient", str(value), [coefficient.value for coefficient in cls]
        )

    @property
    def symbol(self) -> str:
        """How its value is called in the JSON of SacreROUGE and of `rubrica correlate`."""
        return {"pearson": "r", "spearman": "rho"}.get(self.value, "tau")

    @property
    def tie_rule(self) -> str:
        """What happens to equal values, as a signature shows it."""
        if self is Coefficient.PEARSON:
            return "none"
        if self is Coefficient.SPEARMAN:
            return "average-ranks"
        return "tau-b" if self is Coefficient.KENDALL else self.value


def coefficient_of(x: ArrayLike, z: ArrayLike, coefficient: Coefficient | str) -> float:
    """Return the correlation of two vectors.

    Args:
        x: Numbers; points where either vector is NaN are left out.
        z: As many numbers.
        coefficient: `pearson`, `spearman`, `kendall` (tau-b), `tau-a` or `tau-c`.

    Returns:
        The coefficient; NaN with fewer than two points, or if all of `x` or all of `z` are equal.

    Raises:
        ParameterError: The vectors differ in length.
        UnknownNameError: There is no such coefficient.

    Example:
        >>> from rubrica.meta import coefficient_of
        >>> round(coefficient_of([1, 2, 3, 4], [1, 3, 2, 4], "kendall"), 3)
        0.667
    """
    a, b = _vectors(x, z)
    if not a.size:
        return float("nan")
    # A list of points is a matrix of one input at the global level: O(n log n) for ranks, too.
    values = kernels.resampled_correlations(
        np.ascontiguousarray(a[None, :, None]),
        np.ascontiguousarray(b[:, None]),
        "global",
        Coefficient(coefficient).value,
        np.ones((1, len(a)), dtype=np.int32),
        np.ones((1, 1), dtype=np.int32),
        False,
    )
    return float(values[0, 0])


def coefficient_of_rows(x: Matrix, z: Matrix, coefficient: Coefficient | str) -> Matrix:
    """The coefficient of each row of `x` with the same row of `z`, as `coefficient_of` has it.

    O(rows x columns^2) for rank coefficients.
    """
    name = Coefficient(coefficient).value
    if not x.size:
        return np.full(len(x), np.nan)
    columns = np.ascontiguousarray(x.T)[None], np.ascontiguousarray(z.T)
    values: Matrix = kernels.column_correlations(*columns, name)[0]
    return values


def p_value(x: ArrayLike, z: ArrayLike, coefficient: Coefficient | str) -> float:
    """Return the two-sided p-value of no association between two vectors of independent points.

    Pearson and Spearman use Student's t with n - 2 degrees of freedom. Kendall is exact without ties up to 33 points,
    and otherwise normal with a correction for ties, as in SciPy.

    Args:
        x: Numbers; points where either vector is NaN are left out.
        z: As many numbers.
        coefficient: `pearson`, `spearman`, `kendall` (tau-b), `tau-a` or `tau-c`.

    Returns:
        The p-value; NaN where the coefficient is undefined, or with two points for Pearson and Spearman.

    Raises:
        ParameterError: The vectors differ in length.
        UnknownNameError: There is no such coefficient.

    Example:
        >>> from rubrica.meta import p_value
        >>> round(p_value([1, 2, 3, 4, 5], [1, 3, 2, 4, 5], "pearson"), 4)
        0.0374
    """
    # scipy.stats takes long to import; most uses need no p-value.
    from scipy import stats

    a, b = _vectors(x, z)
    shared = ~(np.isnan(a) | np.isnan(b))
    a, b = a[shared], b[shared]
    r = coefficient_of(a, b, coefficient)
    if np.isnan(r):
        return float("nan")
    if Coefficient(coefficient) in (Coefficient.PEARSON, Coefficient.SPEARMAN):
        freedom = len(a) - 2
        if freedom < 1:
            return float("nan")
        if abs(r) >= 1.0:
            return 0.0
        return float(2 * stats.t.sf(abs(r) * np.sqrt(freedom / ((1 - r) * (1 + r))), freedom))
    return float(stats.kendalltau(a, b).pvalue)


def _vectors(x: ArrayLike, z: ArrayLike) -> tuple[Matrix, Matrix]:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(z, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ParameterError(f"two vectors of equal length are needed, not {a.shape} and {b.shape}")
    return a, b
