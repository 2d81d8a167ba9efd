"""How many digits after the point a score is shown with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from rubrica.metrics.measures import metric_of


def digits_of(values: Mapping[str, Iterable[float]]) -> dict[str, int]:
    """By measure: two digits for scores like percentages, four for shares.

    Measures of one metric on one scale have as many: 0.00 stands beside 35.39, not 0.0000.
    """
    sizes: dict[Any, float] = {}
    scales = {name: _scale(name) for name in values}
    for name, column in values.items():
        largest = max((abs(value) for value in column if not math.isnan(value)), default=0.0)
        sizes[scales[name]] = max(largest, sizes.get(scales[name], 0.0))
    return {name: 2 if sizes[scales[name]] >= 2 else 4 for name in values}


def _scale(measure: str) -> Any:
    """Equal for measures that can be compared by size; a measure without a highest value is alone."""
    metric = metric_of(measure)
    if metric is None:
        return measure
    bounds = metric.range_of(measure)
    return (metric.name, bounds) if math.isfinite(bounds[1]) else measure
