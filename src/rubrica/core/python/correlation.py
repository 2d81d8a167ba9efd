"""Plain kernels of meta-evaluation: correlations of resampled and of swapped score matrices.

A matrix is systems x inputs with NaN where a score is absent. Every level is brought to one form,
columns of `n` weighted points: an input is a column of the summary level, the system means are one
column, all cells are one column of the global level. A system drawn twice is a point of weight 2.
Rank coefficients are made of whole numbers only, so any order of summing gives the same result;
Pearson's sums are taken in the order of the points, and means as numpy takes them, in both twins.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core.python.common import mix64
from rubrica.core.score_checks import check_finite

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int32]
Swaps: TypeAlias = NDArray[np.bool_]
SwapScheme: TypeAlias = Literal["systems", "inputs", "cells", "rows-columns"]

# Rounds are computed in blocks of about this many numbers, so that memory stays bounded.
_BLOCK = 2_000_000
_U = np.uint64


# ---------------------------------------------------------------- draws


def _bits(seed: int, rounds: int, first: int, start: int, count: int) -> NDArray[np.uint64]:
    """Draws start..start+count-1 of each round, 64 bits each: array [round, draw]."""
    numbers = np.arange(first, first + rounds, dtype=np.uint64)
    keys = mix64(mix64(np.array([seed], dtype=np.uint64)) ^ numbers)
    return mix64(keys[:, None] ^ mix64(np.arange(start, start + count, dtype=np.uint64))[None, :])


def bootstrap_counts(
    size: int, rounds: int, seed: int, *, first: int = 0, start: int = 0
) -> Counts:
    """How often each of `size` things is drawn in `size` draws with replacement: [round, thing].

    A round's draws are those numbered from `start` on, so that several kinds of things can be drawn
    independently in one round.
    """
    counts = np.zeros((rounds, size), dtype=np.int32)
    if not size:
        return counts
    for at in range(0, rounds, step := max(1, _BLOCK // size)):
        block = min(step, rounds - at)
        uniform = (_bits(seed, block, first + at, start, size) >> _U(11)).astype(float) * 2.0**-53
        drawn = (uniform * size).astype(np.int64)
        np.add.at(counts[at : at + block], (np.arange(block)[:, None], drawn), 1)
    return counts


def swap_masks(
    systems: int, inputs: int, scheme: SwapScheme, rounds: int, seed: int, *, first: int = 0
) -> Swaps:
    """Which cells two metrics exchange in each round, each with probability 1/2.

    Whole systems, whole inputs, single cells, or rows and columns (a cell is exchanged when either
    its row or its column was drawn, but not both). Array [round, system, input].
    """
    shape = (rounds, systems, inputs)
    if scheme == "cells":
        return _coins(seed, rounds, first, 0, systems * inputs).reshape(shape)
    rows = np.zeros((rounds, systems), dtype=bool)
    columns = np.zeros((rounds, inputs), dtype=bool)
    if scheme in ("systems", "rows-columns"):
        rows = _coins(seed, rounds, first, 0, systems)
    if scheme in ("inputs", "rows-columns"):
        columns = _coins(seed, rounds, first, (systems + 63) // 64, inputs)
    return np.ascontiguousarray(rows[:, :, None] ^ columns[:, None, :])


def _coins(seed: int, rounds: int, first: int, start: int, count: int) -> Swaps:
    """Fair coins, 64 to a draw, lowest bit first."""
    words = _bits(seed, rounds, first, start, (count + 63) // 64)
    coins = (words[:, :, None] >> np.arange(64, dtype=np.uint64)) & _U(1)
    return coins.reshape(rounds, words.shape[1] * 64)[:, :count].astype(bool)


# ---------------------------------------------------------------- correlations


def column_correlations(metrics: Floats, human: Floats, coefficient: str) -> Floats:
    """The correlation of each metric with the human scores within each input: [metric, input]."""
    check_finite(metrics, human)
    out = np.empty((metrics.shape[0], metrics.shape[2]))
    for k, metric in enumerate(metrics):
        x, z, weight = _prepared(metric, human)
        out[k] = _columns(x[None], z[None], weight[None], coefficient)[0]
    return out


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
    """Correlations when system i and input j count as often as each round says: [round, metric].

    NaN where it is undefined. At the summary level an undefined input is left out of the mean, or
    with `zero` counts as 0; an input without any shared score is left out in either case.
    """
    check_finite(metrics, human)
    rounds, (kinds, systems, inputs) = len(system_counts), metrics.shape
    out = np.empty((rounds, kinds))
    step = max(1, _BLOCK // max(1, systems * inputs))
    for k, metric in enumerate(metrics):
        x, z, shared = _prepared(metric, human)
        for at in range(0, rounds, step):
            rows = system_counts[at : at + step].astype(float)
            columns = input_counts[at : at + step].astype(float)
            out[at : at + step, k] = _level(
                x[None], z[None], shared[None], rows, columns, level, coefficient, zero
            )
    return out


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
    """Correlations of both metrics of each pair after exchanging cells: [round, pair, 2].

    Cells that any metric or the people lack must be NaN in all matrices.
    """
    check_finite(metrics, human)
    rounds, systems, inputs = swaps.shape
    out = np.empty((rounds, len(pairs), 2))
    ones = np.ones((1, systems)), np.ones((1, inputs))
    step = max(1, _BLOCK // max(1, systems * inputs))
    for p, (a, b) in enumerate(pairs):
        x, z, shared = _prepared(metrics[a], human)
        y = _prepared(metrics[b], human)[0]
        for at in range(0, rounds, step):
            swap = swaps[at : at + step]
            for side, (first, second) in enumerate(((x, y), (y, x))):
                if level == "system":
                    means = _exchanged_means(first, second, z, shared, swap, coefficient)
                else:
                    mixed = np.where(swap, second, first)
                    means = _level(mixed, z[None], shared[None], *ones, level, coefficient, zero)
                out[at : at + step, p, side] = means
    return out


@np.errstate(over="ignore", invalid="ignore")
def _exchanged_means(
    first: Floats, second: Floats, z: Floats, shared: Floats, swap: Swaps, coefficient: str
) -> Floats:
    """Return correlations of swapped means; own and swapped sums are separate, so that pairs share them."""
    number = shared.sum(axis=1)[None]
    total = np.where(swap, 0.0, first).sum(axis=2) + np.where(swap, second, 0.0).sum(axis=2)
    mean_x, mean_z = _ratio(total, number, 0.0), _ratio(z.sum(axis=1)[None], number, 0.0)
    return _of_means(mean_x, mean_z, (number > 0).astype(float), coefficient)


def _prepared(metric: Floats, human: Floats) -> tuple[Floats, Floats, Floats]:
    """Both matrices with 0 where either lacks a score, and 1 where both have one."""
    shared = ~(np.isnan(metric) | np.isnan(human))
    return np.where(shared, metric, 0.0), np.where(shared, human, 0.0), shared.astype(float)


@np.errstate(over="ignore", invalid="ignore")
def _level(
    x: Floats,
    z: Floats,
    shared: Floats,
    rows: Floats,
    columns: Floats,
    level: str,
    coefficient: str,
    zero: bool,
) -> Floats:
    """One value per round, from matrices [round or 1, system, input] and weights of rows and columns."""
    if level == "summary":
        weight = rows[:, :, None] * shared
        r = _columns(x, z, weight, coefficient)
        counts = (weight.sum(axis=1) > 0) if zero else ~np.isnan(r)
        total = _ordered(np.where(np.isnan(r), 0.0, r) * columns)
        number = _ordered(counts * columns)
        return _ratio(total, number)
    if level == "global":
        weight = rows[:, :, None] * columns[:, None, :] * shared

        def column(a: Floats) -> Floats:
            return a.reshape(len(a), -1, 1)

        return _columns(column(x), column(z), column(weight), coefficient)[:, 0]
    weight = columns[:, None, :] * shared
    number = weight.sum(axis=2)
    # Contiguous and summed by numpy: pairwise, as np.nanmean does it.
    mean_x = _ratio((weight * x).sum(axis=2), number, 0.0)
    mean_z = _ratio((weight * z).sum(axis=2), number, 0.0)
    return _of_means(mean_x, mean_z, rows * (number > 0), coefficient)


def _of_means(mean_x: Floats, mean_z: Floats, present: Floats, coefficient: str) -> Floats:
    return _columns(mean_x[:, :, None], mean_z[:, :, None], present[:, :, None], coefficient)[:, 0]


@np.errstate(over="ignore", invalid="ignore")
def _columns(x: Floats, z: Floats, weight: Floats, coefficient: str) -> Floats:
    """Correlations of weighted points [round or 1, point, column]: [round, column], NaN if undefined.

    Undefined: fewer than two points, or all of x or all of z equal.
    """
    weight = np.broadcast_to(weight, (max(map(len, (x, z, weight))), *weight.shape[1:]))
    if not weight.shape[1]:
        return np.full((len(weight), weight.shape[2]), np.nan)
    undefined = (weight.sum(axis=1) < 2) | _constant(x, weight) | _constant(z, weight)
    if coefficient == "pearson":
        above, below = _pearson(x, z, weight)
    elif coefficient == "spearman":
        above, below = _spearman(x, z, weight)
    else:
        above, below = _kendall(x, z, weight, coefficient)
    # Sums that overflow say nothing.
    undefined |= ~(np.isfinite(above) & np.isfinite(below))
    return np.clip(_ratio(above, np.where(undefined, 0.0, below)), -1.0, 1.0)


def _constant(key: Floats, weight: Floats) -> NDArray[np.bool_]:
    drawn = weight > 0
    least = np.where(drawn, key, np.inf).min(axis=1)
    greatest = np.where(drawn, key, -np.inf).max(axis=1)
    constant: NDArray[np.bool_] = least >= greatest
    return constant


def _pearson(x: Floats, z: Floats, weight: Floats) -> tuple[Floats, Floats]:
    number = weight.sum(axis=1)[:, None]
    # Points that were not drawn add nothing, however large they are.
    dx = np.where(weight > 0, x - _ratio(_ordered(weight * x)[:, None], number, 0.0), 0.0)
    dz = np.where(weight > 0, z - _ratio(_ordered(weight * z)[:, None], number, 0.0), 0.0)
    xx, zz = _ordered(weight * (dx * dx)), _ordered(weight * (dz * dz))
    return _ordered(weight * (dx * dz)), np.sqrt(xx) * np.sqrt(zz)


def _spearman(x: Floats, z: Floats, weight: Floats) -> tuple[Floats, Floats]:
    # Twice the average rank, less n + 1, is the number of smaller points less that of greater
    # ones: whole numbers whose mean is 0, so Spearman's rho is a ratio of exact sums.
    cx, cz = np.zeros_like(weight), np.zeros_like(weight)
    for i in range(weight.shape[1]):
        cx[:, i] = (weight * _order(x[:, i : i + 1], x)).sum(axis=1)
        cz[:, i] = (weight * _order(z[:, i : i + 1], z)).sum(axis=1)
    xx, zz = (weight * cx * cx).sum(axis=1), (weight * cz * cz).sum(axis=1)
    return (weight * cx * cz).sum(axis=1), np.sqrt(xx * zz)


def _kendall(x: Floats, z: Floats, weight: Floats, coefficient: str) -> tuple[Floats, Floats]:
    shape = weight.shape[0], weight.shape[2]
    # Concordant less discordant pairs, and pairs untied in x and in z.
    balance, untied_x, untied_z = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    kinds_x, kinds_z = np.zeros(shape), np.zeros(shape)
    for i in range(weight.shape[1]):
        sx = _order(x[:, i : i + 1], x[:, :i])
        sz = _order(z[:, i : i + 1], z[:, :i])
        here, before = weight[:, i], weight[:, :i]
        balance += here * (before * (sx * sz)).sum(axis=1)
        untied_x += here * (before * np.abs(sx)).sum(axis=1)
        untied_z += here * (before * np.abs(sz)).sum(axis=1)
        if coefficient == "tau-c":
            kinds_x += (here > 0) & ~((before > 0) & (sx == 0)).any(axis=1)
            kinds_z += (here > 0) & ~((before > 0) & (sz == 0)).any(axis=1)
    number = weight.sum(axis=1)
    if coefficient == "tau-a":
        return balance, number * (number - 1) / 2
    if coefficient == "tau-c":
        kinds = np.minimum(kinds_x, kinds_z)
        return balance, number * number * (_ratio(kinds - 1, kinds, 0.0) / 2)
    return balance, np.sqrt(untied_x * untied_z)


def _order(a: Floats, b: Floats) -> Floats:
    """1 where a > b, -1 where a < b, else 0; means may be infinite, and their difference undefined."""
    order: Floats = (a > b) - (a < b).astype(float)
    return order


def _ordered(values: Floats) -> Floats:
    """Sums over the points, added one after the other (np.sum would add pairwise)."""
    if not values.shape[1]:
        return np.zeros((values.shape[0], *values.shape[2:]))
    sums: Floats = np.cumsum(values, axis=1)[:, -1]
    return sums


def _ratio(above: Floats, below: Floats, otherwise: float = np.nan) -> Floats:
    """above / below where below is positive."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(below > 0, above / np.where(below > 0, below, 1.0), otherwise)
