"""Tie calibration: the tie threshold that suits a metric best, found by trying every one.

A metric with real-valued scores never ties, people often do. Calling metric scores tied when they
differ by at most epsilon makes metrics comparable; epsilon is the one that maximises acc_eq
(Deutsch, Foster and Freitag, EMNLP 2023).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import ParameterError
from rubrica.meta.ranking.ties import Grouping, grouped
from rubrica.meta.scores import Matrix, choice
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature

# About 50 bytes a pair while sorting: 1 GB.
_MAX_PAIRS = 20_000_000


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """The best mean over groups and the smallest epsilon that gives it; None without pairs.

    `thresholds` are 0 and every difference between metric scores, rising, `values` the means at
    each. Groups without pairs are left out: `undefined`.
    """

    value: float | None
    epsilon: float | None
    groups: int
    undefined: int
    thresholds: Matrix = field(repr=False)
    values: Matrix = field(repr=False)
    signature: Signature = field(repr=False)


def calibrate_ties(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    variant: Literal["acc_eq", "23"] = "acc_eq",
    by: Grouping = "input",
) -> TieCalibration:
    """Find the difference of metric scores below which calling a tie agrees best with people.

    Every difference between two metric scores is tried, and 0; all pairs are used, none sampled. Equal differences
    share one threshold. The cost is O(P log P) for P pairs.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        variant: `acc_eq` or tau `23` (= 2 acc_eq - 1, so that both choose the same threshold).
        by: Compare the summaries of one `input`, of one `system`, or all (`none`).

    Returns:
        The best threshold `epsilon`, its value, and the whole curve; None without pairs.

    Raises:
        ParameterError: An option is unknown, or there are too many pairs to hold in memory.

    Example:
        >>> from rubrica.meta import calibrate_ties
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5]]
        >>> metric = [[0.2, 0.31, 0.2], [0.3, 0.3, 0.4], [0.5, 0.4, 0.7]]
        >>> best = calibrate_ties(metric, human)
        >>> round(best.epsilon, 2), best.value
        (0.01, 1.0)
    """
    choice(variant, ("acc_eq", "23"), "variant")
    x, z = grouped(metric, human, by)
    sizes = (~np.isnan(x)).sum(axis=0)
    per_group = sizes * (sizes - 1) // 2
    total, groups = int(per_group.sum()), int((per_group > 0).sum())
    undefined = len(per_group) - groups
    signature = method_signature(
        "tie-calibration",
        *(x, z),
        coef=variant if variant == "acc_eq" else f"tau-{variant}",
        by=by,
        epsilon="best-on-these-data",
        undefined="drop",
        absent="left-out",
    )
    if not total:
        return TieCalibration(None, None, 0, undefined, np.empty(0), np.empty(0), signature)
    if total > _MAX_PAIRS:
        raise ParameterError(
            f"{total:,} pairs are too many to hold; group by input, or calibrate on fewer inputs"
        )
    gaps, right, tied, pairs = _pairs(x, z, total, per_group)
    order = np.argsort(gaps, kind="stable")
    gaps, right, tied, pairs = gaps[order], right[order], tied[order], pairs[order]
    last = np.flatnonzero(np.append(gaps[1:] != gaps[:-1], True))
    values = np.zeros(len(last) + 1)
    # Whole numbers are summed for all groups with equally many pairs together, and divided once:
    # equal counts give equal means, so the first maximum is the true one.
    for size in np.unique(per_group[per_group > 0]).tolist():
        mine = pairs == size
        gained = np.cumsum(mine & tied, dtype=np.int64) - np.cumsum(mine & right, dtype=np.int64)
        values += (int((mine & right).sum()) + np.append(0, gained[last])) / (size * groups)
    thresholds = np.append(0.0, gaps[last])
    if thresholds[1] == 0.0:
        # Pairs that tie at 0 do so from the start.
        thresholds, values = thresholds[1:], values[1:]
    if variant == "23":
        values = 2.0 * values - 1.0
    best = int(np.argmax(values))
    return TieCalibration(
        float(values[best]),
        float(thresholds[best]),
        groups,
        undefined,
        thresholds,
        values,
        signature,
    )


def _pairs(
    x: Matrix, z: Matrix, total: int, per_group: NDArray[np.int64]
) -> tuple[Matrix, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int32]]:
    """Of each pair: |metric difference|, right at epsilon 0, tied by people, pairs in its group."""
    gaps, pairs = np.empty(total), np.empty(total, dtype=np.int32)
    right, tied = np.empty(total, dtype=np.bool_), np.empty(total, dtype=np.bool_)
    at = 0
    for first in range(len(x) - 1):
        dx, dz = x[first] - x[first + 1 :], z[first] - z[first + 1 :]
        present = ~np.isnan(dx)
        pairs[at : at + int(present.sum())] = np.broadcast_to(per_group, present.shape)[present]
        dx, dz = dx[present], dz[present]
        new = slice(at, at + len(dx))
        gaps[new], tied[new] = np.abs(dx), dz == 0
        right[new] = np.sign(dx) == np.sign(dz)
        at += len(dx)
    return gaps, right, tied, pairs
