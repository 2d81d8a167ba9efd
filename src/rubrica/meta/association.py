"""Pearson, Spearman and Kendall (tau-b): of two vectors, of many rows at once, at a level.

Undefined is NaN inside arrays and None in results: a constant side, or fewer than two pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from rubrica.meta.scores import Matrix, blocks, choice, joined, system_means

CoefficientName = Literal["pearson", "spearman", "kendall"]
LevelName = Literal["summary", "system", "global"]
COEFFICIENTS = ("pearson", "spearman", "kendall")
LEVELS = ("summary", "system", "global")


@dataclass(frozen=True, slots=True)
class LevelValue:
    """A correlation in [-1, 1] or None; `used` of its parts were defined, `undefined` were not.

    At summary level the parts are inputs; at the other levels there is one.
    """

    value: float | None
    used: int
    undefined: int


def pearson_rows(a: Matrix, b: Matrix) -> Matrix:
    """Pearson of each row of `a` with the same row of `b`; no NaN allowed inside."""
    if a.shape[1] < 2:
        return np.full(len(a), np.nan)
    # A constant row is found by comparison: its computed variance need not be exactly 0.
    constant = (a == a[:, :1]).all(axis=1) | (b == b[:, :1]).all(axis=1)
    da, db = _standard(a), _standard(b)
    r = np.einsum("ij,ij->i", da, db)
    return np.where(constant, np.nan, np.clip(r, -1.0, 1.0))


def _standard(rows: Matrix) -> Matrix:
    centred = rows - rows.mean(axis=1, keepdims=True)
    # Scaled by the largest entry first, so that squares neither overflow nor vanish.
    largest = np.abs(centred).max(axis=1, keepdims=True)
    centred = centred / np.where(largest > 0, largest, 1.0)
    norm = np.sqrt(np.einsum("ij,ij->i", centred, centred))[:, None]
    return np.asarray(centred / np.where(norm > 0, norm, 1.0), dtype=np.float64)


def spearman_rows(a: Matrix, b: Matrix) -> Matrix:
    """Spearman, ties at their mean rank, of each pair of rows."""
    if not a.size:
        return np.full(len(a), np.nan)
    return pearson_rows(stats.rankdata(a, axis=1), stats.rankdata(b, axis=1))


def kendall_rows(a: Matrix, b: Matrix) -> Matrix:
    """Kendall's tau-b of each pair of rows, from all pairs of columns: O(rows x columns^2)."""
    rows, columns = a.shape
    first, second = np.triu_indices(columns, 1)
    out = np.full(rows, np.nan)
    for part in blocks(rows, len(first)):
        da = np.sign(a[part][:, first] - a[part][:, second])
        db = np.sign(b[part][:, first] - b[part][:, second])
        balance = (da * db).sum(axis=1)
        scale = np.sqrt((da != 0).sum(axis=1) * (db != 0).sum(axis=1).astype(np.float64))
        out[part] = np.where(scale > 0, balance / np.where(scale > 0, scale, 1.0), np.nan)
    return np.asarray(np.clip(out, -1.0, 1.0), dtype=np.float64)


ROWS = {"pearson": pearson_rows, "spearman": spearman_rows, "kendall": kendall_rows}


def correlate_rows(a: Matrix, b: Matrix, coefficient: str) -> Matrix:
    """The coefficient of each pair of rows; a cell absent in one is left out of both."""
    choice(coefficient, COEFFICIENTS, "coefficient")
    present = ~(np.isnan(a) | np.isnan(b))
    if present.all():
        return ROWS[coefficient](a, b)
    out = np.full(len(a), np.nan)
    for row, kept in enumerate(present):
        out[row] = correlate(a[row, kept], b[row, kept], coefficient)
    return out


def correlate(a: Matrix, b: Matrix, coefficient: str) -> float:
    """The coefficient of two vectors, NaN where undefined; positions absent in one are left out."""
    choice(coefficient, COEFFICIENTS, "coefficient")
    kept = ~(np.isnan(a) | np.isnan(b))
    a, b = a[kept], b[kept]
    if coefficient == "kendall" and len(a) > 200:
        # O(n log n); a constant side gives NaN without a warning.
        return float(stats.kendalltau(a, b).statistic)
    return float(ROWS[coefficient](a[None], b[None])[0])


def defined(value: float) -> float | None:
    """The value, None for NaN."""
    return None if np.isnan(value) else float(value)


def at_level(metric: Matrix, human: Matrix, level: str, coefficient: str) -> LevelValue:
    """Correlation at a level over the cells both have; undefined inputs are left out and counted."""
    choice(level, LEVELS, "level")
    x, z = joined(metric, human)
    if level == "summary":
        values = correlate_rows(x.T, z.T, coefficient)
        used = int((~np.isnan(values)).sum())
        mean = float(values[~np.isnan(values)].mean()) if used else None
        return LevelValue(mean, used, len(values) - used)
    if level == "system":
        value = correlate(system_means(x), system_means(z), coefficient)
    else:
        value = correlate(x.ravel(), z.ravel(), coefficient)
    return LevelValue(defined(value), int(not np.isnan(value)), int(np.isnan(value)))
