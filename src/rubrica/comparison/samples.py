"""What paired tests resample: the sufficient statistics of systems on the same inputs, never texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.metrics.base.metric import Metric

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """One metric's statistics: `rows[system, input, column]`, and the rule that makes scores of sums.

    For most metrics the columns are the values of the measures; where some are undefined they are 0,
    and as many columns follow that count the defined ones.
    """

    metric: Metric
    measures: tuple[str, ...]
    rows: Floats
    with_counts: bool = False

    @classmethod
    def of(cls, metric: Metric, measures: Sequence[str], rows: Floats) -> Sample:
        """From what the metric's system scores are made of; an undefined value is NaN."""
        defined = ~np.isnan(rows)
        if metric.corpus_statistics or defined.all():
            return cls(metric, tuple(measures), rows)
        rows = np.concatenate([np.where(defined, rows, 0.0), defined.astype(float)], axis=2)
        return cls(metric, tuple(measures), rows, with_counts=True)

    def scores(self, sums: Floats) -> Floats:
        """Scores of summed rows: array [sum, measure]."""
        size = len(self.measures)
        if self.with_counts:
            return self.metric.score_sums(self.measures, sums[:, :size], sums[:, size:])
        counts = np.full((len(sums), 1), float(self.rows.shape[1]))
        return self.metric.score_sums(self._own_names(), sums, counts)

    def observed(self) -> Floats:
        """The scores of the systems as they are: array [system, measure]."""
        return self.scores(self.rows.sum(axis=1))

    def _own_names(self) -> tuple[str, ...]:
        # Statistics are scored under the metric's own names, without the key its values were put under.
        if not (self.metric.corpus_statistics and self.metric.output_key):
            return self.measures
        return tuple(name.removeprefix(f"{self.metric.output_key}.") for name in self.measures)
