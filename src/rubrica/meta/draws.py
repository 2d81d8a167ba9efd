"""Random draws of a resampling: a function of seed and round alone, so any split gives the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rubrica.core.kernels_py import uniform_rounds, uniforms
from rubrica.errors import ParameterError
from rubrica.meta.scores import Matrix, blocks
from rubrica.metrics.intervals import Resampling

# A thousand rounds from the usual seed, intervals of 95 percent.
STANDARD = Resampling()


def rounds_of(resampling: Resampling) -> int:
    """The number of rounds, which must be at least one here."""
    if resampling.rounds < 1:
        raise ParameterError(f"rounds must be at least 1, found {resampling.rounds}")
    return resampling.rounds


def defined_interval(samples: Matrix, resampling: Resampling) -> tuple[float | None, float | None]:
    """Percentile interval of the samples that are not NaN; (None, None) where there are none."""
    kept = samples[~np.isnan(samples)]
    if not len(kept):
        return None, None
    lower, upper = resampling.bounds(kept)
    return float(lower), float(upper)


def draw_counts(seed: int, rounds: int, size: int, population: int) -> Matrix:
    """Rounds x population: how often each member was drawn in `size` draws with replacement."""
    counts = np.empty((rounds, population))
    for part in blocks(rounds, size):
        draws = uniform_rounds(seed, part.start, part.stop - part.start, size)
        counts[part] = count_draws((draws * population).astype(np.int64), population)
    return counts


def count_draws(drawn: NDArray[np.int64], population: int) -> Matrix:
    """Rounds x population: how often each member is among a round's draws."""
    rounds = len(drawn)
    flat = (drawn + np.arange(rounds)[:, None] * population).ravel()
    counts = np.bincount(flat, minlength=rounds * population)
    return counts.reshape(rounds, population).astype(np.float64)


def signs(seed: int, rounds: int, count: int) -> Matrix:
    """Rounds x count fair coins, -1 or +1."""
    return np.where(uniform_rounds(seed, 0, rounds, count) < 0.5, -1.0, 1.0)


def permutation(seed: int, round_number: int, count: int) -> NDArray[np.int64]:
    """One shuffle of 0..count-1."""
    return np.argsort(uniforms(seed, round_number, count), kind="stable")
