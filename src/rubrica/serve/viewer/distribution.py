"""Where a value lies among all values of its column, and where two columns disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rubrica.errors import UsageError
from rubrica.metrics.base.measures import Measures
from rubrica.serve.viewer.table import BEFORE, CHANGE, Floats, Rows, SampleTable

_BINS = 24


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many values of a measure lie in each of equally wide bins from `low` to `high`."""

    low: float
    high: float
    counts: list[int]


class Distributions:
    """Ranks and histograms of the columns of a table."""

    def __init__(self, table: SampleTable, measures: Measures) -> None:
        self._table, self._measures = table, measures

    def lower_is_better(self, measure: str) -> bool:
        """Return whether lower values of a measure are better."""
        name = measure.removesuffix(CHANGE).removesuffix(BEFORE)
        return self._measures.group(name.split(".")).direction == "lower"

    def is_of_people(self, measure: str) -> bool:
        """Return whether no metric is known to compute a measure: most likely people gave the scores."""
        if measure.endswith((BEFORE, CHANGE)):
            return False
        return self._measures.group(measure.split(".")).metric == ""

    def histogram(self, measure: str) -> Histogram | None:
        """Return the histogram of a measure; None if it has no value."""
        return self._table.cached(f"histogram {measure}", lambda: self._count(measure))

    def _count(self, measure: str) -> Histogram | None:
        values = self._table.column(measure)
        values = values[~np.isnan(values)]
        if not len(values):
            return None
        counts, edges = np.histogram(values, bins=_BINS)
        return Histogram(float(edges[0]), float(edges[-1]), counts.tolist())

    def ranks(self, measure: str) -> Floats:
        """Return the share of values that each value is better than (half of its equals); NaN where undefined."""
        return self._table.cached(f"ranks {measure}", lambda: self._rank(measure))

    def _rank(self, measure: str) -> Floats:
        values = self._table.column(measure)
        values = -values if self.lower_is_better(measure) else values
        ordered = np.sort(values[~np.isnan(values)])
        below = np.searchsorted(ordered, values, side="left")
        equal = np.searchsorted(ordered, values, side="right") - below
        ranks = (below + (equal - 1) / 2) / max(1, len(ordered) - 1)
        return np.where(np.isnan(values), np.nan, ranks)

    def disagreement(self, measure: str, other: str) -> Floats:
        """Return how far apart the ranks of two measures are, row by row; NaN where one is undefined.

        With `systems` instead of a second measure: how far apart the systems of an input are, at its first row.
        """
        ranks = self.ranks(measure)
        if other != "systems":
            if other == measure:
                raise UsageError("choose two different measures")
            return np.abs(ranks - self.ranks(other))
        inputs = self._table.codes("input")
        defined = np.flatnonzero(~np.isnan(ranks))
        spread = np.full(len(ranks), np.nan)
        if not len(defined):
            return spread
        rows = defined[np.argsort(inputs[defined], kind="stable")]
        starts = np.flatnonzero(np.diff(inputs[rows], prepend=-1))
        highest = np.maximum.reduceat(ranks[rows], starts)
        lowest = np.minimum.reduceat(ranks[rows], starts)
        spread[rows[starts]] = highest - lowest
        return spread


def next_disagreement(
    values: Floats, rows: Rows, current: int | None
) -> tuple[int, float, int, int] | None:
    """Return the row after the current one in order of disagreement, its value, its place and how many there are.

    Without a current row, or with one that has no value, it is the first. None if no row has a value.
    """
    defined = rows[~np.isnan(values[rows])]
    if not len(defined):
        return None
    order = defined[np.argsort(-values[defined], kind="stable")]
    place = 0
    if current is not None and len(here := np.flatnonzero(order == current)):
        place = (int(here[0]) + 1) % len(order)
    row = int(order[place])
    return row, float(values[row]), place + 1, len(order)


def as_facts(distributions: Distributions, measure: str) -> dict[str, Any]:
    """Return what the page shows about a measure."""
    return {
        "name": measure,
        "lower": distributions.lower_is_better(measure),
        "histogram": distributions.histogram(measure),
    }
