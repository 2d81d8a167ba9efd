"""Tests between all pairs of metrics at once: every pair sees the same draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.metric_tests import METRIC_TESTS, TestedScores
from rubrica.meta.correlation.significance import TestOptions
from rubrica.meta.scores import Matrix
from rubrica.statistics.corrections import CORRECTIONS

Square: TypeAlias = tuple[tuple[float | None, ...], ...]


class PairTests(NamedTuple):
    """[a][b]: the p-value that `compare_metrics(a, b)` gives, None on the diagonal and where undefined; its undefined rounds."""

    p_values: Square
    undefined_rounds: tuple[tuple[int, ...], ...]


def p_value_matrix(
    metrics: Matrix,
    human: Matrix,
    level: Level,
    coefficient: Coefficient,
    options: TestOptions,
    shared: dict[Any, Any] | None = None,
) -> PairTests:
    """Test every two metrics.

    `metrics` [metric, system, input] and `human` must be aligned, without empty rows and columns, and higher scores
    of the metrics must be better (where higher human scores are). `TestedScores` explains `shared`.
    """
    number = len(metrics)
    p_values: list[list[float | None]] = [[None] * number for _ in range(number)]
    undefined = [[0] * number for _ in range(number)]
    pairs = [(a, b) for a in range(number) for b in range(a + 1, number)]
    scores = TestedScores(
        metrics, human, level, coefficient, options, {} if shared is None else shared
    )
    results = METRIC_TESTS[options.method].results(scores, pairs)
    for (a, b), result in zip(pairs, results, strict=True):
        p_values[a][b], p_values[b][a] = result.p_value, result.reverse
        undefined[a][b] = undefined[b][a] = result.undefined_rounds
    return PairTests(tuple(map(tuple, p_values)), tuple(map(tuple, undefined)))


def corrected(p_values: Square, correction: str, tails: int) -> Square:
    """Adjusted p-values; the family is the matrix.

    With one tail every ordered pair is a test, since the data choose the direction; with two tails
    both orders are one test.
    """
    number = len(p_values)
    cells = [
        (a, b) for a in range(number) for b in range(number) if a < b or (tails == 1 and a > b)
    ]
    adjusted = CORRECTIONS[correction]([p_values[a][b] for a, b in cells])
    square: list[list[float | None]] = [[None] * number for _ in range(number)]
    for (a, b), p in zip(cells, adjusted, strict=True):
        square[a][b] = p
        if tails == 2:
            square[b][a] = p
    return tuple(map(tuple, square))


def beaten(values: Sequence[float | None], adjusted: Square, alpha: float) -> list[list[bool]]:
    """[a][b]: a correlates better than b, and the test says so."""
    return [
        [
            p is not None and p <= alpha and own is not None and other is not None and own > other
            for p, other in zip(row, values, strict=True)
        ]
        for row, own in zip(adjusted, values, strict=True)
    ]
