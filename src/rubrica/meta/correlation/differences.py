"""Pairwise-difference Pearson: do score differences on one input match people's in size?

Pearson over all differences between two summaries of the same group, both ways round. Unlike tau
it sees by how much; unlike plain Pearson it ignores how hard an input is. Used by the WMT metrics
task from 2025.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rubrica.meta.ranking.ties import Grouping, grouped
from rubrica.meta.scores import centred
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature


@dataclass(frozen=True, slots=True)
class DifferencePearson:
    """The correlation in [-1, 1], None where one side has no differences; pairs of summaries used."""

    value: float | None
    pairs: int
    signature: Signature = field(repr=False)


def difference_pearson(
    metric: ArrayLike, human: ArrayLike, *, by: Grouping = "input"
) -> DifferencePearson:
    """Return Pearson's correlation of the differences between summaries within each group, with all groups pooled.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        by: Groups are the summaries of one `input`, of one `system`, or all (`none`, plain Pearson).

    Returns:
        The correlation and the number of pairs; None if one side has no differences.

    Raises:
        MismatchError: The matrices differ in shape.

    Example:
        >>> from rubrica.meta import difference_pearson
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> metric = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> result = difference_pearson(metric, human)
        >>> round(result.value, 3), result.pairs
        (0.807, 18)
    """
    x, z = grouped(metric, human, by)
    sizes = (~np.isnan(x)).sum(axis=0)
    pairs = int((sizes * (sizes - 1) // 2).sum())
    # The differences both ways have mean 0, and within a group of n scores the sum over pairs of
    # dx dz is n times the sum of the centred products: no pair need be formed.
    dx, dz = centred(x.T).T, centred(z.T).T
    xx, zz = (sizes * (dx * dx).sum(axis=0)).sum(), (sizes * (dz * dz).sum(axis=0)).sum()
    facts = {"coef": "pearson", "by": by, "pairs": "both-ways", "absent": "left-out"}
    signature = method_signature("difference-pearson", x, z, **facts)
    if not (xx > 0 and zz > 0):
        return DifferencePearson(None, pairs, signature)
    r = (sizes * (dx * dz).sum(axis=0)).sum() / (np.sqrt(xx) * np.sqrt(zz))
    return DifferencePearson(float(np.clip(r, -1.0, 1.0)), pairs, signature)
