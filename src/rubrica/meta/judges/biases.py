"""Biases of a judge: what is left of its scores once people's are taken into account."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError
from rubrica.meta.judges.audit_findings import Finding, bootstrap_finding
from rubrica.meta.scores import Matrix
from rubrica.statistics.intervals import Resampling


def feature_bias(
    name: str, feature: str, x: Matrix, z: Matrix, values: Matrix, resampling: Resampling
) -> Finding:
    """Correlate the judge's scores with a feature of summaries, such as length, at equal human scores."""

    def partial(at: NDArray[np.int64]) -> float:
        a, b, c = x[:, at].ravel(), values[:, at].ravel(), z[:, at].ravel()
        known = ~(np.isnan(a) | np.isnan(b))
        return _partial(a[known], b[known], c[known])

    meaning = (
        f"correlation of judge and {feature} at equal human scores; 0 is none, above 0 likes more"
    )
    return bootstrap_finding(name, partial, x.shape[1], resampling, meaning, 0.0)


def self_preference(
    x: Matrix, z: Matrix, own: NDArray[np.bool_], resampling: Resampling
) -> Finding:
    """Compare the judge's surplus for its own systems with that for others."""

    def preference(at: NDArray[np.int64]) -> float:
        surplus = _residuals(x[:, at], z[:, at], own.astype(np.int64))
        return float(np.nanmean(surplus[own])) - float(np.nanmean(surplus[~own]))

    if own.all():
        raise DataError("self-preference needs systems other than the judge's own, too")
    meaning = "judge's surplus for its own family at equal human scores, in the judge's scale"
    return bootstrap_finding("self-preference", preference, x.shape[1], resampling, meaning, 0.0)


def surplus_by_system(
    x: Matrix, z: Matrix, systems: Sequence[str]
) -> tuple[tuple[str, float, float, float], ...]:
    """System, people's mean, judge's mean, and the judge's surplus at equal human scores."""
    surplus = _residuals(x, z, np.arange(len(systems)))
    rows = []
    for at, name in enumerate(systems):
        if not np.isnan(x[at]).all():
            means = (float(np.nanmean(z[at])), float(np.nanmean(x[at])))
            rows.append((name, *means, float(np.nanmean(surplus[at]))))
    return tuple(rows)


def _residuals(x: Matrix, z: Matrix, groups: NDArray[np.int64]) -> Matrix:
    """The judge's scores minus their linear prediction from people's.

    The slope is that within groups of systems: a surplus of one group must not bend it.
    """
    a, b = _centred_within(z, groups), _centred_within(x, groups)
    below = float(np.nansum(a**2))
    slope = float(np.nansum(a * b)) / below if below > 0 else 0.0
    surplus = x - slope * z
    return np.asarray(surplus - np.nanmean(surplus), dtype=np.float64)


def _centred_within(values: Matrix, groups: NDArray[np.int64]) -> Matrix:
    centred = np.full(values.shape, np.nan)
    for group in np.unique(groups):
        mine = groups == group
        if not np.isnan(values[mine]).all():
            centred[mine] = values[mine] - np.nanmean(values[mine])
    return centred


def _partial(a: Matrix, b: Matrix, c: Matrix) -> float:
    if len(a) < 4 or min(a.std(), b.std(), c.std()) == 0:
        return math.nan
    r = np.corrcoef([a, b, c])
    below = (1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2)
    return float((r[0, 1] - r[0, 2] * r[1, 2]) / math.sqrt(below)) if below > 1e-12 else math.nan
