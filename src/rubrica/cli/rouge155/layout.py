"""An evaluation in the layout of ROUGE-1.5.5, for `--format rouge155`."""

from __future__ import annotations

from rubrica.cli.rouge155.report import average_line
from rubrica.errors import ParameterError
from rubrica.evaluation import Evaluation
from rubrica.metrics.base import Metric
from rubrica.metrics.intervals import Interval
from rubrica.metrics.rouge.metric import Rouge

_LETTERS = {"recall": "R", "precision": "P", "f1": "F"}


def rouge155_layout(evaluation: Evaluation, metrics: list[Metric]) -> str:
    """Sections of every system and ROUGE measure; other metrics have no place in this layout."""
    if not all(isinstance(metric, Rouge) for metric in metrics):
        raise ParameterError("--format rouge155 shows only the metric rouge")
    scales = [metric.engine.profile.scale for metric in metrics if isinstance(metric, Rouge)]
    confidence = f"{evaluation.resampling.confidence:g}"
    lines = []
    for system, scores in evaluation.systems.items():
        for measure in dict.fromkeys(name.rpartition(".")[0] for name in scores.scores):
            lines.append("-" * 45)
            for part, letter in _LETTERS.items():
                interval = scores.scores[f"{measure}.{part}"]
                shown = [value / scales[0] for value in _bounds(interval)]
                lines.append(average_line(system, measure.upper(), letter, confidence, *shown))
    return "\n".join(lines)


def _bounds(interval: Interval) -> tuple[float, float, float]:
    """Average, lower and upper bound; of one summary all three are the same."""
    lower = interval.value if interval.lower is None else interval.lower
    upper = interval.value if interval.upper is None else interval.upper
    return interval.value, lower, upper
