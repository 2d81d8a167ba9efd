"""What resampling resamples: the sufficient statistics of systems on the same inputs, never texts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.metrics.base.aggregation import MeanAggregation
from rubrica.statistics.intervals import Interval, Resampling, bootstrap_statistics

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """One metric's statistics, `rows[system, input, column]`, and the rule that turns sums into scores.

    The columns are corpus statistics or, for most metrics, the values of the measures. After values come
    counts of defined values: a column for each measure, or one for all where nothing is undefined. With
    clusters the rows are sums over the inputs of a cluster, which are drawn and exchanged together.
    """

    metric: MeanAggregation
    measures: tuple[str, ...]
    rows: Floats
    inputs: int

    @classmethod
    def of(
        cls,
        metric: MeanAggregation,
        measures: Sequence[str],
        rows: Floats,
        clusters: Sequence[Hashable] | None = None,
    ) -> Sample:
        """Return the sample of rows [system, input, column]; undefined values are NaN.

        `clusters` has the cluster of each input.
        """
        inputs = rows.shape[1]
        if not metric.corpus_statistics:
            defined = ~np.isnan(rows)
            counts = defined[:, :, :1] if defined.all() else defined
            rows = np.concatenate([np.where(defined, rows, 0.0), counts.astype(float)], axis=2)
        return cls(metric, tuple(measures), _cluster_sums(rows, clusters), inputs)

    def scores(self, sums: Floats) -> Floats:
        """Return scores [sum, measure] of summed rows."""
        if self.metric.corpus_statistics:
            counts = np.full((len(sums), 1), float(self.inputs))
            return self.metric.score_sums(self._own_names(), sums, counts)
        size = len(self.measures)
        counts = np.broadcast_to(sums[:, size:], (len(sums), size))
        return self.metric.score_sums(self.measures, sums[:, :size], counts)

    def _own_names(self) -> tuple[str, ...]:
        # Statistics are scored under the metric's own names, without the key its values were put under.
        if self.metric.output_key is None:
            return self.measures
        return tuple(name.removeprefix(f"{self.metric.output_key}.") for name in self.measures)


def summarize(
    metric: MeanAggregation,
    measures: Sequence[str],
    values: Floats,
    resampling: Resampling,
    clusters: Sequence[Hashable] | None = None,
) -> list[Interval]:
    """Return a system's scores with intervals, as the metric computes them; with clusters by cluster bootstrap."""
    if clusters is None:
        return metric.summarize(measures, values, resampling)
    plain = metric.summarize(measures, values, replace(resampling, rounds=0))
    sample = Sample.of(metric, measures, values[None], clusters)
    scores = [interval.value for interval in plain]
    return bootstrap_statistics(scores, sample.rows[0], sample.scores, resampling)


def resampling_facts(
    metric: MeanAggregation, resampling: Resampling, clusters: int | None = None
) -> dict[str, Any]:
    """Return what `summarize` adds to a signature."""
    if clusters is None:
        return metric.resampling_facts(resampling)
    return {**MeanAggregation.resampling_facts(metric, resampling), "clusters": clusters}


def _cluster_sums(rows: Floats, clusters: Sequence[Hashable] | None) -> Floats:
    """Return the sums over the inputs of each cluster; clusters stand in order of appearance."""
    if clusters is None:
        return rows
    places: dict[Hashable, int] = {}
    numbers = np.array([places.setdefault(cluster, len(places)) for cluster in clusters])
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    sums: Floats = np.add.reduceat(rows[:, order], starts, axis=1)
    return sums
