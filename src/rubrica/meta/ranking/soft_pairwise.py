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
    """1 - mean over i < j of |p_human(i > j) - p_metric(i > j)|; all p-values share one sign matrix.

    Only cells present on both sides count. The order of the systems matters only through ties
    between null and observed differences, which count against i: with few inputs it can show.
    """
    x, z = joined(metric, human)
    by_metric = pairwise_p_values(x, resampling=resampling)
    by_people = pairwise_p_values(z, resampling=resampling)
    upper = np.triu_indices(len(x), 1)
    distance = np.abs(by_people - by_metric)[upper]
    kept = distance[~np.isnan(distance)]
    value = 1.0 - float(kept.mean()) if len(kept) else None
    facts = {"level": "system", "test": "paired-permutation", "tails": 1, "p": "ratio"}
    facts |= {"ties": "against-the-first", "perms": resampling.rounds, "seed": resampling.seed}
    signature = method_signature("soft-pairwise-accuracy", x, z, **facts, absent="left-out")
    return SoftPairwise(value, len(kept), len(distance) - len(kept), signature)


def pairwise_p_values(scores: ArrayLike, *, resampling: Resampling = STANDARD) -> Matrix:
    """Systems x systems; above the diagonal p for "row beats column", elsewhere NaN.

    p = share of rounds whose sign-flipped difference is at least the observed one, with no 1
    added: 0 is possible, and equal systems have p = 1. Inputs that a pair lacks are left out of
    it; without any, p is NaN.
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
    for one in range(systems - 1):
        for part in blocks(systems - one - 1, len(flips) + inputs):
            others = slice(one + 1 + part.start, one + 1 + part.stop)
            common = present[one] & present[others]
            differences = np.where(common, filled[one] - filled[others], 0.0)
            null = partial[:, one, None] - partial[:, others] if complete else flips @ differences.T
            slack = _ROUNDING * (np.abs(filled[one]) + np.abs(filled[others])).sum(axis=1)
            share = (null >= differences.sum(axis=1) - slack).mean(axis=0)
            p_values[one, others] = np.where(common.any(axis=1), share, np.nan)
    return p_values
