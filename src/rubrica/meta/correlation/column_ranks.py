"""Spearman's rho and Kendall's tau-b within inputs, or of system means, after exchanges of systems or cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.moments import columns_of, may_be_constant
from rubrica.meta.scores import Matrix

if TYPE_CHECKING:
    from rubrica.meta.correlation.exchanges import ScoreExchange


def column_rank_differences(
    exchange: ScoreExchange, pairs: Sequence[tuple[int, int]]
) -> Iterator[Matrix]:
    """Yield the differences of each pair: linear in what is exchanged, but for columns with ties."""
    ranks = _ColumnRanks(exchange)
    if not ranks.counted:
        yield from (np.full(exchange.masks.rounds, np.nan) for _ in pairs)
        return
    forms = [ranks.linear(a, b) for a, b in pairs]
    sums = exchange.masks.sums(np.stack([weights for _, weights, _ in forms], axis=2)).T
    for pair, (constant, _, tied), values in zip(pairs, forms, sums, strict=True):
        if tied.any():
            if ranks.may_be_constant(pair, tied):
                yield next(exchange.by_kernel([pair]))
                continue
            columns = None if exchange.level is Level.SYSTEM else np.flatnonzero(tied)
            values = values + next(exchange.by_kernel([pair], columns)) * int(tied.sum())
        yield (constant + values) / ranks.counted


class _ColumnRanks:
    """The comparisons of systems that rank correlations consist of."""

    def __init__(self, exchange: ScoreExchange) -> None:
        self._metrics, human = columns_of(exchange)
        self._spearman = exchange.coefficient is Coefficient.SPEARMAN
        self._signs = _signs(human, human)
        points = (~np.isnan(human)).sum(axis=0).astype(np.float64)
        self._ranks = self._signs.sum(axis=1, dtype=np.float64)
        if self._spearman:
            squares = (points**3 - points) / 3 * (self._ranks**2).sum(axis=0)
        else:
            untied = np.abs(self._signs).sum(axis=(0, 1), dtype=np.float64) / 2
            squares = (points**2 - points) / 2 * untied
        self._usable = (points > 1) & (squares > 0)
        self._norm = np.sqrt(np.where(self._usable, squares, 1.0))
        self.counted = int((points > 0).sum() if exchange.zero else self._usable.sum())
        # Rows and columns of the signs within one metric, together.
        own = [self._sums(_signs(metric, metric)) for metric in self._metrics]
        self._own = [rows + columns for rows, columns, _, _ in own]

    def linear(self, a: int, b: int) -> tuple[float, Matrix, NDArray[np.bool_]]:
        """The difference without exchanges, what the exchange of each cell adds, and the columns left out: with ties."""
        x, y = self._metrics[a], self._metrics[b]
        tied = self._usable & _has_ties(np.concatenate([x, y]))
        share = np.where(self._usable & ~tied, 1.0 / self._norm, 0.0)
        rows_ab, columns_ab, rows_ba, columns_ba = self._sums(_signs(x, y))
        constant = (self._own[a] - self._own[b]).sum(axis=0) / 2
        # The parts that depend on two exchanged systems are the same for both metrics.
        weights = rows_ba - rows_ab + columns_ab - columns_ba - self._own[a] + self._own[b]
        return float(constant @ share), weights * share, tied

    def may_be_constant(self, pair: tuple[int, int], columns: NDArray[np.bool_]) -> bool:
        """Whether a round may give one of the columns equal scores."""
        return may_be_constant(self._metrics[pair[0]], self._metrics[pair[1]], columns)

    def _sums(self, signs: NDArray[np.int8]) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        """What each system adds to the numerator as a row and as a column of signs(x, y), and of signs(y, x)."""
        if self._spearman:
            weighted = self._ranks[:, None] * signs, self._ranks[None] * signs
            return (
                weighted[0].sum(axis=1),
                weighted[0].sum(axis=0),
                -weighted[1].sum(axis=0),
                -weighted[1].sum(axis=1),
            )
        products = signs * self._signs
        rows = products.sum(axis=1, dtype=np.float64) / 2
        columns = products.sum(axis=0, dtype=np.float64) / 2
        return rows, columns, columns, rows


def _signs(x: Matrix, y: Matrix) -> NDArray[np.int8]:
    """sign(x_i - y_k) within each input: [i, k, input]; 0 where either is absent."""
    left, right = x[:, None], y[None]
    return (left > right).view(np.int8) - (left < right).view(np.int8)


def _has_ties(x: Matrix) -> NDArray[np.bool_]:
    ordered = np.sort(x, axis=0)
    return np.asarray((ordered[1:] == ordered[:-1]).any(axis=0))
