"""Metrics as people give them in Python: as objects, by name, or as configurations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from rubrica.metrics.base.metric import METRICS, Metric, measure_as_metric

MetricLike: TypeAlias = Metric | str | Mapping[str, Any]


def resolve_metric(metric: MetricLike) -> Metric:
    """Return a metric as it is, or from its name or configuration; addresses are imported."""
    return metric if isinstance(metric, Metric) else Metric.from_config(metric, allow_import=True)


def with_usual_measures(name: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the configuration of a metric with these parameters, or else with its usual measures."""
    name = METRICS.resolve(name)
    config = {"type": name, **(parameters or {})}
    if name in METRICS:
        cls = METRICS.load(name)
        if not cls.measure_parameters & config.keys():
            config |= cls.usual_parameters
    return config


def resolve_metrics(
    metrics: MetricLike | Sequence[MetricLike], *, like: str | None = None
) -> list[Metric]:
    """Return metrics as they are, or from their names and configurations.

    A bare name stands for the metric's usual measures; several measures of ROUGE (`rouge1`, `rouge-su4`) are one metric.
    `like` says whose defaults names and configurations have.
    """
    if isinstance(metrics, (Metric, str, Mapping)):
        metrics = [metrics]
    chosen: list[Metric | dict[str, Any]] = []
    for metric in metrics:
        if isinstance(metric, str) and like is None:
            add_config(chosen, with_usual_measures(metric))
        elif isinstance(metric, Metric):
            chosen.append(metric)
        else:
            chosen.append(resolve_metric(with_like(metric, like)))
    return [resolve_metric(metric) for metric in chosen]


def add_config(chosen: list[Any], config: dict[str, Any]) -> None:
    """Append a configuration. A repeated one is left out, and measures of ROUGE join one that can compute them, too."""
    measure = measure_as_metric(config)
    if measure in chosen:
        return
    is_usual = config.get("type") == "rouge" and config == with_usual_measures("rouge")
    if measure is not config or is_usual:
        from rubrica.metrics.rouge.measure_names import joined

        for at, other in enumerate(chosen):
            both = joined(other, measure) if isinstance(other, dict) else None
            if both is not None:
                chosen[at] = both
                return
    chosen.append(measure)


def with_like(config: str | Mapping[str, Any], like: str | None) -> str | Mapping[str, Any]:
    """Return a name or configuration with the defaults of `like`."""
    if like is None:
        return config
    values = {"type": config} if isinstance(config, str) else config
    return {"like": like, **values}


def required_fields(metrics: Iterable[Metric]) -> set[str]:
    """Return the fields that metrics need: the summary, and what they compare it with."""
    return {name for metric in metrics for name in metric.field_names}


def usage_notes(metrics: Iterable[Metric]) -> list[str]:
    """Return what the scores of a table took: a line for each metric that asked a model."""
    return [line for metric in metrics if (line := metric.usage_note())]
