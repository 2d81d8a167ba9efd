"""Tests between all pairs of metrics at once: every pair sees the same draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from rubrica.meta.correlation.bootstrap import OVER, bootstrap_correlations
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlation_value, none_if_nan
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.correlation.significance import (
    PRule,
    Scheme,
    Test,
    compare,
    p_value_of,
    standardised,
    swap_correlations,
)
from rubrica.meta.scores import Matrix
from rubrica.statistics.corrections import CORRECTIONS

Square: TypeAlias = tuple[tuple[float | None, ...], ...]
# So many pairs are exchanged at a time, so that memory stays bounded.
_PAIRS = 256


def p_value_matrix(
    metrics: Matrix,
    human: Matrix,
    level: Level,
    coefficient: Coefficient,
    *,
    method: Test,
    scheme: Scheme,
    p_rule: PRule,
    signed: bool,
    tails: int,
    rounds: int,
    seed: int,
    undefined: Undefined,
    threads: int | None,
) -> Square:
    """[a][b]: the p-value that `compare(a, b)` gives; None on the diagonal and where undefined.

    `metrics` [metric, system, input] and `human` must be aligned, without empty rows and columns.
    """
    number = len(metrics)
    made: list[list[float | None]] = [[None] * number for _ in range(number)]
    pairs = [(a, b) for a in range(number) for b in range(a + 1, number)]
    options: dict[str, Any] = {"rounds": rounds, "seed": seed, "undefined": undefined}
    if method == "williams":
        options |= {"method": method, "signed": signed, "tails": tails}
        for a, b in ((a, b) for pair in pairs for a, b in (pair, pair[::-1])):
            test = compare(metrics[a], metrics[b], human, level, coefficient, **options)
            made[a][b] = test.p_value
        return tuple(map(tuple, made))
    options["threads"] = threads
    over = OVER[method.rpartition("-")[2]]
    bootstrap = method.startswith("bootstrap")
    # A permutation test's observed values come from the numbers that are exchanged, as in `compare`.
    values = [
        correlation_value(
            one if bootstrap else standardised(one), human, level, coefficient, undefined
        )
        for one in metrics
    ]
    factor, rule = (2.0, "ratio") if bootstrap else (1.0, p_rule)
    resampled = (
        bootstrap_correlations(metrics, human, level, coefficient, over=over, **options)
        if bootstrap
        else None
    )
    for first in range(0, len(pairs), _PAIRS):
        some = pairs[first : first + _PAIRS]
        if resampled is None:
            exchange = scheme if over == "both" else over
            both = swap_correlations(
                metrics, human, level, coefficient, exchange=exchange, pairs=some, **options
            )
            deltas = both[:, :, 0] - both[:, :, 1]
        else:
            left, right = np.array(some).T
            deltas = resampled[:, left] - resampled[:, right]
        for (a, b), delta in zip(some, np.ascontiguousarray(deltas.T), strict=True):
            one, other = values[a], values[b]
            if one is None or other is None:
                continue
            # Turned round, a test of b against a has the same draws with the other sign.
            threshold = factor * (one - other)
            made[a][b] = none_if_nan(p_value_of(delta, threshold, tails, rule))
            made[b][a] = none_if_nan(p_value_of(-delta, -threshold, tails, rule))
    return tuple(map(tuple, made))


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
    made: list[list[float | None]] = [[None] * number for _ in range(number)]
    for (a, b), p in zip(cells, adjusted, strict=True):
        made[a][b] = p
        if tails == 2:
            made[b][a] = p
    return tuple(map(tuple, made))


def beaten(values: Sequence[float | None], adjusted: Square, alpha: float) -> list[list[bool]]:
    """[a][b]: a correlates better than b, and the test says so."""
    return [
        [
            p is not None and p <= alpha and one is not None and other is not None and one > other
            for p, other in zip(row, values, strict=True)
        ]
        for row, one in zip(adjusted, values, strict=True)
    ]
