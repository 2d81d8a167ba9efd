"""Rank correlations over all cells after exchanges of whole systems or inputs, from tables of their comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.scores import Matrix, block_product, blocks

# Larger tables take more time than the general kernel.
_MAX_COUNTS = 40_000_000
_MAX_CELLS = 8_000
# A count takes as long as so many comparisons of cells.
_COUNT_COST = 2
# So many values that two metrics share, the general kernel handles faster.
_MAX_SHARED = 100
# Sums of so many signs fit into a byte.
_ROWS = 127


class Form(NamedTuple):
    """c + l m + m Q m: constants and linear parts of the first metric and of the second, and their common Q."""

    constants: tuple[float, float]
    linear: tuple[Matrix, Matrix]
    quadratic: Matrix

    def values(self, masks: Matrix) -> tuple[Matrix, Matrix]:
        """Return the values of both metrics in each round."""
        parts = block_product(masks, np.column_stack([self.quadratic, *self.linear]))
        square = np.einsum("ru,ru->r", parts[:, :-2], masks)
        first, second = self.constants
        return first + parts[:, -2] + square, second + parts[:, -1] + square


def exchange_form(aa: Matrix, ab: Matrix, ba: Matrix, bb: Matrix) -> Form:
    """Return the form of a sum over pairs of units: `ab[i, k]` counts if unit i has metric a, and unit k metric b."""
    return Form(
        (float(aa.sum()), float(bb.sum())),
        (
            (ba - aa).sum(axis=1) + (ab - aa).sum(axis=0),
            (ab - bb).sum(axis=1) + (ba - bb).sum(axis=0),
        ),
        aa - ab - ba + bb,
    )


class GlobalRanks:
    """Spearman's rho or Kendall's tau-b of metrics [metric, system, input] when whole units are exchanged."""

    def __init__(
        self,
        metrics: Matrix,
        human: Matrix,
        coefficient: Coefficient,
        axis: str,
        shared: dict[Any, Any],
    ) -> None:
        self._axis, self._shared_ties = axis, shared
        by_unit = metrics if axis == "systems" else metrics.transpose(0, 2, 1)
        scores = human if axis == "systems" else human.T
        present = ~np.isnan(scores)
        values = by_unit[:, present]
        self._units = np.nonzero(present)[0]
        self._starts = np.concatenate([[0], np.flatnonzero(np.diff(self._units)) + 1])
        # Equal scores of different metrics have equal codes.
        codes = np.unique(values, return_inverse=True)[1].reshape(values.shape)
        self._codes = codes.astype(np.int32)
        kinds, self._grades = np.unique(scores[present], return_inverse=True)
        self._kinds, self._spearman = len(kinds), coefficient is Coefficient.SPEARMAN
        sizes = np.bincount(self._grades)
        below = np.cumsum(sizes) - sizes
        n = self._points = float(len(self._units))
        self._ranks = (2.0 * below + sizes - n)[self._grades]
        if self._spearman:
            self._norm = float((self._ranks**2).sum())
        else:
            self._norm = (n * n - float((sizes.astype(np.float64) ** 2).sum())) / 2
        self.too_large = not self._spearman and not self._countable() and n > _MAX_CELLS
        self._tables: dict[tuple[int, int], Matrix] = {}

    def differences(self, a: int, b: int, masks: Matrix) -> Matrix | None:
        """Return r(A, Z) - r(B, Z) in each round, NaN where undefined; None where the general kernel is faster."""
        denominators = self._squares(a, b, masks)
        if denominators is None:
            return None
        tables = [self._tables[p, q] for p in (a, b) for q in (a, b)]
        sums = exchange_form(*tables).values(masks)
        values = []
        for above, squares in zip(sums, denominators, strict=True):
            below = np.sqrt(squares * self._norm) * (1.0 if self._spearman else 2.0)
            values.append(np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan))
        return np.asarray(values[0] - values[1])

    def _squares(self, a: int, b: int, masks: Matrix) -> tuple[Matrix, Matrix] | None:
        """Return each metric's part of the denominator; None where the metrics share too many values.

        A value that t cells share takes t (t - 1) / 2 from it, and for ranks t (t - 1) (t + 1) / 3.
        """
        n = self._points
        across = self._tied_across(a, b, masks)
        if across is None:
            return None
        (own, moved), (others_own, others_moved) = self._tied(a, masks), self._tied(b, masks)
        if self._spearman:
            whole, share = (n**3 - n) / 3, 1.0
        else:
            whole, share = (n * n - n) / 2, 2.0
        return (
            whole - (own + others_moved + across[0]) / share,
            whole - (others_own + moved + across[1]) / share,
        )

    def _tied(self, metric: int, masks: Matrix) -> tuple[Matrix, Matrix]:
        """Return what values shared by cells of a metric take away, of its own cells and of those it gives away."""
        key = self._axis, self._spearman, metric
        if key not in self._shared_ties:
            values, counts = np.unique(self._codes[metric], return_counts=True)
            repeated = self._shared(self._codes[metric], values[counts > 1])
            own, moved = np.zeros(len(masks)), np.zeros(len(masks))
            for part in blocks(len(masks), repeated.shape[1] + 1):
                exchanged = block_product(masks[part], repeated)
                moved[part] = self._lost(exchanged)
                own[part] = self._lost(repeated.sum(axis=0) - exchanged)
            self._shared_ties[key] = own, moved
        known: tuple[Matrix, Matrix] = self._shared_ties[key]
        return known

    def _lost(self, t: Matrix) -> Matrix:
        """Sum of t (t - 1), or for ranks of t (t - 1) (t + 1) / 3, over values."""
        squares = np.einsum("rv,rv->r", t, t)
        if not self._spearman:
            return np.asarray(squares - t.sum(axis=1))
        return np.asarray((np.einsum("rv,rv,rv->r", t, t, t) - t.sum(axis=1)) / 3)

    def _tied_across(self, a: int, b: int, masks: Matrix) -> tuple[Matrix, Matrix] | None:
        """Return what values take away that cells of both metrics share, for both in each round; None if too many."""
        key = self._axis, self._spearman, a, b
        if key not in self._shared_ties:
            values = np.intersect1d(self._codes[a], self._codes[b])
            first, second = (self._shared(self._codes[row], values) for row in (a, b))
            if not len(values):
                lost = np.zeros(len(masks)), np.zeros(len(masks))
            elif self._spearman and len(values) > _MAX_SHARED:
                lost = None
            elif self._spearman:
                # (k + g)^3 - k^3 - g^3 = 3 k g (k + g)
                moved, taken = block_product(masks, first), block_product(masks, second)
                own, others = first.sum(axis=0) - moved, second.sum(axis=0) - taken
                lost = (
                    np.einsum("rv,rv,rv->r", own, taken, own + taken),
                    np.einsum("rv,rv,rv->r", others, moved, others + moved),
                )
            else:
                # (k + g)^2 - k^2 - g^2 = 2 k g
                nothing = np.zeros((len(first), len(first)))
                pairs = block_product(first, second.T)
                lost = exchange_form(nothing, pairs, pairs.T, nothing).values(masks)
            self._shared_ties[key] = lost
        known: tuple[Matrix, Matrix] | None = self._shared_ties[key]
        return known

    def _shared(self, codes: NDArray[np.int32], values: NDArray[np.int32]) -> Matrix:
        """[unit, value]: how many cells of the unit have the value."""
        shape = len(self._starts), len(values)
        if not len(values):
            return np.zeros(shape)
        at = np.minimum(np.searchsorted(values, codes), len(values) - 1)
        inside = values[at] == codes
        places = self._units[inside] * len(values) + at[inside]
        return np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

    def prepare(self, metrics: Sequence[int], threads: int) -> None:
        """Compute the tables [i, k] of what cells of unit i with metric p add against cells of unit k with metric q."""
        if not self._spearman and not self._countable():
            self._compare_all(metrics)
            return
        tables = kernels.rank_tables(
            self._codes[list(metrics)],
            (self._ranks if self._spearman else self._grades).astype(np.int32),
            self._units.astype(np.int32),
            len(self._starts),
            0 if self._spearman else self._kinds,
            threads,
        )
        for row, p in zip(tables, metrics, strict=True):
            for table, q in zip(row, metrics, strict=True):
                self._tables[p, q] = table

    def _countable(self) -> bool:
        """Return whether counts by human score are small, and smaller than comparisons of all cells with all."""
        cells, counts = len(self._units), (self._kinds + 1) * len(self._starts)
        return cells * counts <= _MAX_COUNTS and (
            _COUNT_COST * counts <= cells or cells > _MAX_CELLS
        )

    def _compare_all(self, metrics: Sequence[int]) -> None:
        """Concordant less discordant pairs of cells, by comparing all with all."""
        pairs = list(combinations_with_replacement(metrics, 2))
        for pair in pairs:
            self._tables[pair] = np.zeros((len(self._starts),) * 2)
        for at in range(0, len(self._units), _ROWS):
            part = slice(at, at + _ROWS)
            human = _signs(self._grades[part], self._grades)
            for p, q in pairs:
                signs = _signs(self._codes[p, part], self._codes[q])
                signs *= human
                by_unit = np.add.reduceat(signs, self._starts, axis=1, dtype=np.float64)
                np.add.at(self._tables[p, q], self._units[part], by_unit)
        for p, q in pairs:
            # The sign of both factors changes, so that of the product does not.
            self._tables[q, p] = self._tables[p, q].T


def _signs(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int8]:
    """sign(x_c - y_d): [c, d]."""
    left, right = x[:, None], y[None]
    signs: NDArray[np.int8] = (left > right).view(np.int8) - (left < right).view(np.int8)
    return signs
