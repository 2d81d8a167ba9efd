"""Permutation tests without a correlation per round: an exchange changes sums that are computed once.

If two metrics exchange scores, each sum in Pearson's correlation is a sum over cells (or whole systems, or whole
inputs) of the metric that a round assigns to the cell. Without ties the difference of two rank correlations is even
linear in the exchanged cells.

The results equal those of `swap_correlations` up to rounding. Where a column may become constant, or ties change its
denominator, the general kernel computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.meta.correlation.cell_ranks import CellRanks
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.column_ranks import column_rank_differences
from rubrica.meta.correlation.global_ranks import GlobalRanks
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.masks import Masks
from rubrica.meta.correlation.moments import moment_differences
from rubrica.meta.scores import Matrix, block_product, blocks

# So many pairs are exchanged at a time, so that memory stays bounded.
_PAIRS = 256


@dataclass(frozen=True, slots=True)
class ScoreExchange:
    """The scores and exchanges of a test; metrics [metric, system, input] are standardised.

    All matrices must lack the same cells and hold no empty row or column.
    """

    metrics: Matrix
    human: Matrix
    level: Level
    coefficient: Coefficient
    masks: Masks
    zero: bool
    # What does not depend on the human scores, for other tests of the same metrics and rounds.
    shared: dict[Any, Any] = field(default_factory=dict)

    def differences(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Matrix]:
        """Yield for each pair the difference of its two correlations in each round, NaN where undefined."""
        for first in range(0, len(pairs), _PAIRS):
            yield from self._differences(pairs[first : first + _PAIRS])

    def _differences(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Matrix]:
        exchange = self.masks.exchange
        if self.level is Level.SUMMARY and exchange == "inputs":
            return _input_means(self, pairs)
        if self.level is Level.SYSTEM and exchange != "systems":
            return self.by_kernel(pairs)
        if self.coefficient is Coefficient.PEARSON:
            return moment_differences(self, pairs)
        if self.coefficient not in (Coefficient.SPEARMAN, Coefficient.KENDALL):
            return self.by_kernel(pairs)
        if self.level is Level.GLOBAL:
            return _global_ranks(self, pairs)
        return column_rank_differences(self, pairs)

    def by_kernel(
        self, pairs: Sequence[tuple[int, int]], columns: NDArray[np.int64] | None = None
    ) -> Iterator[Matrix]:
        """Yield the same from the general kernel, over some inputs only if asked."""
        if not pairs:
            return
        chosen = slice(None) if columns is None else columns
        metrics = np.ascontiguousarray(self.metrics[:, :, chosen])
        human = np.ascontiguousarray(self.human[:, chosen])
        out = np.empty((len(pairs), self.masks.rounds))
        for part in blocks(self.masks.rounds, human.size // 8 + 1):
            both = kernels.swapped_correlations(
                metrics,
                human,
                self.level.value,
                self.coefficient.value,
                np.array(pairs, dtype=np.int64),
                np.ascontiguousarray(self.masks.cells(part, columns)),
                self.zero,
                self.masks.threads,
            )
            out[:, part] = (both[:, :, 0] - both[:, :, 1]).T
        yield from out


def _input_means(exchange: ScoreExchange, pairs: Sequence[tuple[int, int]]) -> Iterator[Matrix]:
    """Summary level, whole inputs: the two metrics exchange their correlations on an input."""
    values = kernels.column_correlations(
        exchange.metrics, exchange.human, exchange.coefficient.value
    )
    counted = np.ones_like(values) if exchange.zero else (~np.isnan(values)).astype(np.float64)
    values = np.where(np.isnan(values), 0.0, values)
    masks = exchange.masks.units()
    # What each metric gives away in a round, and what it has in all: sums and numbers of inputs.
    sums = values.sum(axis=1), block_product(masks, values.T)
    numbers = counted.sum(axis=1), block_product(masks, counted.T)

    def mean(own: int, other: int) -> Matrix:
        top, number = (
            total[own] - moved[:, own] + moved[:, other] for total, moved in (sums, numbers)
        )
        return np.where(number > 0, top / np.where(number > 0, number, 1.0), np.nan)

    return (mean(a, b) - mean(b, a) for a, b in pairs)


def _global_ranks(exchange: ScoreExchange, pairs: Sequence[tuple[int, int]]) -> Iterator[Matrix]:
    """Yield the differences of each pair: linear in the exchanged cells without ties, from tables or kernels with."""
    cells = _cell_ranks(exchange)
    untied = [not cells.too_large and cells.untied(a, b) for a, b in pairs]
    linear = iter(
        _linear(exchange, cells, [p for p, free in zip(pairs, untied, strict=True) if free])
    )
    tied = _tied(exchange, [p for p, free in zip(pairs, untied, strict=True) if not free])
    for free in untied:
        yield next(linear if free else tied)


def _cell_ranks(exchange: ScoreExchange) -> CellRanks:
    """The sums of single cells; those of an earlier exchange with the same human scores are used again."""
    known: tuple[Matrix, CellRanks] | None = exchange.shared.get(exchange.coefficient)
    if known is None or not np.array_equal(known[0], exchange.human, equal_nan=True):
        ranks = CellRanks(exchange.metrics, exchange.human, exchange.coefficient)
        known = exchange.shared[exchange.coefficient] = exchange.human, ranks
    return known[1]


def _linear(
    exchange: ScoreExchange, cells: CellRanks, pairs: Sequence[tuple[int, int]]
) -> list[Matrix]:
    if not pairs:
        return []
    cells.prepare({metric for pair in pairs for metric in pair})
    constants, weights = zip(*(cells.linear(a, b) for a, b in pairs), strict=True)
    return list((exchange.masks.sums(np.stack(weights, axis=2)) + constants).T)


def _tied(exchange: ScoreExchange, pairs: Sequence[tuple[int, int]]) -> Iterator[Matrix]:
    masks = exchange.masks
    if not pairs or not masks.whole:
        return exchange.by_kernel(pairs)
    ranks = GlobalRanks(
        exchange.metrics, exchange.human, exchange.coefficient, masks.exchange, exchange.shared
    )
    return exchange.by_kernel(pairs) if ranks.too_large else _by_tables(exchange, ranks, pairs)


def _by_tables(
    exchange: ScoreExchange, ranks: GlobalRanks, pairs: Sequence[tuple[int, int]]
) -> Iterator[Matrix]:
    ranks.prepare(sorted({metric for pair in pairs for metric in pair}), exchange.masks.threads)
    masks = exchange.masks.units()
    with ThreadPoolExecutor(exchange.masks.threads) as pool:
        computed = list(pool.map(lambda pair: ranks.differences(pair[0], pair[1], masks), pairs))
    missing = [pair for pair, values in zip(pairs, computed, strict=True) if values is None]
    general = exchange.by_kernel(missing)
    for values in computed:
        yield next(general) if values is None else values
