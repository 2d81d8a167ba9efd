"""The two signs of an undefined number: NaN in computations, None in results."""

from __future__ import annotations

import math


def none_if_nan(value: float) -> float | None:
    """Return the number as results have it."""
    return None if math.isnan(value) else float(value)


def nan_if_none(value: float | None) -> float:
    """Return the number as computations have it."""
    return math.nan if value is None else value
