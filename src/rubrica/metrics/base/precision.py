"""Number of decimals that a score is shown with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from rubrica.data.measures import MeasureGroup


def digits_of(
    values: Mapping[str, Iterable[float]], groups: Mapping[str, MeasureGroup]
) -> dict[str, int]:
    """Return by measure: two digits for scores like percentages, four for shares.

    Measures of one metric on one scale have the same number: 0.00 next to 35.39, not 0.0000.
    """
    sizes: dict[Any, float] = {}
    scales = {name: _scale(name, groups[name]) for name in values}
    for name, column in values.items():
        largest = max((abs(value) for value in column if not math.isnan(value)), default=0.0)
        sizes[scales[name]] = max(largest, sizes.get(scales[name], 0.0))
    return {name: 2 if sizes[scales[name]] >= 2 else 4 for name in values}


def _scale(measure: str, group: MeasureGroup) -> Any:
    """Return a key that is equal for measures on the same scale; an unbounded measure has its own."""
    return measure if group.range[1] is None else (group.metric, group.range)
