"""Permutation tests that exchange whole systems or whole inputs, as products of small matrices.

If two metrics exchange whole units (systems or inputs), each sum in a correlation is a sum over units of the metric
that a round assigns to the unit, or over pairs of units. These sums are computed once, and a round selects among
them. Without ties the difference of two rank correlations is even linear in the exchanged units.

The results equal those of `swap_correlations` up to rounding. Where a column may become constant, or ties change its
denominator, the general kernel computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.global_ranks import GlobalRanks
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import Matrix, block_product, blocks, system_means

Axis: TypeAlias = Literal["systems", "inputs"]
# Sums of squares this much smaller than the squares they come from have lost too many digits.
_CANCELLED = 1e-3


@dataclass(frozen=True, slots=True)
class WholeExchange:
    """The scores and rounds of a test: metrics [metric, system, input] are standardised, masks [round, unit] are 0 or 1.

    All matrices must lack the same cells and hold no empty row or column.
    """

    metrics: Matrix
    human: Matrix
    level: Level
    coefficient: Coefficient
    axis: Axis
    masks: Matrix
    zero: bool
    threads: int
    # What does not depend on the human scores, for other tests of the same metrics and rounds.
    shared: dict[Any, Any] = field(default_factory=dict)

    def differences(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Matrix]:
        """Yield for each pair the difference of its two correlations in each round, NaN where undefined."""
        if not pairs:
            return iter(())
        whole_inputs = self.axis == "inputs"
        if self.level is Level.SUMMARY and whole_inputs:
            return _input_means(self, pairs)
        if self.level is Level.SYSTEM and whole_inputs:
            return self.by_kernel(pairs)
        if self.coefficient is Coefficient.PEARSON:
            return _Moments(self).differences(pairs)
        if self.coefficient not in (Coefficient.SPEARMAN, Coefficient.KENDALL):
            return self.by_kernel(pairs)
        if self.level is not Level.GLOBAL:
            return _ColumnRanks(self).differences(pairs)
        ranks = GlobalRanks(self.metrics, self.human, self.coefficient, self.axis, self.shared)
        if ranks.too_large:
            return self.by_kernel(pairs)
        return self._global_ranks(ranks, pairs)

    def _global_ranks(
        self, ranks: GlobalRanks, pairs: Sequence[tuple[int, int]]
    ) -> Iterator[Matrix]:
        ranks.prepare(sorted({metric for pair in pairs for metric in pair}))
        with ThreadPoolExecutor(self.threads) as pool:
            computed = list(
                pool.map(lambda pair: ranks.differences(pair[0], pair[1], self.masks), pairs)
            )
        missing = [pair for pair, values in zip(pairs, computed, strict=True) if values is None]
        general = self.by_kernel(missing) if missing else iter(())
        for values in computed:
            yield next(general) if values is None else values

    def by_kernel(
        self, pairs: Sequence[tuple[int, int]], columns: NDArray[np.int64] | None = None
    ) -> Iterator[Matrix]:
        """Yield the same from the general kernel, over some inputs only if asked."""
        chosen = slice(None) if columns is None else columns
        metrics = np.ascontiguousarray(self.metrics[:, :, chosen])
        human = np.ascontiguousarray(self.human[:, chosen])
        out = np.empty((len(pairs), len(self.masks)))
        for part in blocks(len(self.masks), human.size // 8 + 1):
            masks = self.masks[part].astype(np.bool_)
            swaps = masks[:, :, None] if self.axis == "systems" else masks[:, None, chosen]
            both = kernels.swapped_correlations(
                metrics,
                human,
                self.level.value,
                self.coefficient.value,
                np.array(pairs, dtype=np.int64),
                np.ascontiguousarray(np.broadcast_to(swaps, (len(masks), *human.shape))),
                self.zero,
                self.threads,
            )
            out[:, part] = (both[:, :, 0] - both[:, :, 1]).T
        yield from out


def _input_means(exchange: WholeExchange, pairs: Sequence[tuple[int, int]]) -> Iterator[Matrix]:
    """Summary level, whole inputs: the two metrics exchange their correlations on an input."""
    values = kernels.column_correlations(
        exchange.metrics, exchange.human, exchange.coefficient.value
    )
    counted = np.ones_like(values) if exchange.zero else (~np.isnan(values)).astype(np.float64)
    values = np.where(np.isnan(values), 0.0, values)
    # What each metric gives away in a round, and what it has in all: sums and numbers of inputs.
    sums = values.sum(axis=1), block_product(exchange.masks, values.T)
    numbers = counted.sum(axis=1), block_product(exchange.masks, counted.T)

    def mean(own: int, other: int) -> Matrix:
        top, number = (
            total[own] - moved[:, own] + moved[:, other] for total, moved in (sums, numbers)
        )
        return np.where(number > 0, top / np.where(number > 0, number, 1.0), np.nan)

    return (mean(a, b) - mean(b, a) for a, b in pairs)


class _Moments:
    """Pearson's r from the sums of x, x squared and x z that each unit adds to each column."""

    def __init__(self, exchange: WholeExchange) -> None:
        self.exchange = exchange
        metrics, human = exchange.metrics, exchange.human
        if exchange.level is Level.SYSTEM:
            metrics = np.stack([system_means(metric)[:, None] for metric in metrics])
            human = system_means(human)[:, None]
        if exchange.level is Level.GLOBAL:
            metrics = metrics if exchange.axis == "systems" else metrics.transpose(0, 2, 1)
            human = human if exchange.axis == "systems" else human.T
        self._metrics, present = metrics, ~np.isnan(human)
        x, z = np.where(present, metrics, 0.0), np.where(present, human, 0.0)
        whole = (0, 1) if exchange.level is Level.GLOBAL else (0,)
        points = present.sum(axis=whole, keepdims=True)
        # Correlations do not change when a column is shifted; near 0 its sums keep more digits.
        shift = x.mean(axis=0).sum(axis=whole, keepdims=True) / np.maximum(points, 1)
        x = np.where(present, x - shift, 0.0)
        z = np.where(present, z - z.sum(axis=whole, keepdims=True) / np.maximum(points, 1), 0.0)
        constant = _is_constant(human, whole)
        self._norm = np.where(constant, 0.0, np.sqrt((z * z).sum(axis=whole)))
        self._points = points.reshape(-1)
        # [sum, metric, unit, column]
        sums = np.stack([x, x * x, x * z])
        self._sums = sums.sum(axis=3, keepdims=True) if whole == (0, 1) else sums
        self._norm = self._norm.reshape(-1)
        self._usable = (self._points > 1) & (self._norm > 0)
        self._counted = int((self._points > 0).sum() if exchange.zero else self._usable.sum())

    def differences(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Matrix]:
        """Yield the differences of each pair."""
        masks, columns = self.exchange.masks, self._usable
        out = np.full((len(pairs), len(masks)), np.nan)
        general = [self._may_be_constant(a, b) for a, b in pairs]
        # [sum, unit, metric, column]; the human scores are divided by their norm here, once.
        sums = self._sums[..., columns].transpose(0, 2, 1, 3).copy()
        sums[2] /= self._norm[columns]
        total, points = sums.sum(axis=1), self._points[columns]

        def fill(at: int) -> None:
            a, b = pairs[at]
            first = self._values(unmoved[:, :, a], moved[:, :, b], points)
            second = self._values(unmoved[:, :, b], moved[:, :, a], points)
            if first is None or second is None:
                general[at] = True
            else:
                out[at, part] = (first - second) / self._counted

        with ThreadPoolExecutor(self.exchange.threads) as pool:
            for part in blocks(len(masks), 300 * max(1, points.size) if self._counted else 0):
                moved = np.stack(
                    [
                        block_product(masks[part], table.reshape(len(table), -1)).reshape(
                            -1, *table.shape[1:]
                        )
                        for table in sums
                    ]
                )
                unmoved = total[:, None] - moved
                list(pool.map(fill, range(len(pairs))))
        for at, pair in enumerate(pairs):
            yield next(self.exchange.by_kernel([pair])) if general[at] else out[at]

    def _values(self, unmoved: Matrix, moved: Matrix, points: Matrix) -> Matrix | None:
        """Return the sum of correlations over columns in each round; None where digits were lost."""
        x, squares, product = unmoved + moved
        whole = squares.copy()
        x *= x
        x /= points
        squares -= x
        whole *= _CANCELLED
        if (squares < whole).any():
            return None
        np.sqrt(squares, out=squares)
        product /= squares
        return np.asarray(product.sum(axis=1))

    def _may_be_constant(self, a: int, b: int) -> bool:
        x, y = self._metrics[a], self._metrics[b]
        if self.exchange.level is Level.GLOBAL:
            x, y = x.reshape(-1, 1), y.reshape(-1, 1)
        return _may_be_constant(x, y, self._usable)


class _ColumnRanks:
    """Spearman's rho and Kendall's tau-b within inputs, or of system means; whole systems are exchanged."""

    def __init__(self, exchange: WholeExchange) -> None:
        self.exchange = exchange
        metrics, human = exchange.metrics, exchange.human
        if exchange.level is Level.SYSTEM:
            metrics = np.stack([system_means(metric)[:, None] for metric in metrics])
            human = system_means(human)[:, None]
        self._metrics = metrics
        self._signs = _signs(human, human)
        present = ~np.isnan(human)
        points = present.sum(axis=0).astype(np.float64)
        self._ranks = self._signs.sum(axis=1, dtype=np.float64)
        if exchange.coefficient is Coefficient.SPEARMAN:
            squares = (points**3 - points) / 3 * (self._ranks**2).sum(axis=0)
        else:
            untied = np.abs(self._signs).sum(axis=(0, 1), dtype=np.float64) / 2
            squares = (points**2 - points) / 2 * untied
        self._usable = (points > 1) & (squares > 0)
        self._norm = np.sqrt(np.where(self._usable, squares, 1.0))
        self._counted = int((points > 0).sum() if exchange.zero else self._usable.sum())
        # Rows and columns of the signs within one metric, together.
        own = [self._sums(_signs(metric, metric)) for metric in metrics]
        self._own = [rows + columns for rows, columns, _, _ in own]

    def differences(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Matrix]:
        """Yield the differences of each pair."""
        if not self._counted:
            return (np.full(len(self.exchange.masks), np.nan) for _ in pairs)
        return (self._differences(a, b) for a, b in pairs)

    def _differences(self, a: int, b: int) -> Matrix:
        x, y = self._metrics[a], self._metrics[b]
        tied = self._usable & _has_ties(np.concatenate([x, y]))
        share = np.where(self._usable & ~tied, 1.0 / self._norm, 0.0)
        rows_ab, columns_ab, rows_ba, columns_ba = self._sums(_signs(x, y))
        constant = (self._own[a] - self._own[b]).sum(axis=0) / 2
        # The parts that depend on two exchanged systems are the same for both metrics.
        linear = rows_ba - rows_ab + columns_ab - columns_ba - self._own[a] + self._own[b]
        out = (
            float(constant @ share)
            + block_product(self.exchange.masks, (linear @ share)[:, None])[:, 0]
        )
        if tied.any():
            if _may_be_constant(x, y, tied):
                return next(self.exchange.by_kernel([(a, b)]))
            columns = None if self.exchange.level is Level.SYSTEM else np.flatnonzero(tied)
            out += next(self.exchange.by_kernel([(a, b)], columns)) * int(tied.sum())
        return np.asarray(out / self._counted)

    def _sums(self, signs: NDArray[np.int8]) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        """What each system adds to the numerator as a row and as a column of signs(x, y), and of signs(y, x)."""
        if self.exchange.coefficient is Coefficient.SPEARMAN:
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


def _may_be_constant(x: Matrix, y: Matrix, columns: NDArray[np.bool_]) -> bool:
    """Whether some round may give one of the columns equal scores: then it has no correlation."""
    gap = np.isnan(x)
    for start in (x, y):
        first = np.take_along_axis(start, np.argmax(~gap, axis=0)[None], axis=0)
        if ((x == first) | (y == first) | gap).all(axis=0)[columns].any():
            return True
    return False


def _signs(x: Matrix, y: Matrix) -> NDArray[np.int8]:
    """sign(x_i - y_k) within each input: [i, k, input]; 0 where either is absent."""
    left, right = x[:, None], y[None]
    return (left > right).view(np.int8) - (left < right).view(np.int8)


def _has_ties(x: Matrix) -> NDArray[np.bool_]:
    ordered = np.sort(x, axis=0)
    return np.asarray((ordered[1:] == ordered[:-1]).any(axis=0))


def _is_constant(human: Matrix, axes: tuple[int, ...]) -> NDArray[np.bool_]:
    low = np.where(np.isnan(human), np.inf, human).min(axis=axes)
    high = np.where(np.isnan(human), -np.inf, human).max(axis=axes)
    return np.asarray(low >= high)
