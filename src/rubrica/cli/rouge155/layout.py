"""`evaluate --format rouge155`: system scores laid out as ROUGE-1.5.5.pl prints them."""

from __future__ import annotations

from collections.abc import Sequence

from rubrica.cli.rouge155.report import average_line
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.rouge.metric import Rouge
from rubrica.scoring.evaluation import Evaluation, SystemScores

_PARTS = {"R": "recall", "P": "precision", "F": "f1"}


def rouge155_layout(evaluation: Evaluation, metrics: Sequence[Metric]) -> str:
    """The systems by name, the measures of `rouge` in the official order and names."""
    rouges = [metric for metric in metrics if isinstance(metric, Rouge)]
    if not rouges:
        raise ParameterError("--format rouge155 shows the metric 'rouge', which was not computed")
    confidence = f"{evaluation.resampling.confidence:g}"
    lines = []
    for name in sorted(evaluation.systems, key=str.encode):
        for metric in rouges:
            lines += _sections(name, evaluation.systems[name], metric, confidence)
    return "\n".join(lines)


def _sections(system: str, scores: SystemScores, metric: Rouge, confidence: str) -> list[str]:
    lines = []
    scale = metric.engine.profile.scale
    prefix = f"{metric.output_key}." if metric.output_key else ""
    for key in metric.keys:
        lines.append("-" * 45)
        for letter, part in _PARTS.items():
            interval = scores.scores[f"{prefix}{key}.{part}"]
            value = interval.value / scale
            # One summary has no interval; the official program then repeats the value.
            bounds = (interval.lower, interval.upper)
            low, high = (value if bound is None else bound / scale for bound in bounds)
            lines.append(average_line(system, key.upper(), letter, confidence, value, low, high))
    return lines
