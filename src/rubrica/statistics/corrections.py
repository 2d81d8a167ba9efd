"""Correction for several tests: adjusted p-values, to be compared with alpha as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct p-values by Holm (1979), which bounds the chance of any false rejection under any dependence.

    Args:
        p_values: A p-value per test; None is not a test and stays None.

    Returns:
        The adjusted p-values, in the order of `p_values`.

    Example:
        >>> from rubrica.meta import holm
        >>> holm([0.01, None, 0.04, 0.02])
        [0.03, None, 0.04, 0.04]
    """
    order = _order(p_values)
    count = len(order)
    scaled = ((count - rank) * _at(p_values, at) for rank, at in enumerate(order))
    return _put_back(p_values, order, accumulate(scaled, max))


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct p-values by Benjamini and Hochberg (1995), which bounds the false discovery rate of independent tests.

    Args:
        p_values: A p-value per test; None is not a test and stays None.

    Returns:
        The adjusted p-values, in the order of `p_values`.

    Example:
        >>> from rubrica.meta import benjamini_hochberg
        >>> benjamini_hochberg([0.01, None, 0.04, 0.02])
        [0.03, None, 0.04, 0.03]
    """
    return _step_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct p-values by Benjamini and Yekutieli (2001), which bounds the false discovery rate under any dependence.

    Args:
        p_values: A p-value per test; None is not a test and stays None.

    Returns:
        The adjusted p-values, in the order of `p_values`.

    Example:
        >>> from rubrica.meta import benjamini_yekutieli
        >>> [round(p, 3) for p in benjamini_yekutieli([0.01, 0.04, 0.02])]
        [0.055, 0.073, 0.055]
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

# How sentences name them.
PROCEDURES = {
    "holm": "Holm's procedure",
    "benjamini-hochberg": "the procedure of Benjamini and Hochberg",
    "benjamini-yekutieli": "the procedure of Benjamini and Yekutieli",
}
