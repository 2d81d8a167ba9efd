"""What metrics are built from: the interface, base classes by input, and what families of metrics share."""

from rubrica.metrics.base.metric import METRICS, Metric

__all__ = ["METRICS", "Metric"]
