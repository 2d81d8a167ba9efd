"""Whose measure a name in a file of scores is, and so whether its lower values are better."""

from __future__ import annotations

from rubrica.metrics.base import METRICS, Metric

# Measures that stand in a row under a name of their own, as the original programs print them.
_OWN_NAMES = dict.fromkeys(
    ("KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD"), "simetrix"
)


def metric_of(measure: str) -> type[Metric] | None:
    """The registered metric that a measure (dotted name) is named after; None for somebody else's.

    `js-1-divergence` is of `js`, `rouge-we-1.f1` of `rouge-we`, not of `rouge`: the longest name counts.
    """
    parts = [part.removesuffix("_jk") for part in measure.split(".")]
    for part in parts:
        if part in _OWN_NAMES:
            return METRICS.get(_OWN_NAMES[part])
    top = parts[0]
    begins = [
        name for name in METRICS.names() if top == name or top.startswith((f"{name}-", f"{name}_"))
    ]
    return METRICS.get(max(begins, key=len)) if begins else None


def lower_is_better(measure: str) -> bool:
    """Whether the metric that a measure is named after declares it."""
    metric = metric_of(measure)
    if metric is None:
        return False
    names = [measure, measure.rpartition(".")[2]]
    return any(metric.direction_of(name) == "lower" for name in names)
