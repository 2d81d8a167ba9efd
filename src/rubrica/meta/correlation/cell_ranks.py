"""Rank correlations over all cells without ties: their difference is linear in the exchanged cells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.scores import BLOCK, Matrix, blocks

_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
# Tables of at most so many numbers are stored.
_MAX_CELLS = 8 * BLOCK


class CellRanks:
    """What single cells add to Spearman's rho or Kendall's tau-b of metrics [metric, system, input].

    `S[p, q][c]` is the sum over cells d of u(c, d) sign(p_c - q_d). For Kendall u is 2 sign(z_c - z_d), for Spearman
    the difference of the human ranks of c and d.
    """

    def __init__(self, metrics: Matrix, human: Matrix, coefficient: Coefficient) -> None:
        self._present = ~np.isnan(human)
        values = metrics[:, self._present]
        # Equal scores of different metrics have equal codes.
        self._codes = np.unique(values, return_inverse=True)[1].reshape(values.shape)
        self._grades = np.unique(human[self._present], return_inverse=True)[1]
        self._spearman = coefficient is Coefficient.SPEARMAN
        sizes = np.bincount(self._grades)
        below = np.cumsum(sizes) - sizes
        n = float(values.shape[1])
        self._ranks = (2.0 * below + sizes - n)[self._grades]
        if self._spearman:
            squares = (n**3 - n) / 3 * float((self._ranks**2).sum())
        else:
            squares = (n * n - n) * (n * n - float((sizes.astype(np.float64) ** 2).sum()))
        self._norm = float(np.sqrt(squares))
        self._tables: dict[tuple[int, int], Matrix] = {}
        self.too_large = len(metrics) * values.size > _MAX_CELLS

    def untied(self, a: int, b: int) -> bool:
        """Whether no two scores of the two metrics are equal."""
        codes = np.sort(self._codes[[a, b]], axis=None)
        return bool((codes[1:] != codes[:-1]).all())

    def prepare(self, metrics: Iterable[int]) -> None:
        """Compute the tables of some of the metrics."""
        numbers = list(metrics)
        for q in numbers:
            if all((p, q) in self._tables for p in numbers):
                continue
            order = np.argsort(self._codes[q])
            for p, table in zip(numbers, self._column(order, q, numbers), strict=True):
                self._tables[p, q] = table

    def linear(self, a: int, b: int) -> tuple[float, Matrix]:
        """The difference without exchanges, and what the exchange of each cell adds: [system, input]."""
        weights = np.zeros(self._present.shape)
        if not self._norm > 0:
            return float("nan"), weights
        aa, ab, ba, bb = (self._tables[p, q] for p in (a, b) for q in (a, b))
        weights[self._present] = (ba - aa - ab + bb) / self._norm
        return float((aa - bb).sum() / 2 / self._norm), weights

    def _column(self, order: NDArray[np.int64], q: int, numbers: list[int]) -> list[Matrix]:
        ordered = self._codes[q][order]
        places = [
            [np.searchsorted(ordered, self._codes[p], side=s) for s in _SIDES] for p in numbers
        ]
        if self._spearman:
            sums = np.concatenate([[0.0], np.cumsum(self._ranks[order])])
            return [
                self._ranks * (left + right - float(len(order))) - sums[left] - sums[right]
                for left, right in places
            ]
        return self._concordant(self._grades[order], places)

    def _concordant(
        self, grades: NDArray[np.int64], places: list[list[NDArray[np.int64]]]
    ) -> list[Matrix]:
        """Twice the sums of sign(z_c - z_d) over cells d with a lower score, less those with a higher one."""
        out = [np.empty(len(grades)) for _ in places]
        kinds = int(grades.max(initial=-1)) + 1
        for part in blocks(kinds, len(grades) + 1):
            grade: NDArray[np.int64] = np.arange(part.start, part.stop)[:, None]
            signs = (grade > grades).view(np.int8) - (grade < grades).view(np.int8)
            sums = np.zeros((len(grade), len(grades) + 1), dtype=np.int32)
            np.cumsum(signs, axis=1, dtype=np.int32, out=sums[:, 1:])
            cells = np.flatnonzero((self._grades >= part.start) & (self._grades < part.stop))
            rows = self._grades[cells] - part.start
            for table, (left, right) in zip(out, places, strict=True):
                table[cells] = 2.0 * (
                    sums[rows, left[cells]] + sums[rows, right[cells]] - sums[rows, -1]
                )
        return out
