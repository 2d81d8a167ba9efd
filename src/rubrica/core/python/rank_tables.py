"""Plain kernel of comparisons between the cells of any two metrics, summed over units."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rubrica.core.python.correlation import Floats

_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


def rank_tables(
    codes: NDArray[np.int32],
    human: NDArray[np.int32],
    units: NDArray[np.int32],
    unit_count: int,
    kinds: int,
    threads: int = 1,
) -> Floats:
    """Return sums of comparisons: [p, q, i, k], over cells c of unit i and d of unit k.

    Args:
        codes: The scores of each metric as codes, ascending; equal scores have equal codes: [metric, cell].
        human: The human scores, as codes below `kinds`, or if that is 0 as numbers.
        units: The unit of each cell.
        unit_count: Number of units.
        kinds: Number of different human scores. Then sums are of sign(p_c - q_d) sign(h_c - h_d), without of
            h_c sign(p_c - q_d).
        threads: Not used.
    """
    metrics, cells = codes.shape
    out = np.zeros((metrics, metrics, unit_count, unit_count))
    for q, others in enumerate(codes):
        order = np.argsort(others, kind="stable")
        # [n, g, k]: cells of unit k among the lowest n by metric q that people score below g; of ranks, all of them.
        counts = np.zeros((cells + 1, kinds + 1, unit_count), dtype=np.int64)
        counts[np.arange(1, cells + 1), human[order] + 1 if kinds else 0, units[order]] = 1
        np.cumsum(counts, axis=0, out=counts)
        np.cumsum(counts, axis=1, out=counts)
        for p, own in enumerate(codes):
            leads = -_leads(counts[-1:].repeat(cells, axis=0), human, kinds)
            for side in _SIDES:
                leads += _leads(
                    counts[np.searchsorted(others[order], own, side=side)], human, kinds
                )
            np.add.at(out[p, q], units, leads)
    return out


def _leads(counts: NDArray[np.int64], human: NDArray[np.int32], kinds: int) -> NDArray[np.int64]:
    """Of the counted cells of each unit, those that people score lower less those they score higher; or times ranks."""
    if not kinds:
        return human[:, None] * counts[:, 0]
    rows = np.arange(len(human))
    return counts[rows, human] + counts[rows, human + 1] - counts[:, -1]
