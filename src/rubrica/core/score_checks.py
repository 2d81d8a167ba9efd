"""Checks that both implementations of a kernel share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError


def check_finite(*scores: NDArray[np.float64]) -> None:
    """Raise a `DataError` for infinite scores: NaN alone marks a score that is missing."""
    if any(np.isinf(values).any() for values in scores):
        raise DataError(
            "infinite scores cannot be correlated; leave them out or write null for what is undefined"
        )
