"""Pearson's correlation after exchanges, from the sums of x, x squared and x z that each unit adds to a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import Matrix, blocks, scaled, system_means

if TYPE_CHECKING:
    from rubrica.meta.correlation.exchanges import ScoreExchange


def moment_differences(
    exchange: ScoreExchange, pairs: Sequence[tuple[int, int]]
) -> Iterator[Matrix]:
    """Yield the differences of each pair: within inputs, of system means, or over all cells."""
    metrics, human = columns_of(exchange)
    present = ~np.isnan(human)
    points = present.sum(axis=0)
    norms, tables = _tables(metrics, human, present, points)
    usable = (points > 1) & (norms > 0)
    counted = int((points > 0).sum() if exchange.zero else usable.sum())
    rounds = exchange.masks.rounds
    if not counted:
        yield from (np.full(rounds, np.nan) for _ in pairs)
        return
    general = np.array([may_be_constant(metrics[a], metrics[b], usable) for a, b in pairs])
    tables = np.ascontiguousarray(tables[..., usable])
    out = np.empty((len(pairs), rounds))
    numbers = np.array(pairs, dtype=np.int64)
    for part in blocks(rounds, tables[0, 0].size // 8 + len(pairs)):
        swaps = _column_masks(exchange, part, usable)
        values, cancelled = kernels.exchanged_pearson(
            _unit_tables(tables, swaps.shape[1]),
            points[usable].astype(np.float64),
            numbers,
            swaps,
            exchange.masks.threads,
        )
        general |= cancelled
        out[:, part] = values.T / counted
    left = exchange.by_kernel([pair for pair, needed in zip(pairs, general, strict=True) if needed])
    for values, needed in zip(out, general, strict=True):
        yield next(left) if needed else values


def columns_of(exchange: ScoreExchange) -> tuple[Matrix, Matrix]:
    """Metrics [metric, point, column] and human scores [point, column] of the level."""
    metrics, human = exchange.metrics, exchange.human
    if exchange.level is Level.SYSTEM:
        means = np.stack([system_means(metric)[:, None] for metric in metrics])
        return means, system_means(human)[:, None]
    if exchange.level is Level.GLOBAL:
        if exchange.masks.exchange == "inputs":
            # Cells of a unit lie side by side.
            metrics, human = metrics.transpose(0, 2, 1), human.T
        return metrics.reshape(len(metrics), -1, 1), human.reshape(-1, 1)
    return metrics, human


def _tables(
    metrics: Matrix, human: Matrix, present: NDArray[np.bool_], points: NDArray[np.int64]
) -> tuple[Matrix, Matrix]:
    """The norm of the human scores of each column, and what each point adds: [sum, metric, point, column]."""
    x, z = np.where(present, metrics, 0.0), np.where(present, scaled(human), 0.0)
    number = np.maximum(points, 1)
    # Correlations do not change when a column is shifted; near 0 its sums keep more digits.
    x = np.where(present, x - x.mean(axis=0).sum(axis=0) / number, 0.0)
    z = np.where(present, z - z.sum(axis=0) / number, 0.0)
    norms = np.where(_is_constant(human), 0.0, np.sqrt((z * z).sum(axis=0)))
    return norms, np.stack([x, x * x, x * z / np.where(norms > 0, norms, 1.0)])


def _column_masks(
    exchange: ScoreExchange, part: slice, usable: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which units of each column are exchanged: [round, unit, column]."""
    masks = exchange.masks
    if exchange.level is Level.SUMMARY:
        columns = None if usable.all() else np.flatnonzero(usable)
        return np.ascontiguousarray(masks.cells(part, columns))
    if masks.whole:
        swaps = masks.units()[part].astype(np.bool_)[:, :, None]
    else:
        cells = masks.cells(part)
        swaps = cells.reshape(len(cells), -1, 1)
    return np.ascontiguousarray(swaps[:, :, usable])


def _unit_tables(tables: Matrix, units: int) -> Matrix:
    """Sum what the points of a unit add."""
    if tables.shape[2] == units:
        return tables
    grouped = tables.reshape(*tables.shape[:2], units, -1, tables.shape[3])
    return np.ascontiguousarray(grouped.sum(axis=3))


def may_be_constant(x: Matrix, y: Matrix, columns: NDArray[np.bool_]) -> bool:
    """Whether some round may give one of the columns equal scores: then it has no correlation."""
    gap = np.isnan(x)
    for start in (x, y):
        first = np.take_along_axis(start, np.argmax(~gap, axis=0)[None], axis=0)
        if ((x == first) | (y == first) | gap).all(axis=0)[columns].any():
            return True
    return False


def _is_constant(human: Matrix) -> NDArray[np.bool_]:
    low = np.where(np.isnan(human), np.inf, human).min(axis=0)
    high = np.where(np.isnan(human), -np.inf, human).max(axis=0)
    return np.asarray(low >= high)
