"""Measures as metrics of MLflow: `mlflow.models.evaluate(..., extra_metrics=[metric("rouge-2.f1")])`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rubrica.compat.measured import measured, metric_of
from rubrica.errors import MissingResourceError
from rubrica.metrics.base.metric_like import MetricLike


def eval_fn(measure: str, metric: MetricLike | None = None) -> Callable[..., Any]:
    """The function that MLflow calls with predictions and targets; it gives a `MetricValue`.

    The value has a score for each row, and of all their mean, variance and 90 % quantile, as MLflow's
    own text metrics have.
    """
    resolved = metric_of(measure, metric)
    value = _mlflow().MetricValue

    def scores(predictions: Any, targets: Any = None, metrics: Any = None) -> Any:
        values = measured(resolved, [measure], list(predictions), list(targets))[measure]
        known = np.array([score for score in values if score is not None])
        together = {}
        if len(known):
            together = {
                "mean": float(known.mean()),
                "variance": float(known.var()),
                "p90": float(np.percentile(known, 90)),
            }
        return value(scores=values, aggregate_results=together)

    return scores


def metric(measure: str = "rouge-2.f1", metric: MetricLike | None = None) -> Any:
    """The measure as MLflow's `make_metric` makes it; dots and hyphens of its name become `_`."""
    resolved = metric_of(measure, metric)
    return _mlflow().make_metric(
        eval_fn=eval_fn(measure, resolved),
        greater_is_better=resolved.direction_of(measure) != "lower",
        name=measure.replace(".", "_").replace("-", "_"),
    )


def _mlflow() -> Any:
    try:
        from mlflow import metrics
    except ImportError as error:
        raise MissingResourceError("MLflow is not installed: pip install mlflow") from error
    return metrics
