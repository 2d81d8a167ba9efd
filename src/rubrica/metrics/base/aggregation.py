"""From scores of summaries to scores of systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rubrica.errors import DataError, ParameterError
from rubrica.statistics.intervals import FloatMatrix, Interval, Resampling, bootstrap_means


class MeanAggregation:
    """A system's score is the mean of its summaries' scores; metrics with another rule override this."""

    # Whether a system's score is computed from summed statistics (see `CorpusMetric`), not from its rows.
    corpus_statistics: bool = False
    # Scores appear under this key; None: as the metric names them.
    output_key: str | None = None

    def summarize(
        self, measures: Sequence[str], values: FloatMatrix, resampling: Resampling
    ) -> list[Interval]:
        """Return a system's scores with intervals, from a row per summary and a column per measure.

        For a metric with `corpus_statistics` the rows hold those statistics instead.
        """
        return bootstrap_means(values, resampling)

    def score_sums(
        self, measures: Sequence[str], sums: FloatMatrix, counts: FloatMatrix
    ) -> FloatMatrix:
        """Return scores [system, measure] from sums over the summaries of each system: the means.

        Row by row `sums` holds what `summarize` takes, added up over the summaries of one system, and
        `counts` over how many; NaN where there are none. Paired tests call this with thousands of systems.
        """
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def resampling_facts(self, resampling: Resampling) -> dict[str, Any]:
        """Return what `summarize` adds to a signature: rounds and seed, where it uses them."""
        if not resampling.rounds:
            return {}
        return {"bs": resampling.rounds, "seed": resampling.seed, **resampling.shown_confidence()}


def score_aggregation(metric: str, signatures: Iterable[str], number: int = 0) -> MeanAggregation:
    """Return how scores in a file become system scores: the rule of the registered metric that signed them.

    Of several signatures of the metric `number` chooses one. A name from a file is looked up, never imported.
    """
    from rubrica.metrics.base.metric import METRICS
    from rubrica.signature import parse_signature

    cls = METRICS.find(metric)
    parsed = [parts for name, parts in map(parse_signature, signatures) if name == metric]
    if cls is None or not parsed:
        return MeanAggregation()
    try:
        return cls.score_aggregation(parsed[min(number, len(parsed) - 1)])
    except (ParameterError, ValueError) as error:
        raise DataError(f"the signature of metric {metric!r} is not valid: {error}") from error
