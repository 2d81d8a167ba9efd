"""Random draws of a resampling: a function of seed and round alone, so any split gives the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.core.python.common import uniform_rounds
from rubrica.errors import ParameterError
from rubrica.meta.scores import Matrix, blocks
from rubrica.statistics.intervals import Resampling

# A thousand rounds from the usual seed, intervals of 95 percent.
STANDARD = Resampling()


def facts_of(resampling: Resampling, drawn: str = "bs") -> dict[str, Any]:
    """What a signature tells of a resampling; `drawn` says of what: bootstrap or permutations."""
    return {
        drawn: resampling.rounds,
        "confidence": f"{resampling.confidence:g}",
        "seed": resampling.seed,
    }


def rounds_of(resampling: Resampling) -> int:
    """The number of rounds, which must be at least one here."""
    if resampling.rounds < 1:
        raise ParameterError(f"rounds must be at least 1, found {resampling.rounds}")
    return resampling.rounds


def defined_interval(samples: Matrix, resampling: Resampling) -> tuple[float | None, float | None]:
    """Percentile interval of the samples that are not NaN; (None, None) where there are none."""
    defined = samples[~np.isnan(samples)]
    if not len(defined):
        return None, None
    lower, upper = resampling.bounds(defined)
    return float(lower), float(upper)


def count_blocks(
    resampling: Resampling, size: int, population: int
) -> Iterator[tuple[slice, Matrix]]:
    """All rounds, a block at a time: how often each member was drawn in `size` draws.

    Draws are with replacement; a block is rounds x population and stays small.
    """
    for part in blocks(rounds_of(resampling), size + population):
        draws = uniform_rounds(resampling.seed, part.start, part.stop - part.start, size)
        yield part, count_draws((draws * population).astype(np.int64), population)


def count_draws(drawn: NDArray[np.int64], population: int) -> Matrix:
    """Rounds x population: how often each member is among a round's draws."""
    rounds = len(drawn)
    flat = (drawn + np.arange(rounds)[:, None] * population).ravel()
    counts = np.bincount(flat, minlength=rounds * population)
    return counts.reshape(rounds, population).astype(np.float64)


def sign_blocks(resampling: Resampling, count: int) -> Iterator[Matrix]:
    """All rounds, a block at a time: rounds x count fair coins, -1 or +1."""
    for part in blocks(rounds_of(resampling), count):
        draws = uniform_rounds(resampling.seed, part.start, part.stop - part.start, count)
        yield np.where(draws < 0.5, -1.0, 1.0)
