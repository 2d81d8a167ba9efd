"""Correlations of resampled score tables, by the shortest way each level allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rubrica.core.kernels_py import uniform_rounds
from rubrica.meta.association import at_level, correlate_rows
from rubrica.meta.draws import count_draws, rounds_of
from rubrica.meta.scores import Matrix, blocks, choice, system_means, weighted_means
from rubrica.metrics.intervals import Resampling


def resampled_correlations(
    metric: Matrix,
    human: Matrix,
    size: int,
    *,
    over: str,
    level: str,
    coefficient: str,
    resampling: Resampling,
) -> Matrix:
    """One correlation per round, NaN where undefined, with `size` inputs or systems drawn.

    Draws are with replacement and depend on seed, round, size and the table's shape alone: two
    metrics see the same ones. Metric and human must lack the same cells.
    """
    choice(over, ("inputs", "systems"), "over")
    population = metric.shape[1] if over == "inputs" else metric.shape[0]
    samples = np.full(rounds_of(resampling), np.nan)
    if not population:
        return samples
    for part in blocks(len(samples), size + metric.shape[0] + metric.shape[1]):
        draws = uniform_rounds(resampling.seed, part.start, part.stop - part.start, size)
        drawn = (draws * population).astype(np.int64)
        if level == "system" and over == "inputs":
            counts = count_draws(drawn, population)
            a, b = weighted_means(metric, counts), weighted_means(human, counts)
            samples[part] = correlate_rows(a, b, coefficient)
        elif level == "system":
            a, b = system_means(metric)[drawn], system_means(human)[drawn]
            samples[part] = correlate_rows(a, b, coefficient)
        elif level == "summary" and over == "inputs":
            # An input's own correlation does not change with the others drawn.
            by_input = correlate_rows(metric.T, human.T, coefficient)
            samples[part] = weighted_means(by_input[None], count_draws(drawn, population))[:, 0]
        else:
            samples[part] = [_whole(metric, human, row, over, level, coefficient) for row in drawn]
    return samples


def _whole(
    x: Matrix, z: Matrix, drawn: NDArray[np.int64], over: str, level: str, coefficient: str
) -> float:
    a, b = (x[:, drawn], z[:, drawn]) if over == "inputs" else (x[drawn], z[drawn])
    value = at_level(a, b, level, coefficient).value
    return np.nan if value is None else value
