"""Measures of Rubrica as metrics of lm-evaluation-harness, by name in a task's YAML.

import rubrica.compat.lm_eval                      # registers rubrica/rouge-1.f1, rubrica/chrf, ...

metric_list:
  - metric: rubrica/rouge-l.f1
"""

from __future__ import annotations

from collections.abc import Sequence

from rubrica.compat.callables import Scorer
from rubrica.errors import MissingResourceError
from rubrica.metrics.base.metric_like import MetricLike

try:
    import lm_eval.api.metrics  # noqa: F401 (registers the aggregations)
    from lm_eval.api.registry import register_metric
except ImportError as error:
    raise MissingResourceError("lm-eval is not installed: pip install lm-eval") from error

MEASURES = ("rouge-1.f1", "rouge-2.f1", "rouge-l.f1", "chrf")


def register(measures: Sequence[str], metric: MetricLike | None = None) -> list[str]:
    """Register measures as `rubrica/MEASURE` and return these names; the mean is the task's score."""
    names = []
    for measure in measures:
        scorer = Scorer(measure, metric)
        lower = scorer.metric.direction_of(measure) == "lower"
        name = f"rubrica/{measure}"
        register_metric(metric=name, higher_is_better=not lower, aggregation="mean")(scorer)
        names.append(name)
    return names


register(MEASURES)
