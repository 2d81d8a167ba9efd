"""Correlations of score tables resampled to another size than their own."""

from __future__ import annotations

import numpy as np

from rubrica.core import kernels
from rubrica.core.cores import available_cores
from rubrica.core.python.common import uniform_rounds
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.draws import count_draws, rounds_of
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import Matrix, blocks, choice
from rubrica.statistics.intervals import Resampling


def resampled_correlations(
    metric: Matrix,
    human: Matrix,
    size: int,
    *,
    over: str,
    level: Level | str,
    coefficient: Coefficient | str,
    resampling: Resampling,
) -> Matrix:
    """One correlation per round, NaN where undefined, with `size` inputs or systems drawn.

    Draws are with replacement and depend on seed, round, size and the table's shape alone: two
    metrics see the same ones. Metric and human must lack the same cells.
    """
    choice(over, ("inputs", "systems"), "over")
    samples = np.full(rounds_of(resampling), np.nan)
    if not metric.size:
        return samples
    metrics, z = np.ascontiguousarray(metric[None]), np.ascontiguousarray(human)
    population = z.shape[1] if over == "inputs" else z.shape[0]
    for part in blocks(len(samples), size + sum(z.shape)):
        rounds = part.stop - part.start
        draws = uniform_rounds(resampling.seed, part.start, rounds, size)
        drawn = count_draws((draws * population).astype(np.int64), population).astype(np.int32)
        ones = np.ones((rounds, z.shape[0 if over == "inputs" else 1]), dtype=np.int32)
        systems, inputs = (ones, drawn) if over == "inputs" else (drawn, ones)
        samples[part] = kernels.resampled_correlations(
            metrics,
            z,
            Level(level).value,
            Coefficient(coefficient).value,
            systems,
            inputs,
            False,
            available_cores(),
        )[:, 0]
    return samples
