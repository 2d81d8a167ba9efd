"""`evaluate --format rouge155`: system scores laid out as ROUGE-1.5.5.pl prints them."""

from __future__ import annotations

from collections.abc import Sequence

from rubrica.errors import ParameterError
from rubrica.evaluation import Evaluation, SystemScores
from rubrica.metrics.base import Metric
from rubrica.metrics.rouge.metric import Rouge

_PARTS = {"R": "recall", "P": "precision", "F": "f1"}


def rouge_layout(evaluation: Evaluation, metrics: Sequence[Metric]) -> str:
    """The systems by name, the measures of `rouge` in the official order and names."""
    rouges = [metric for metric in metrics if isinstance(metric, Rouge)]
    if not rouges:
        raise ParameterError("--format rouge155 shows the metric 'rouge', which was not computed")
    lines = []
    for name in sorted(evaluation.systems, key=str.encode):
        for metric in rouges:
            lines += _sections(name, evaluation.systems[name], metric, evaluation)
    return "\n".join(lines)


def _sections(
    system: str, scores: SystemScores, metric: Rouge, evaluation: Evaluation
) -> list[str]:
    lines = []
    scale = metric.engine.profile.scale
    for key in metric.keys:
        lines.append("-" * 45)
        for letter, part in _PARTS.items():
            interval = scores.scores[f"{key}.{part}"]
            bounds = (interval.lower, interval.upper)
            # One summary has no interval; the official program then repeats the value.
            low, high = (interval.value if bound is None else bound for bound in bounds)
            lines.append(
                f"{system} {key.upper()} Average_{letter}: {interval.value / scale:.5f} "
                f"({evaluation.resampling.confidence:g}%-conf.int. "
                f"{low / scale:.5f} - {high / scale:.5f})"
            )
    return lines
