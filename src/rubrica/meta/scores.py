"""Score matrices, systems x inputs: checked, joined cell by cell, averaged.

NaN is the one sign of an absent score. A vector counts as systems with one input each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import DataError, MismatchError, ParameterError

Matrix: TypeAlias = NDArray[np.float64]

# Numbers held at once by the methods that work in blocks: 4 million doubles are 32 MB.
BLOCK = 4_000_000


def score_matrix(values: ArrayLike, name: str = "scores") -> Matrix:
    """Systems x inputs as doubles; infinite values and other shapes are refused."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        raise DataError(f"{name}: expected systems x inputs, found {matrix.ndim} dimensions")
    if np.isinf(matrix).any():
        raise DataError(f"{name}: infinite values; use NaN for an absent score")
    return matrix


def same_systems(metric: ArrayLike, human: ArrayLike) -> tuple[Matrix, Matrix]:
    """Both as matrices with one row per system; the inputs may differ."""
    x, z = score_matrix(metric, "metric"), score_matrix(human, "human")
    if len(x) != len(z):
        raise MismatchError(f"metric has {len(x)} systems, human has {len(z)}")
    return x, z


def joined(metric: ArrayLike, human: ArrayLike) -> tuple[Matrix, Matrix]:
    """Both as matrices of one shape, NaN in both wherever one of them is absent."""
    x, z = same_systems(metric, human)
    if x.shape != z.shape:
        raise MismatchError(f"metric has {x.shape[1]} inputs, human has {z.shape[1]}")
    absent = np.isnan(x) | np.isnan(z)
    return np.where(absent, np.nan, x), np.where(absent, np.nan, z)


def system_means(matrix: Matrix) -> Matrix:
    """Mean over the inputs a system has, NaN where it has none: the rule of the kernels, too.

    Scores are added as numpy adds them, in the order of the inputs, so that SacreROUGE and nlpstats
    have the same means to the last bit. Means that are equal on paper only, such as those of
    .1 + .2 and .3, may differ in that bit, and then do not tie.
    """
    means: Matrix = weighted_means(matrix, np.ones((1, matrix.shape[1])))[0]
    return means


def weighted_means(matrix: Matrix, weights: Matrix) -> Matrix:
    """Rounds x systems: each system's mean with the inputs weighted by one round's weights.

    Absent scores have no weight; NaN where nothing is left. Added as `system_means` says.
    """
    present = (~np.isnan(matrix)).astype(np.float64)
    filled = np.where(present > 0, matrix, 0.0)
    means = np.empty((len(weights), len(matrix)))
    for part in blocks(len(weights), matrix.size):
        w = weights[part, None, :]
        totals = (w * present).sum(axis=2)
        sums = (w * filled).sum(axis=2)
        means[part] = np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), np.nan)
    return means


def centred(matrix: Matrix) -> Matrix:
    """Scores minus their row's mean, 0 where absent; exactly 0 in a row of equal scores."""
    present = ~np.isnan(matrix)
    # Measured from the smallest score, equal scores are all 0, and so is their mean.
    least = np.where(present, matrix, np.inf).min(axis=1, initial=np.inf, keepdims=True)
    above = np.where(present, matrix - np.where(np.isinf(least), 0.0, least), 0.0)
    means = above.sum(axis=1, keepdims=True) / np.maximum(present.sum(axis=1, keepdims=True), 1)
    return np.where(present, above - means, 0.0)


def scaled(matrix: Matrix) -> Matrix:
    """Scores times a power of two, the largest near 1: exact, and squares neither overflow nor vanish."""
    largest = np.abs(matrix).max(initial=0.0, where=~np.isnan(matrix))
    return np.asarray(np.ldexp(matrix, -np.frexp(largest)[1]))


def choice(value: str, allowed: Sequence[str], name: str) -> str:
    """`value`, or an error that lists what is allowed."""
    if value not in allowed:
        raise ParameterError(f"{name} must be one of {', '.join(allowed)}; found {value!r}")
    return value


def blocks(count: int, width: int) -> Iterator[slice]:
    """Slices of 0..count so that a slice times `width` numbers stays within `BLOCK`."""
    step = max(1, BLOCK // max(1, width))
    for start in range(0, count, step):
        yield slice(start, min(count, start + step))


def block_product(left: Matrix, right: Matrix) -> Matrix:
    """`left @ right`, in blocks too small for BLAS to start threads: these wait busily where other work runs, too."""
    if not right.size:
        return np.zeros((len(left), right.shape[1]))
    rows = max(1, 200_000 // right.size)
    whole = len(left) // rows * rows
    out = np.empty((len(left), right.shape[1]))
    np.matmul(
        left[:whole].reshape(-1, rows, left.shape[1]),
        right,
        out=out[:whole].reshape(-1, rows, right.shape[1]),
    )
    np.matmul(left[whole:], right, out=out[whole:])
    return out
