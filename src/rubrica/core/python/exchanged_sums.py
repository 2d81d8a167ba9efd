"""Plain kernels of exchanges between metrics: sums that an exchange changes cell by cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rubrica.core.python.correlation import Floats, Swaps

# Sums of squares this much smaller than the squares they come from have lost too many digits.
_CANCELLATION = 1e-3
# So have sums this much smaller than those that the exchange took them from.
_DIFFERENCE = 1e-6
# Rounds are computed in blocks of about this many numbers, so that memory stays bounded.
_BLOCK = 2_000_000


def masked_sums(weights: Floats, swaps: Swaps, threads: int = 1) -> Floats:
    """Sums of the weights [cell, kind] of the cells that a round exchanges: [round, kind].

    They are added in the order of the cells.
    """
    out = np.zeros((len(swaps), weights.shape[1]))
    for cell, row in enumerate(weights):
        out += np.where(swaps[:, cell, None], row, 0.0)
    return out


# Metrics without variance have no correlation: sums over them are infinite or undefined, and reported as cancelled.
@np.errstate(divide="ignore", invalid="ignore")
def exchanged_pearson(
    tables: Floats, points: Floats, pairs: NDArray[np.int64], swaps: Swaps, threads: int = 1
) -> tuple[Floats, NDArray[np.bool_]]:
    """Differences of Pearson's correlations after exchanges, from the sums that units add.

    Args:
        tables: What units (systems, inputs or cells) add to the sums of x, of x x, and of x z with z divided by its
            norm: [sum, metric, unit, column].
        points: Number of points of each column.
        pairs: The two metrics of each pair.
        swaps: Which units are exchanged: [round, unit, column].
        threads: Not used.

    Returns:
        The correlation of the first metric less that of the second, summed over columns: [round, pair]; and for each
        pair whether a sum of squares lost too many digits.
    """
    out = np.empty((len(swaps), len(pairs)))
    cancelled = np.zeros(len(pairs), dtype=np.bool_)
    step = max(1, _BLOCK // max(1, tables[:, :, :1].size))
    for at in range(0, len(swaps), step):
        block = swaps[at : at + step]
        # [sum, metric, round, column]
        moved = np.zeros((*tables.shape[:2], len(block), tables.shape[3]))
        total = np.zeros((*tables.shape[:2], 1, tables.shape[3]))
        for unit in range(tables.shape[2]):
            values = tables[:, :, unit, None]
            moved += block[:, unit] * values
            total += values
        unmoved = total - moved
        for number, (a, b) in enumerate(pairs):
            squares = total[1, a] + total[1, b]
            first, lost = _correlation_sums(unmoved[:, a] + moved[:, b], squares, points)
            second, lost_too = _correlation_sums(unmoved[:, b] + moved[:, a], squares, points)
            out[at : at + step, number] = first - second
            cancelled[number] |= lost or lost_too
    return out, cancelled


def _correlation_sums(sums: Floats, all_squares: Floats, points: Floats) -> tuple[Floats, bool]:
    """Sums over columns of the correlations in each round, added in their order; whether digits were lost."""
    x, squares, product = sums
    varied = squares - x * x * (1.0 / points)
    values = product / np.sqrt(varied)
    total = np.zeros(len(values))
    for column in values.T:
        total += column
    least = np.maximum(_CANCELLATION * squares, _DIFFERENCE * all_squares)
    return total, not bool((varied > least).all())
