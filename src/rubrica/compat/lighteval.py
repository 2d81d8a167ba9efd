"""Measures of Rubrica as metrics of lighteval.

from rubrica.compat.lighteval import metric      # in a module of custom tasks

TASKS_TABLE = [LightevalTaskConfig(..., metrics=[metric("rouge-l.f1"), metric("chrf")])]

Importing the module registers ROUGE-1, 2 and L and chrF by name, too: `Metrics["rubrica/rouge-l.f1"]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubrica.compat.callables import Scorer
from rubrica.data.metrics import exact_mean
from rubrica.errors import MissingResourceError
from rubrica.metrics.base.metric_like import MetricLike

try:
    from aenum import extend_enum
    from lighteval.metrics.metrics import Metrics
    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.utils.metric_utils import SampleLevelMetric
    from lighteval.tasks.requests import SamplingMethod
except ImportError as error:
    raise MissingResourceError("lighteval is not installed: pip install lighteval") from error

MEASURES = ("rouge-1.f1", "rouge-2.f1", "rouge-l.f1", "chrf")


class _Computation(SampleLevelComputation):  # type: ignore[misc,unused-ignore]  # untyped where it is not installed
    """Scores the answers to all samples of a task at once."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer

    def compute(self, responses: Sequence[Any], docs: Sequence[Any], **_: Any) -> list[float]:
        """The score of each sample: the mean over its answers, all gold texts being references."""
        answers = [response.final_text for response in responses]
        scores = iter(
            self.scorer.scores(
                [text for texts in answers for text in texts],
                [
                    doc.get_golds()
                    for doc, texts in zip(docs, answers, strict=True)
                    for _text in texts
                ],
            )
        )
        return [exact_mean([next(scores) for _text in texts]) for texts in answers]


def metric(measure: str = "rouge-l.f1", metric: MetricLike | None = None) -> Any:
    """Return a metric for a task of lighteval, named `rubrica/MEASURE`; the mean is the task's score.

    Args:
        measure: The measure, such as `rouge-l.f1`.
        metric: The metric that computes it, where the measure's name does not say so.
    """
    scorer = Scorer(measure, metric)
    return SampleLevelMetric(
        metric_name=f"rubrica/{measure}",
        higher_is_better=scorer.metric.direction_of(measure) != "lower",
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=_Computation(scorer),
        corpus_level_fn=np.mean,
        batched_compute=True,
    )


def register(measures: Sequence[str], by: MetricLike | None = None) -> list[str]:
    """Register measures as `Metrics["rubrica/MEASURE"]` and return these names."""
    names = []
    for measure in measures:
        name = f"rubrica/{measure}"
        if name not in Metrics.__members__:
            extend_enum(Metrics, name, metric(measure, by))
        names.append(name)
    return names


register(MEASURES)
