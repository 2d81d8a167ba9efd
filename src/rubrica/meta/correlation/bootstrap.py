"""Correlations of resampled scores: systems, inputs, or clusters of inputs drawn again, or left out one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.cores import available_cores
from rubrica.errors import MismatchError, ParameterError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.scores import Matrix
from rubrica.parameters import SEED

Over: TypeAlias = Literal["systems", "inputs", "both"]

ROUNDS = 9_999
RESAMPLED: dict[str, Over] = {"system": "systems", "input": "inputs", "both": "both"}
# Rounds are drawn in blocks of about this many counts, so that memory stays bounded.
_BLOCK = 8_000_000


def bootstrap_correlations(
    metrics: Matrix,
    human: Matrix,
    level: Level | str,
    coefficient: Coefficient | str,
    *,
    over: Over = "both",
    rounds: int = ROUNDS,
    seed: int = SEED,
    undefined: Undefined = "drop",
    threads: int | None = None,
    clusters: NDArray[np.int64] | None = None,
) -> Matrix:
    """Return the correlations of resampled scores.

    Every metric and every call with the same seed and shape sees the same draws, so differences between metrics are
    paired.

    Args:
        metrics: Scores, metrics x systems x inputs.
        human: Human scores, systems x inputs, with NaN in the same cells.
        level: `summary`, `system` or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.
        over: What to draw: `systems`, `inputs` or `both`.
        rounds: Number of resampled tables.
        seed: Seed of the random numbers.
        undefined: Inputs without a correlation: `drop` them or count them as `zero`.
        threads: Threads to use (default: all cores).
        clusters: The cluster of each input, as numbers from 0. Whole clusters are drawn.

    Returns:
        A matrix, rounds x metrics; NaN where a correlation is undefined.

    Example:
        >>> import numpy as np
        >>> from rubrica.meta import bootstrap_correlations
        >>> human = np.array([[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]], dtype=float)
        >>> samples = bootstrap_correlations(np.stack([human, -human]), human, "system", "pearson", rounds=50)
        >>> samples.shape, np.nanmedian(samples, axis=0).round(3).tolist()
        ((50, 2), [1.0, -1.0])
    """
    metrics, human = np.ascontiguousarray(metrics), np.ascontiguousarray(human)
    systems, inputs = human.shape
    out = np.full((rounds, len(metrics)), np.nan)
    if not human.size:
        return out
    step = max(1, _BLOCK // (systems + inputs))
    for first in range(0, rounds, step):
        number = min(step, rounds - first)
        rows = np.ones((number, systems), dtype=np.int32)
        columns = np.ones((number, inputs), dtype=np.int32)
        if over in ("systems", "both"):
            rows = kernels.bootstrap_counts(systems, number, seed, first=first)
        if over in ("inputs", "both"):
            columns = _input_counts(inputs, number, seed, first, systems, clusters)
        out[first : first + number] = kernels.resampled_correlations(
            metrics,
            human,
            Level(level).value,
            Coefficient(coefficient).value,
            rows,
            columns,
            undefined == "zero",
            threads or available_cores(),
        )
    return out


def _input_counts(
    inputs: int,
    rounds: int,
    seed: int,
    first: int,
    start: int,
    clusters: NDArray[np.int64] | None,
) -> NDArray[np.int32]:
    size = inputs if clusters is None else number_of_clusters(clusters)
    counts = kernels.bootstrap_counts(size, rounds, seed, first=first, start=start)
    return counts if clusters is None else np.ascontiguousarray(counts[:, clusters])


def leave_one_out(
    metrics: Matrix,
    human: Matrix,
    level: Level,
    coefficient: Coefficient,
    axis: int,
    *,
    undefined: Undefined = "drop",
    threads: int | None = None,
    clusters: NDArray[np.int64] | None = None,
) -> Matrix:
    """Correlations without each system (axis 0), or each input or cluster of inputs (axis 1): [left out, metric]."""
    metrics, human = np.ascontiguousarray(metrics), np.ascontiguousarray(human)
    groups: NDArray[np.int64] = np.arange(human.shape[axis])
    if axis == 1 and clusters is not None:
        groups = clusters
    size = number_of_clusters(groups)
    out = np.full((size, len(metrics)), np.nan)
    step = max(1, _BLOCK // max(1, sum(human.shape)))
    for first in range(0, size if human.size else 0, step):
        left_out = np.arange(first, min(first + step, size))
        counts = [np.ones((len(left_out), extent), dtype=np.int32) for extent in human.shape]
        counts[axis][left_out[:, None] == groups] = 0
        out[left_out] = kernels.resampled_correlations(
            metrics,
            human,
            level.value,
            coefficient.value,
            counts[0],
            counts[1],
            undefined == "zero",
            threads or available_cores(),
        )
    return out


def number_of_clusters(clusters: NDArray[np.int64]) -> int:
    """Return the number of clusters; they are numbered from 0."""
    return int(clusters.max(initial=-1)) + 1


def cluster_facts(clusters: NDArray[np.int64] | None, key: str = "clusters") -> dict[str, int]:
    """Return what a signature says of clusters of inputs; nothing without any."""
    return {} if clusters is None else {key: number_of_clusters(clusters)}


def cluster_numbers(clusters: Sequence[object] | None, human: Matrix) -> NDArray[np.int64] | None:
    """The number of each input's cluster, of the inputs that have human scores; None without clusters."""
    if clusters is None:
        return None
    if len(clusters) != human.shape[1]:
        raise MismatchError(f"{len(clusters)} cluster labels for {human.shape[1]} inputs")
    judged: list[bool] = np.any(~np.isnan(human), axis=0).tolist()
    used = [label for label, has in zip(clusters, judged, strict=True) if has]
    numbers = {label: at for at, label in enumerate(dict.fromkeys(used))}
    if len(numbers) < 2:
        raise ParameterError("all inputs are in one cluster; at least two clusters are needed")
    return np.array([numbers[label] for label in used], dtype=np.int64)
