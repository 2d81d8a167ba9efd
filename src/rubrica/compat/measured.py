"""One measure of many texts: what the adapters for frames and harnesses share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubrica.aliases import find_measure
from rubrica.comparison.measures import metrics_for
from rubrica.errors import UnknownNameError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.metric_like import MetricLike, resolve_metric


def metric_of(measure: str, metric: MetricLike | None = None) -> Metric:
    """The metric given, or the one a measure's name tells."""
    return next(iter(metrics_for([measure]).values())) if metric is None else resolve_metric(metric)


def measured(
    metric: Metric,
    measures: Sequence[str] | None,
    summaries: Sequence[Any],
    contexts: Sequence[Any],
) -> dict[str, list[float | None]]:
    """Columns of values: all measures of the metric, or those named.

    A context is what one summary is scored against: a text, or a list of texts.
    """
    listed = [[text] if isinstance(text, str) else list(text) for text in contexts]
    rows = metric.score_all([_text(text) for text in summaries], listed)
    known = rows[0].measure_names() if rows else list(measures or [])
    chosen = {name: find_measure(name, known) for name in (known if measures is None else measures)}
    for name, measure in chosen.items():
        if measure is None:
            raise UnknownNameError("measure", name, known)
    return {name: [row.lookup(str(measure)) for row in rows] for name, measure in chosen.items()}


def _text(text: Any) -> Any:
    # A missing summary (None, NaN) is an empty one: it must not vanish from the mean.
    if text is None or text != text:
        return ""
    return text if isinstance(text, str) else list(text)
