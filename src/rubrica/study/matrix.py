"""Measures against each other: the range of each one, and the correlation of every pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rubrica.data.table import ScoreTable
from rubrica.errors import DataError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlate_measures
from rubrica.meta.correlation.levels import Level


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """How the scores of a measure spread over summaries, and the means of systems among themselves."""

    measure: str
    summaries: int
    minimum: float
    median: float
    maximum: float
    lowest_system: float
    highest_system: float


@dataclass(frozen=True, slots=True)
class MeasureMatrix:
    """The ranges, and `correlations[i][j]` of measures i and j; None where it is undefined."""

    level: Level
    coefficient: Coefficient
    ranges: tuple[ScoreRange, ...]
    correlations: tuple[tuple[float | None, ...], ...]


def measure_matrix(
    table: ScoreTable,
    measures: Sequence[str],
    level: Level | str = Level.SYSTEM,
    coefficient: Coefficient | str = Coefficient.KENDALL,
) -> MeasureMatrix:
    """Return ranges and correlations; each pair uses the summaries that both measures scored."""
    level, coefficient = Level(level), Coefficient(coefficient)
    rows = [
        [correlate_measures(table, a, b, level, coefficient).value for b in measures[: i + 1]]
        for i, a in enumerate(measures)
    ]
    square = [
        tuple(rows[max(i, j)][min(i, j)] for j in range(len(measures)))
        for i in range(len(measures))
    ]
    ranges = tuple(_range(table, measure) for measure in measures)
    return MeasureMatrix(level, coefficient, ranges, tuple(square))


def _range(table: ScoreTable, measure: str) -> ScoreRange:
    values = table.matrix(measure)
    scored = values[~np.isnan(values)]
    if not len(scored):
        raise DataError(f"no summary has a score {measure!r}")
    means = [float(np.nanmean(row)) for row in values if not np.isnan(row).all()]
    low, middle, high = (float(v) for v in np.percentile(scored, [0, 50, 100]))
    return ScoreRange(measure, len(scored), low, middle, high, min(means), max(means))
