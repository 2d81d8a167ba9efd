"""Soft pairwise accuracy: does the metric tell systems apart as confidently as people do?

Each pair of systems gets a one-sided paired permutation p-value from people and one from the
metric; SPA is one minus their mean distance (Thompson et al., WMT 2024; the WMT metrics task's
measure at system level since 2024). Its complement is the pairwise confidence error, PCE.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rubrica.meta.correlation.draws import STANDARD, rounds_of, sign_blocks
from rubrica.meta.scores import Matrix, blocks, joined, score_matrix
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling

# Sums this close, relative to the scores that made them, are equal: scores such as .1 have no
# exact double, and a tie between null and observed must not hang on that.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class SoftPairwise:
    """SPA in [0, 1], 1 best; None without pairs. A pair without a common input is `left_out`."""

    value: float | None
    pairs: int
    left_out: int
    signature: Signature = field(repr=False)

    @property
    def pce(self) -> float | None:
        """Pairwise confidence error, 1 - SPA."""
        return None if self.value is None else 1.0 - self.value


def soft_pairwise_accuracy(
    metric: ArrayLike, human: ArrayLike, *, resampling: Resampling = STANDARD
) -> SoftPairwise:
    """Return how close the metric's certainty about pairs of systems is to people's (SPA).

    SPA is 1 - mean over pairs of |p_human - p_metric|; see `pairwise_p_values`. Only cells with both scores count.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        resampling: Rounds and seed. All p-values share one matrix of signs.

    Returns:
        The value and the number of pairs; None without pairs. With few inputs the order of the systems can matter,
        because ties between null and observed differences count against the first.

    Raises:
        MismatchError: The matrices differ in shape.

    Example:
        >>> from rubrica.meta import soft_pairwise_accuracy
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> metric = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> result = soft_pairwise_accuracy(metric, human)
        >>> round(result.value, 2), result.pairs
        (0.98, 6)
    """
    x, z = joined(metric, human)
    by_metric = pairwise_p_values(x, resampling=resampling)
    by_people = pairwise_p_values(z, resampling=resampling)
    upper = np.triu_indices(len(x), 1)
    distance = np.abs(by_people - by_metric)[upper]
    defined = distance[~np.isnan(distance)]
    value = 1.0 - float(defined.mean()) if len(defined) else None
    facts = {"level": "system", "test": "paired-permutation", "tails": 1, "p": "ratio"}
    facts |= {"ties": "against-the-first", "perms": resampling.rounds, "seed": resampling.seed}
    signature = method_signature("soft-pairwise-accuracy", x, z, **facts, absent="left-out")
    return SoftPairwise(value, len(defined), len(distance) - len(defined), signature)


def pairwise_p_values(scores: ArrayLike, *, resampling: Resampling = STANDARD) -> Matrix:
    """Return the p-values of paired permutation tests between all systems.

    p is the share of rounds whose sign-flipped difference is at least the observed one. Nothing is added to it: 0 is
    possible, and equal systems have p = 1. A pair uses the inputs that both systems have.

    Args:
        scores: Scores, systems x inputs (NaN where missing).
        resampling: Rounds and seed.

    Returns:
        A matrix, systems x systems. Above the diagonal is p of "the row's system is better than the column's"; NaN
        elsewhere and for pairs without common inputs.

    Example:
        >>> from rubrica.meta import pairwise_p_values
        >>> pairwise_p_values([[4, 3, 5, 4], [1, 2, 2, 1]]).round(1).tolist()
        [[nan, 0.1], [nan, nan]]
    """
    matrix = score_matrix(scores)
    reached = np.zeros((len(matrix), len(matrix)))
    for flips in sign_blocks(resampling, matrix.shape[1]):
        reached += len(flips) * p_values_of(matrix, flips)
    return reached / rounds_of(resampling)


def p_values_of(scores: Matrix, flips: Matrix) -> Matrix:
    """The p-values under a given rounds x inputs matrix of signs."""
    systems, inputs = scores.shape
    present = ~np.isnan(scores)
    complete = bool(present.all())
    filled = np.where(present, scores, 0.0)
    p_values = np.full((systems, systems), np.nan)
    # One product serves all pairs where nothing is absent: a difference of sums is a sum of
    # differences.
    partial = flips @ filled.T if complete else np.empty((0, 0))
    for first in range(systems - 1):
        for part in blocks(systems - first - 1, len(flips) + inputs):
            others = slice(first + 1 + part.start, first + 1 + part.stop)
            common = present[first] & present[others]
            differences = np.where(common, filled[first] - filled[others], 0.0)
            null = (
                partial[:, first, None] - partial[:, others] if complete else flips @ differences.T
            )
            slack = _ROUNDING * (np.abs(filled[first]) + np.abs(filled[others])).sum(axis=1)
            share = (null >= differences.sum(axis=1) - slack).mean(axis=0)
            p_values[first, others] = np.where(common.any(axis=1), share, np.nan)
    return p_values
