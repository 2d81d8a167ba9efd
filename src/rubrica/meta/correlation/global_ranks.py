"""Rank correlations over all cells after exchanges of whole systems or inputs, from tables of their comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.scores import Matrix, block_product

# Larger tables take more time than the general kernel.
_MAX_COUNTS = 40_000_000
_MAX_CELLS = 8_000
# A count takes as long as so many comparisons of cells.
_COUNT_COST = 2
_MAX_TRIPLES = 100
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
        """Return each metric's part of the denominator; None where too many values are shared by three cells.

        A value that t cells share takes t (t - 1) / 2 from it, and for ranks t (t - 1) (t + 1) / 3.
        """
        n, codes = self._points, self._codes[[a, b]]
        whole = (n**3 - n) / 3 if self._spearman else (n * n - n) / 2
        values, counts = np.unique(codes, return_counts=True)
        triples = values[counts > 2]
        if self._spearman and len(triples) > _MAX_TRIPLES:
            return None
        lost = self._tied_pairs(a, b, values[counts > 1], masks)
        if not self._spearman:
            return whole - lost[0] / 2, whole - lost[1] / 2
        first, second = (self._shared(row, triples) for row in codes)
        own = first.sum(axis=0) + block_product(masks, second - first)
        other = (first + second).sum(axis=0) - own
        return whole - lost[0] - _triples(own), whole - lost[1] - _triples(other)

    def _tied_pairs(
        self, a: int, b: int, values: NDArray[np.int32], masks: Matrix
    ) -> tuple[Matrix, Matrix]:
        """Return how many ordered pairs of cells share one of the values, for both metrics, in each round."""
        if (self._axis, a, b) in self._shared_ties:
            known: tuple[Matrix, Matrix] = self._shared_ties[self._axis, a, b]
            return known
        first, second = (self._shared(row, values) for row in self._codes[[a, b]])
        # Pairs of cells are pairs of units, too; a cell is no pair with itself.
        across = block_product(first, second.T)
        form = exchange_form(
            block_product(first, first.T) - np.diag(first.sum(axis=1)),
            across,
            across.T,
            block_product(second, second.T) - np.diag(second.sum(axis=1)),
        )
        pairs = self._shared_ties[self._axis, a, b] = form.values(masks)
        return pairs

    def _shared(self, codes: NDArray[np.int32], values: NDArray[np.int32]) -> Matrix:
        """[unit, value]: how many cells of the unit have the value."""
        shape = len(self._starts), len(values)
        if not len(values):
            return np.zeros(shape)
        at = np.minimum(np.searchsorted(values, codes), len(values) - 1)
        inside = values[at] == codes
        places = self._units[inside] * len(values) + at[inside]
        return np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

    def prepare(self, metrics: Sequence[int]) -> None:
        """Compute the tables [i, k] of what cells of unit i with metric p add against cells of unit k with metric q."""
        if not self._spearman and not self._countable():
            self._compare_all(metrics)
            return
        for q in metrics:
            if self._spearman:
                self._count_ranks(q)
            else:
                self._count_concordant(q)

    def _count_ranks(self, q: int) -> None:
        """Human ranks times ranks among the cells of q, for all metrics."""
        order = np.argsort(self._codes[q], kind="stable")
        counts = np.zeros((len(order) + 1, len(self._starts)))
        counts[np.arange(1, len(order) + 1), self._units[order]] = 1
        np.cumsum(counts, axis=0, out=counts)
        for p, codes in enumerate(self._codes):
            left, right = (np.searchsorted(self._codes[q][order], codes, side=s) for s in _SIDES)
            ranks = counts[left] + counts[right] - counts[-1]
            self._tables[p, q] = np.add.reduceat(self._ranks[:, None] * ranks, self._starts)

    def _countable(self) -> bool:
        """Return whether counts by human score are small, and smaller than comparisons of all cells with all."""
        cells, counts = len(self._units), (self._kinds + 1) * len(self._starts)
        return cells * counts <= _MAX_COUNTS and (
            _COUNT_COST * counts <= cells or cells > _MAX_CELLS
        )

    def _count_concordant(self, q: int) -> None:
        """Concordant less discordant pairs of cells, for all metrics, from counts by human score."""
        order = np.argsort(self._codes[q], kind="stable")
        # [n, g, k]: cells of unit k among the lowest n by metric q that people score below g.
        counts = np.zeros((len(order) + 1, self._kinds + 1, len(self._starts)), dtype=np.int32)
        at = np.arange(1, len(order) + 1)
        counts[at, self._grades[order] + 1, self._units[order]] = 1
        np.cumsum(counts, axis=0, out=counts)
        np.cumsum(counts, axis=1, out=counts)
        grades = self._grades
        # Of all cells of a unit, those that people score lower less those they score higher.
        lower = counts[-1, grades] + counts[-1, grades + 1] - counts[-1, -1]
        for p, codes in enumerate(self._codes):
            total = -lower
            for side in _SIDES:
                place = np.searchsorted(self._codes[q][order], codes, side=side)
                total += counts[place, grades] + counts[place, grades + 1] - counts[place, -1]
            self._tables[p, q] = np.add.reduceat(total, self._starts).astype(np.float64)

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


def _triples(t: Matrix) -> Matrix:
    """Sum of t (t - 1) (t - 2) / 3 over values."""
    return np.asarray(np.einsum("rv,rv,rv->r", t, t - 1, t - 2) / 3)


_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


def _signs(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int8]:
    """sign(x_c - y_d): [c, d]."""
    left, right = x[:, None], y[None]
    signs: NDArray[np.int8] = (left > right).view(np.int8) - (left < right).view(np.int8)
    return signs
