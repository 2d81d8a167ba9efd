"""The metric interface, base classes by input, and base classes of metric families."""

from rubrica.metrics.base.metric import METRICS, Metric

__all__ = ["METRICS", "Metric"]
