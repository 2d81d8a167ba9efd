"""Tests between all pairs of metrics at once: every pair sees the same draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rubrica.meta.correlation.bootstrap import RESAMPLED, bootstrap_correlations
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlation_value, none_if_nan
from rubrica.meta.correlation.exchanges import ScoreExchange
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.masks import Masks
from rubrica.meta.correlation.significance import (
    VARIANCE_ROUNDS,
    TestOptions,
    p_value_of,
    standardised,
    two_way,
    williams,
)
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
    """Test every two metrics; of exchanges of systems and of inputs the larger p-value counts.

    `metrics` [metric, system, input] and `human` must be aligned, without empty rows and columns, and higher scores
    of the metrics must be better (where higher human scores are). `shared` keeps what tests of the same metrics
    against other human scores, levels and coefficients can use again.
    """
    number = len(metrics)
    p_values: list[list[float | None]] = [[None] * number for _ in range(number)]
    undefined = [[0] * number for _ in range(number)]
    pairs = [(a, b) for a in range(number) for b in range(a + 1, number)]
    if options.method == "williams":
        for a, b in ((a, b) for pair in pairs for a, b in (pair, pair[::-1])):
            p_values[a][b] = williams(metrics[a], metrics[b], human, level, coefficient, options)
        return PairTests(tuple(map(tuple, p_values)), tuple(map(tuple, undefined)))
    scores = (
        metrics if options.bootstrap else np.stack([standardised(matrix) for matrix in metrics])
    )
    # A permutation test's observed values come from the numbers that are exchanged: standardising rounds.
    values = [
        correlation_value(score, human, level, coefficient, options.undefined) for score in scores
    ]
    # Berg-Kirkpatrick et al. (2012): resampled differences scatter about the observed one, not about 0, hence twice it.
    factor, rule = (2.0, "ratio") if options.bootstrap else (1.0, options.p_rule)
    draws = _draws(scores, human, level, coefficient, options, pairs, shared)
    for (a, b), drawn in zip(pairs, zip(*draws, strict=True), strict=True):
        undefined[a][b] = undefined[b][a] = max(int(np.isnan(deltas).sum()) for deltas in drawn)
        value, other = values[a], values[b]
        if value is None or other is None:
            continue
        tests = two_way(*drawn) if options.method == "permutation-two-way" else drawn
        # With roles changed, a test has the same draws with the other sign.
        for first, second, sign in ((a, b, 1), (b, a, -1)):
            threshold = sign * factor * (value - other)
            parts = [p_value_of(sign * deltas, threshold, options.tails, rule) for deltas in tests]
            p_values[first][second] = none_if_nan(np.max(parts))
    return PairTests(tuple(map(tuple, p_values)), tuple(map(tuple, undefined)))


def _draws(
    scores: Matrix,
    human: Matrix,
    level: Level,
    coefficient: Coefficient,
    options: TestOptions,
    pairs: Sequence[tuple[int, int]],
    shared: dict[Any, Any] | None,
) -> Iterator[Iterator[Matrix]]:
    """Yield for each exchange, or for the bootstrap, the differences of every pair in each round."""
    if options.bootstrap:
        resampled = bootstrap_correlations(
            scores,
            human,
            level,
            coefficient,
            over=RESAMPLED[options.method.rpartition("-")[2]],
            rounds=options.rounds,
            seed=options.seed,
            undefined=options.undefined,
            threads=options.threads,
            clusters=options.clusters,
        )
        yield (np.ascontiguousarray(resampled[:, a] - resampled[:, b]) for a, b in pairs)
        return
    if not human.size:
        nothing = np.full(options.rounds, np.nan)
        yield from ((nothing for _ in pairs) for _ in options.exchanges())
        return
    known: dict[Any, Any] = {} if shared is None else shared
    for exchange in options.exchanges():
        rounds = options.rounds
        if options.method == "permutation-two-way" and exchange == "cells":
            rounds = min(rounds, VARIANCE_ROUNDS)
        masks = Masks(human.shape, exchange, replace(options, rounds=rounds), known)
        yield ScoreExchange(
            scores,
            np.ascontiguousarray(human),
            level,
            coefficient,
            masks,
            options.undefined == "zero",
            known,
        ).differences(pairs)


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
