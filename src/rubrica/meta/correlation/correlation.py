"""The correlation of a metric with human scores, at a level; what is undefined is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rubrica.core import kernels
from rubrica.errors import DataError, MismatchError, ParameterError
from rubrica.formatting.jsonable import to_jsonable
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table
from rubrica.formatting.text_table import format_p, format_value
from rubrica.meta.correlation.coefficients import Coefficient, p_value
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.join import SummarizerType
from rubrica.meta.score_tables import Scores, score_table
from rubrica.meta.scores import Matrix, system_means
from rubrica.meta.signatures import signature_of
from rubrica.signature import Signature
from rubrica.statistics.undefined import none_if_nan


@dataclass(frozen=True, slots=True, repr=False)
class Correlation(Result):
    """A correlation and what it rests on.

    `value` is None where it is undefined. `n` is the number of points: systems (at the summary level
    the most that any input has) or summaries. `defined` and `undefined` count inputs at the summary
    level and are 1 or 0 at the others. `left_out` counts cells that only one of the two has.
    `p_value` is that of independent points, and None at the summary level, where there is none.
    """

    level: Level
    coefficient: Coefficient
    value: float | None
    n: int
    defined: int
    undefined: int
    left_out: int
    p_value: float | None
    signature: Signature

    @property
    def points(self) -> str:
        """How many points it rests on, in words."""
        if self.level is not Level.SUMMARY:
            return f"{self.n:,} {'systems' if self.level is Level.SYSTEM else 'summaries'}"
        undefined = f" ({self.undefined:,} undefined)" if self.undefined else ""
        return f"{self.defined:,} inputs{undefined}"

    def to_table(self) -> Table:
        """Return one row, as `rubrica correlate` prints it for each level and coefficient."""
        cells = [self.level.value, self.coefficient.value, format_value(self.value)]
        cells += [format_p(self.p_value), self.points]
        headers = ("level", "coefficient", "value", "p", "n")
        signatures = (str(self.signature),)
        return Table(headers, [[*map(Cell, cells)]], signatures=signatures, labels=2)

    def records(self) -> list[dict[str, Any]]:
        """Return one row."""
        return [{**to_jsonable(self), "signature": str(self.signature)}]

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data."""
        return self.records()[0]


def correlate(
    metric: ArrayLike,
    human: ArrayLike,
    level: Level | str = Level.SUMMARY,
    coefficient: Coefficient | str = Coefficient.PEARSON,
    *,
    undefined: Undefined = "drop",
) -> Correlation:
    """Correlate two matrices of scores.

    Cells where either is NaN are left out of both. An input is undefined if it has only one shared score or constant
    scores. An input without any shared score is not part of the comparison.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        level: `summary` (mean of the correlations within inputs), `system` (of system means) or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.
        undefined: Inputs without a correlation: `drop` them, count them as `zero`, or raise an `error`.

    Returns:
        The correlation, with the number of points and of inputs without a value.

    Raises:
        MismatchError: The matrices differ in shape.
        DataError: An input is undefined and `undefined` is `error`, or a score is infinite.

    Example:
        >>> from rubrica.meta import correlate
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> metric = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> result = correlate(metric, human, "system", "spearman")
        >>> round(result.value, 3), result.n
        (1.0, 4)
    """
    level, coefficient = Level(level), Coefficient(coefficient)
    (x, z), left_out = aligned(metric, human)
    signature = signature_of(
        "correlation", (x, z), level, coefficient, **_summary_only(level, undefined)
    )
    points = number_of_points(z, level)
    if level is Level.SUMMARY:
        columns = input_correlations(x, z, coefficient)
        present = int((~np.isnan(z)).any(axis=0).sum())
        bad = present - int((~np.isnan(columns)).sum())
        if bad and undefined == "error":
            raise DataError(
                f"{bad} of {present} inputs have no defined {coefficient} correlation (constant "
                "scores, or one summary only), and the rule for them is 'error'"
            )
        value = correlation_value(x, z, level, coefficient, undefined)
        return Correlation(
            level, coefficient, value, points, present - bad, bad, left_out, None, signature
        )
    value = correlation_value(x, z, level, coefficient, undefined)
    p = None
    if value is not None:
        vectors = (
            (x.ravel(), z.ravel()) if level is Level.GLOBAL else (system_means(x), system_means(z))
        )
        p = none_if_nan(p_value(*vectors, coefficient))
    defined = int(value is not None)
    return Correlation(
        level, coefficient, value, points, defined, 1 - defined, left_out, p, signature
    )


def correlate_measures(
    scores: Scores,
    metric: str,
    human: str,
    level: Level | str = Level.SUMMARY,
    coefficient: Coefficient | str = Coefficient.PEARSON,
    *,
    undefined: Undefined = "drop",
    summarizer_type: SummarizerType = "peer",
) -> Correlation:
    """Correlate a metric with human scores, by the names of their measures.

    Args:
        scores: Files of scores, rows (such as those that `evaluate` returns), a frame of pandas or polars, an Arrow
            table, a list of these, or a `ScoreTable`. Rows of the same summary are joined.
        metric: A measure, such as `rouge-1.f1`.
        human: Another measure, such as `relevance`.
        level: `summary` (mean of the correlations within inputs), `system` (of system means) or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.
        undefined: Inputs without a correlation: `drop` them, count them as `zero`, or raise an `error`.
        summarizer_type: Which rows to use: those of systems (`peer`), of people (`reference`), or `all`.

    Returns:
        The correlation, with the number of points and of inputs without a value.

    Raises:
        UnknownNameError: The scores have no such measure.

    Example:
        >>> import rubrica as rb
        >>> values = {"a": (30, 2), "b": (40, 3), "c": (60, 5)}
        >>> rows = [
        ...     rb.Metrics("1", system, "peer", {"rouge": rouge, "relevance": human})
        ...     for system, (rouge, human) in values.items()
        ... ]
        >>> round(rb.correlate(rows, "rouge", "relevance", "system").value, 3)
        1.0
    """
    table = score_table(scores, summarizer_type)
    return correlate(
        table.matrix(metric), table.matrix(human), level, coefficient, undefined=undefined
    )


def input_correlations(
    metric: ArrayLike, human: ArrayLike, coefficient: Coefficient | str
) -> Matrix:
    """Return the correlation over systems within each input.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        coefficient: `pearson`, `spearman` or `kendall`.

    Returns:
        A vector with a value per input; NaN where it is undefined.

    Raises:
        MismatchError: The matrices differ in shape.

    Example:
        >>> from rubrica.meta import input_correlations
        >>> input_correlations([[1, 2], [2, 2], [3, 2]], [[1, 1], [3, 2], [2, 3]], "spearman").round(3).tolist()
        [0.5, nan]
    """
    (x, z), _ = aligned(metric, human)
    if not x.size:
        return np.full(x.shape[1], np.nan)
    name = Coefficient(coefficient).value
    columns: Matrix = kernels.column_correlations(np.ascontiguousarray(x[None]), z, name)[0]
    return columns


def aligned(*matrices: ArrayLike) -> tuple[list[Matrix], int]:
    """The matrices with NaN wherever any of them has NaN, and how many cells that left out.

    Infinite scores are refused: no coefficient has a meaning for them.
    """
    copies = [np.array(matrix, dtype=np.float64, order="C") for matrix in matrices]
    shapes = sorted({matrix.shape for matrix in copies})
    if len(shapes) > 1 or copies[0].ndim != 2:
        sizes = ", ".join(map(str, shapes))
        raise MismatchError(f"matrices of systems x inputs with one shape are needed, not {sizes}")
    if any(np.isinf(matrix).any() for matrix in copies):
        raise DataError("a score is infinite; correlations need finite ones")
    absent = np.isnan(copies)
    nowhere, anywhere = absent.all(axis=0), absent.any(axis=0)
    for matrix in copies:
        matrix[anywhere] = np.nan
    return copies, int((anywhere & ~nowhere).sum())


def without_empty(*matrices: Matrix) -> list[Matrix]:
    """The matrices without systems and inputs that have no score at all in the last of them."""
    present = ~np.isnan(matrices[-1])
    filled = np.ix_(present.any(axis=1), present.any(axis=0))
    return [np.ascontiguousarray(matrix[filled]) for matrix in matrices]


def number_of_points(human: Matrix, level: Level) -> int:
    """The n of Fisher's interval and of Williams' test; the summary level's is a stand-in."""
    present = ~np.isnan(human)
    if level is Level.GLOBAL:
        return int(present.sum())
    if level is Level.SYSTEM:
        return int(present.any(axis=1).sum())
    return int(present.sum(axis=0).max()) if present.size else 0


def correlation_value(
    metric: Matrix, human: Matrix, level: Level, coefficient: Coefficient, undefined: Undefined
) -> float | None:
    """The value alone, of aligned matrices."""
    if not human.size:
        return None
    systems, inputs = human.shape
    values = kernels.resampled_correlations(
        np.ascontiguousarray(metric[None]),
        np.ascontiguousarray(human),
        level.value,
        coefficient.value,
        np.ones((1, systems), dtype=np.int32),
        np.ones((1, inputs), dtype=np.int32),
        undefined == "zero",
    )
    return none_if_nan(values[0, 0])


def check_rule(undefined: str) -> None:
    """Refuse a rule that does not exist."""
    if undefined not in ("drop", "zero", "error"):
        raise ParameterError(f"the rule for undefined inputs is drop, zero or error: {undefined!r}")


def _summary_only(level: Level, undefined: Undefined) -> dict[str, str]:
    check_rule(undefined)
    return {"undefined": undefined} if level is Level.SUMMARY else {}
