"""Krippendorff's alpha: do judges agree more than chance would make them? Gaps are allowed.

alpha = 1 - D_o / D_e: disagreement observed within units over disagreement expected from the pool
of all values (Krippendorff, Content Analysis, 2004, chapter 11). 1 is perfect, 0 is chance.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError
from rubrica.meta.correlation.draws import (
    STANDARD,
    count_blocks,
    defined_interval,
    facts_of,
    rounds_of,
)
from rubrica.meta.scores import Matrix, blocks, choice
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.undefined import none_if_nan

Scale: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
SCALES = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha, at most 1; None without pairable values or where all are equal.

    `units` have at least two values and count, with `values` in all; `left_out` units have fewer.
    The interval resamples units; `undefined` rounds (all drawn values equal) are left out.
    """

    value: float | None
    lower: float | None
    upper: float | None
    units: int
    values: int
    left_out: int
    undefined: int
    signature: Signature = field(repr=False)


def krippendorff_alpha(
    judgments: Sequence[Sequence[Any]] | NDArray[Any],
    *,
    scale: Scale = "nominal",
    order: Sequence[Hashable] | None = None,
    resampling: Resampling | None = STANDARD,
) -> Alpha:
    """Return Krippendorff's alpha of several annotators, with an interval over units.

    Args:
        judgments: Labels, annotators x units; None and NaN are gaps, never a label.
        scale: `nominal`, `ordinal`, `interval` or `ratio`. The last two need numbers, `ratio` none below 0.
        order: All labels, lowest first. `ordinal` needs it for labels that are not numbers.
        resampling: Rounds, confidence and seed of the interval; None for no interval.

    Returns:
        Alpha; None where it is undefined.

    Raises:
        ParameterError: `scale` is unknown.
        DataError: Labels do not fit the scale.

    Example:
        >>> from rubrica.meta import krippendorff_alpha
        >>> round(krippendorff_alpha([[1, 2, 3, 4], [1, 2, 3, 5], [1, None, 3, 4]], scale="interval").value, 3)
        0.951
    """
    choice(scale, SCALES, "scale")
    codes, points = label_codes(judgments, scale, order)
    present = codes >= 0
    pairable = present.sum(axis=0) >= 2
    codes = codes[:, pairable]
    units = codes.shape[1]
    value = _alpha(codes, points, np.ones((1, units)), scale)[0] if units else np.nan
    lower = upper = None
    undefined = 0
    if resampling is not None and not np.isnan(value):
        samples = np.empty(rounds_of(resampling))
        for part, counts in count_blocks(resampling, units, units):
            samples[part] = _alpha(codes, points, counts, scale)
        lower, upper = defined_interval(samples, resampling)
        undefined = int(np.isnan(samples).sum())
    facts = {"scale": scale, **({} if resampling is None else facts_of(resampling))}
    return Alpha(
        value=none_if_nan(value),
        lower=lower,
        upper=upper,
        units=units,
        values=int((codes >= 0).sum()),
        left_out=int((~pairable).sum()),
        undefined=undefined,
        signature=method_signature("alpha", labels_of(judgments), **facts, absent="gaps"),
    )


def labels_of(judgments: Sequence[Sequence[Any]] | NDArray[Any]) -> NDArray[Any]:
    """The labels as they are, judges x units, gaps as None: what a digest is taken of."""
    rows = [[None if _is_gap(label) else _plain(label) for label in row] for row in judgments]
    labels = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for at, row in enumerate(rows):
        labels[at, :] = row
    return labels


def _plain(label: Any) -> Any:
    """Return a label as Python's own; 4.0, as tables of text give it, is the integer 4."""
    value = label.item() if isinstance(label, np.generic) else label
    return int(value) if isinstance(value, float) and value.is_integer() else value


def label_codes(
    judgments: Sequence[Sequence[Any]] | NDArray[Any], scale: str, order: Sequence[Hashable] | None
) -> tuple[NDArray[np.int64], Matrix]:
    """Each value's place in the rising list of values, -1 for a gap, and the values as numbers."""
    rows = [list(row) for row in judgments]
    if len({len(row) for row in rows}) > 1:
        raise DataError("every judge must have one value (or None) per unit")
    seen = {label: None for row in rows for label in row if not _is_gap(label)}
    numeric = all(isinstance(label, (int, float, np.number)) for label in seen)
    if order is not None:
        unknown = [label for label in seen if label not in set(order)]
        if unknown:
            raise DataError(f"label {unknown[0]!r} is not in the given order")
        labels: list[Any] = list(order)
    elif numeric:
        labels = sorted(seen)
    elif scale != "nominal":
        raise DataError(f"labels are not numbers: the {scale} scale needs their order")
    else:
        labels = list(seen)
    measured = scale in ("interval", "ratio")
    if measured and not numeric:
        raise DataError(f"the {scale} scale needs numbers")
    points = np.array(labels if measured else range(len(labels)), dtype=np.float64)
    if scale == "ratio" and (points < 0).any():
        raise DataError("the ratio scale has no values below 0")
    place = {label: number for number, label in enumerate(labels)}
    codes = [[-1 if _is_gap(label) else place[label] for label in row] for row in rows]
    width = len(rows[0]) if rows else 0
    return np.array(codes, dtype=np.int64).reshape(len(rows), width), points


def _is_gap(label: Any) -> bool:
    return label is None or (isinstance(label, (float, np.floating)) and bool(np.isnan(label)))


def _alpha(codes: NDArray[np.int64], points: Matrix, weights: Matrix, scale: str) -> Matrix:
    """Alpha for each round's weights of the units; NaN where nothing is expected to differ."""
    tallies = unit_tallies(codes, len(points))
    sizes = tallies.sum(axis=1)
    out = np.full(len(weights), np.nan)
    for part in blocks(len(weights), max(tallies.shape) * (8 if scale == "ordinal" else 1)):
        w = weights[part]
        pool = w @ tallies
        total = pool.sum(axis=1)
        observed, expected = _disagreement(tallies, sizes, w, pool, points, scale)
        # Labels are counted, too: rounding could leave an expectation just above 0.
        free = ((pool > 0).sum(axis=1) > 1) & (expected > 0)
        ratio = (total - 1.0) * observed / np.where(free, expected, 1.0)
        out[part] = np.where(free, 1.0 - ratio, np.nan)
    return out


def unit_tallies(codes: NDArray[np.int64], values: int) -> Matrix:
    """Units x values: how many judges gave a unit each value."""
    units = codes.shape[1]
    at = (codes + np.arange(units) * values)[codes >= 0]
    return np.bincount(at, minlength=units * values).reshape(units, values).astype(np.float64)


def _disagreement(
    tallies: Matrix, sizes: Matrix, w: Matrix, pool: Matrix, points: Matrix, scale: str
) -> tuple[Matrix, Matrix]:
    """Sums over ordered pairs of values of their squared difference: in units / (m - 1), in the pool."""
    if scale == "nominal":
        inside = sizes**2 - (tallies**2).sum(axis=1)
        return w @ (inside / (sizes - 1)), pool.sum(axis=1) ** 2 - (pool**2).sum(axis=1)
    if scale == "ratio":
        a, b = points[:, None], points[None, :]
        square = ((a - b) / np.where(a + b > 0, a + b, 1.0)) ** 2
        inside = np.einsum("uv,uv->u", tallies @ square, tallies)
        return w @ (inside / (sizes - 1)), np.einsum("rv,rv->r", pool @ square, pool)
    if scale == "interval":
        centre = points - points.mean()
        inside = 2 * (sizes * (tallies @ centre**2) - (tallies @ centre) ** 2)
        outside = 2 * (pool.sum(axis=1) * (pool @ centre**2) - (pool @ centre) ** 2)
        return w @ (_not_negative(inside) / (sizes - 1)), _not_negative(outside)
    # The ordinal difference of two values is that of their mean ranks in the pool.
    ranks = np.cumsum(pool, axis=1) - pool / 2.0
    ranks -= pool.sum(axis=1, keepdims=True) / 2.0
    inside_r = 2 * (sizes * (ranks**2 @ tallies.T) - (ranks @ tallies.T) ** 2)
    observed = (w * _not_negative(inside_r) / (sizes - 1)).sum(axis=1)
    expected = 2 * (
        pool.sum(axis=1) * (pool * ranks**2).sum(axis=1) - (pool * ranks).sum(axis=1) ** 2
    )
    return observed, _not_negative(expected)


def _not_negative(values: Matrix) -> Matrix:
    """Sums of squares that rounding made a hair negative, at 0."""
    return np.asarray(np.maximum(values, 0.0), dtype=np.float64)
