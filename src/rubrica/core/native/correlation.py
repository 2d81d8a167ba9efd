"""The compiled kernels of meta-evaluation behind the signatures of their plain twins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rubrica.core import _native  # noqa: TID251 (behind the door)
from rubrica.core.score_checks import check_finite

if TYPE_CHECKING:
    from rubrica.core.python.correlation import Counts, Floats, Swaps, SwapScheme

__all__ = [
    "bootstrap_counts",
    "column_correlations",
    "exchanged_pearson",
    "masked_sums",
    "rank_tables",
    "resampled_correlations",
    "swap_masks",
    "swapped_correlations",
]


def bootstrap_counts(
    size: int, rounds: int, seed: int, *, first: int = 0, start: int = 0
) -> Counts:
    """How often each of `size` things is drawn in `size` draws with replacement: [round, thing]."""
    return _native.bootstrap_counts(size, rounds, seed, first, start)


def swap_masks(
    systems: int, inputs: int, scheme: SwapScheme, rounds: int, seed: int, *, first: int = 0
) -> Swaps:
    """Which cells two metrics exchange in each round: array [round, system, input]."""
    return _native.swap_masks(systems, inputs, scheme, rounds, seed, first).view(np.bool_)


def column_correlations(metrics: Floats, human: Floats, coefficient: str) -> Floats:
    """Correlations of each metric with the human scores within each input: [metric, input]."""
    check_finite(metrics, human)
    return _native.column_correlations(metrics, human, coefficient)


def resampled_correlations(
    metrics: Floats,
    human: Floats,
    level: str,
    coefficient: str,
    system_counts: Counts,
    input_counts: Counts,
    zero: bool = False,
    threads: int = 1,
) -> Floats:
    """Correlations when system i and input j count as often as each round says: [round, metric]."""
    check_finite(metrics, human)
    return _native.resampled_correlations(
        metrics, human, level, coefficient, system_counts, input_counts, zero, max(1, threads)
    )


def swapped_correlations(
    metrics: Floats,
    human: Floats,
    level: str,
    coefficient: str,
    pairs: NDArray[np.int64],
    swaps: Swaps,
    zero: bool = False,
    threads: int = 1,
) -> Floats:
    """Correlations of both metrics of each pair after exchanging cells: [round, pair, 2]."""
    check_finite(metrics, human)
    return _native.swapped_correlations(
        metrics, human, level, coefficient, pairs, swaps.view(np.uint8), zero, max(1, threads)
    )


def masked_sums(weights: Floats, swaps: Swaps, threads: int = 1) -> Floats:
    """Sums of the weights [cell, kind] of the cells that a round exchanges: [round, kind]."""
    return _native.masked_sums(weights, swaps.view(np.uint8), max(1, threads))


def rank_tables(
    codes: NDArray[np.int32],
    human: NDArray[np.int32],
    units: NDArray[np.int32],
    unit_count: int,
    kinds: int,
    threads: int = 1,
) -> Floats:
    """Sums of comparisons between the cells of any two metrics: [p, q, unit of p's cell, unit of q's cell]."""
    return _native.rank_tables(codes, human, units, unit_count, kinds, max(1, threads))


def exchanged_pearson(
    tables: Floats, points: Floats, pairs: NDArray[np.int64], swaps: Swaps, threads: int = 1
) -> tuple[Floats, NDArray[np.bool_]]:
    """Differences of Pearson's correlations after exchanges, from the sums that units add."""
    values, cancelled = _native.exchanged_pearson(
        tables, points, pairs, swaps.view(np.uint8), max(1, threads)
    )
    return values, cancelled.view(np.bool_)
