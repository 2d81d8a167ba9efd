"""Samples and exchanges of SacreROUGE's statistics, drawn from numpy's global generator in its order.

Where the correlation is one that Rubrica knows, its kernels compute all rounds at once; else it is called for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.cores import available_cores
from rubrica.errors import MismatchError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import Matrix

# Two matrices -> correlation at a level: functools.partial(system_level_corr, pearsonr).
LevelCorrFunc: TypeAlias = Callable[[Any, Any], Any]
# What such a function computes, where Rubrica knows it.
Known: TypeAlias = tuple[Level, Coefficient] | None


def bootstrap_system_sample(*matrices: Any) -> Any:
    """Return the matrices with systems drawn with replacement, the same ones from each."""
    return _sampled(matrices, _drawn_rows(matrices[0].shape[0]), slice(None))


def bootstrap_input_sample(*matrices: Any) -> Any:
    """Return the matrices with inputs drawn with replacement, the same ones from each."""
    return _sampled(matrices, slice(None), _drawn_rows(matrices[0].shape[1]))


def bootstrap_both_sample(*matrices: Any) -> Any:
    """Return the matrices with systems and then inputs drawn with replacement."""
    systems, inputs = matrices[0].shape
    return _sampled(matrices, _drawn_rows(systems), _drawn_rows(inputs))


def random_bool_mask(*dims: int) -> NDArray[np.bool_]:
    """Return fair coins."""
    return np.random.rand(*dims) > 0.5


def permute_systems(X: Any, Y: Any) -> tuple[Matrix, Matrix]:
    """Return both matrices with random systems exchanged."""
    return _exchanged(X, Y, random_bool_mask(X.shape[0], 1))


def permute_inputs(X: Any, Y: Any) -> tuple[Matrix, Matrix]:
    """Return both matrices with random inputs exchanged."""
    return _exchanged(X, Y, random_bool_mask(1, X.shape[1]))


def permute_both(X: Any, Y: Any) -> tuple[Matrix, Matrix]:
    """Return both matrices with random cells exchanged."""
    return _exchanged(X, Y, random_bool_mask(*X.shape))


SAMPLERS: dict[str, Callable[..., Any]] = {
    "bootstrap-system": bootstrap_system_sample,
    "bootstrap-input": bootstrap_input_sample,
    "bootstrap-both": bootstrap_both_sample,
}
PERMUTERS: dict[str, Callable[..., Any]] = {
    "permutation-system": permute_systems,
    "permutation-input": permute_inputs,
    "permutation-both": permute_both,
}


def parallel(*matrices: Any) -> list[Matrix]:
    """The matrices as floats; they must have one shape, and lack the same cells."""
    arrays = [np.asarray(matrix, dtype=np.float64) for matrix in matrices]
    for matrix in arrays[1:]:
        if matrix.shape != arrays[0].shape or (np.isnan(matrix) != np.isnan(arrays[0])).any():
            raise MismatchError("two score matrices differ in shape or in the scores they lack")
    return arrays


def present(x: Matrix, y: Matrix) -> tuple[Matrix, Matrix]:
    """Return two vectors without the points that both lack."""
    filled = ~np.isnan(x)
    return x[filled], y[filled]


def _drawn_rows(size: int) -> NDArray[np.int64]:
    return np.random.choice(size, size, replace=True)


def _sampled(matrices: tuple[Any, ...], rows: Any, columns: Any) -> Any:
    _same_shape(matrices)
    samples = [matrix[rows][:, columns] for matrix in matrices]
    return samples[0] if len(samples) == 1 else samples


def _same_shape(matrices: Iterable[Any]) -> None:
    shapes = {matrix.shape for matrix in matrices}
    if len(shapes) > 1:
        raise MismatchError(f"score matrices of different shapes: {sorted(shapes)}")


def resampled(
    corr_func: LevelCorrFunc, known: Known, metrics: list[Any], human: Any, sample: Any, rounds: int
) -> Matrix:
    """Correlations of every metric with `human` in every sample: [round, metric], NaN where undefined."""
    _same_shape([*metrics, human])
    if known is None or sample not in SAMPLERS.values():
        values = []
        for _ in range(rounds):
            *drawn, target = sample(*metrics, human)
            values.append([_nan_if_none(corr_func(matrix, target)) for matrix in drawn])
        return np.array(values, dtype=np.float64)
    *matrices, target = parallel(*metrics, human)
    counts = [np.ones((rounds, size), dtype=np.int32) for size in target.shape]
    axes = {bootstrap_system_sample: (0,), bootstrap_input_sample: (1,)}.get(sample, (0, 1))
    for at in range(rounds):
        for axis in axes:
            size = target.shape[axis]
            counts[axis][at] = np.bincount(_drawn_rows(size), minlength=size)
    level, coefficient = known
    return kernels.resampled_correlations(
        np.ascontiguousarray(matrices),
        np.ascontiguousarray(target),
        level.value,
        coefficient.value,
        counts[0],
        counts[1],
        False,
        available_cores(),
    )


def permuted(
    corr_func: LevelCorrFunc,
    known: Known,
    x: Matrix,
    y: Matrix,
    human: Any,
    permute: Any,
    rounds: int,
) -> Matrix:
    """Differences of the two correlations after every exchange."""
    if known is None or permute not in PERMUTERS.values():
        values = []
        for _ in range(rounds):
            first, second = permute(x, y)
            values.append(
                _nan_if_none(corr_func(first, human)) - _nan_if_none(corr_func(second, human))
            )
        return np.array(values, dtype=np.float64)
    x, y, target = parallel(x, y, human)
    shapes = {permute_systems: (x.shape[0], 1), permute_inputs: (1, x.shape[1])}
    dims = shapes.get(permute, x.shape)
    swaps = np.stack([np.broadcast_to(random_bool_mask(*dims), x.shape) for _ in range(rounds)])
    level, coefficient = known
    both = kernels.swapped_correlations(
        np.stack([x, y]),
        np.ascontiguousarray(target),
        level.value,
        coefficient.value,
        np.array([[0, 1]]),
        np.ascontiguousarray(swaps),
        False,
        available_cores(),
    )[:, 0]
    return np.asarray(both[:, 0] - both[:, 1])


def _exchanged(x: Any, y: Any, mask: NDArray[np.bool_]) -> tuple[Matrix, Matrix]:
    _same_shape([x, y])
    return np.where(mask, y, x), np.where(mask, x, y)


def _nan_if_none(value: float | None) -> float:
    return float("nan") if value is None else float(value)
