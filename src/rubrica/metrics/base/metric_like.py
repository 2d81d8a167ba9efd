"""Metrics as people give them in Python: as objects, by name, or as configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric

MetricLike: TypeAlias = Metric | str | Mapping[str, Any]


def resolve_metric(metric: MetricLike) -> Metric:
    """Return a metric as it is, or from its name or configuration; addresses are imported."""
    return metric if isinstance(metric, Metric) else Metric.from_config(metric, allow_import=True)


def resolve_metrics(
    metrics: Sequence[MetricLike], *, named: Callable[[str], str | Mapping[str, Any]] = str
) -> list[Metric]:
    """Return metrics as they are, or from their names and configurations.

    `named` says which configuration a bare name stands for.
    """
    if isinstance(metrics, (Metric, str, Mapping)):
        raise ParameterError(f"metrics must be a list, found one {type(metrics).__name__}")
    configs = (named(one) if isinstance(one, str) else one for one in metrics)
    return [resolve_metric(config) for config in configs]
