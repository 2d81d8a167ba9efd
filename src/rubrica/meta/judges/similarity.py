"""A metric as the closeness of two texts, for annotations that are texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubrica.data.metrics import exact_mean
from rubrica.errors import DataError, ParameterError
from rubrica.meta.judges.alt_test import Scorer
from rubrica.metrics.base.metric import Metric


def similarity_scorer(metric: str | Metric, measure: str) -> Scorer:
    """Return a scorer: the mean over the other labels of a metric's measure against each of them."""
    scorer = Metric.from_config({"type": metric}) if isinstance(metric, str) else metric
    if tuple(scorer.required_context_fields) != ("references",):
        raise ParameterError(
            f"{scorer.name} needs {', '.join(scorer.required_context_fields)}; a similarity compares "
            "a text with references only"
        )

    def score(label: Any, others: Sequence[Any]) -> float:
        if not all(isinstance(text, str) for text in (label, *others)):
            raise DataError("a similarity compares texts, but some labels are numbers")
        values = scorer.score_all([label] * len(others), [[other] for other in others])
        return exact_mean(value.lookup(measure) for value in values)

    return score
