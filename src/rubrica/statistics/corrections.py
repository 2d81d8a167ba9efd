"""Correction for several tests: adjusted p-values, to be compared with alpha as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm (1979): bounds the chance of any false rejection, whatever the tests' dependence.

    A test without a p-value (None) stays so, and does not count as a test.
    """
    order = _order(p_values)
    count = len(order)
    scaled = ((count - rank) * _at(p_values, at) for rank, at in enumerate(order))
    return _put_back(p_values, order, accumulate(scaled, max))


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg (1995): bounds the share of false rejections, for independent tests.

    A test without a p-value (None) stays so, and does not count as a test.
    """
    return _step_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Yekutieli (2001): bounds the share of false rejections under any dependence.

    A test without a p-value (None) stays so, and does not count as a test.
    """
    count = sum(p is not None for p in p_values)
    return _step_up(p_values, sum(1 / rank for rank in range(1, count + 1)))


def _step_up(p_values: Sequence[float | None], factor: float) -> list[float | None]:
    """Scale p-values by factor * count / rank and make them monotone from the largest down."""
    order = _order(p_values)[::-1]
    count = len(order)
    scaled = (factor * count / (count - rank) * _at(p_values, at) for rank, at in enumerate(order))
    return _put_back(p_values, order, accumulate(scaled, min))


def _order(p_values: Sequence[float | None]) -> list[int]:
    """Places of the p-values that exist, the smallest first; equal ones by place."""
    known = [at for at, p in enumerate(p_values) if p is not None]
    return sorted(known, key=lambda at: _at(p_values, at))


def _at(p_values: Sequence[float | None], at: int) -> float:
    p = p_values[at]
    assert p is not None
    return p


def _put_back(
    p_values: Sequence[float | None], order: list[int], adjusted: accumulate[float]
) -> list[float | None]:
    out: list[float | None] = [None] * len(p_values)
    for at, p in zip(order, adjusted, strict=True):
        out[at] = min(1.0, p)
    return out


CORRECTIONS: dict[str, Callable[[Sequence[float | None]], list[float | None]]] = {
    "none": list,
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
    "benjamini-yekutieli": benjamini_yekutieli,
}
