"""The metric that computes a measure, from the measure's name: `chrf`, `rouge-2.f1`, `rougeL`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.metrics.base.metric_like import with_usual_measures
from rubrica.metrics.rouge.measure_names import rouge_parameters
from rubrica.metrics.rouge.metric import Rouge

_LSUM = re.compile(r"^rouge[-_]?lsum", re.IGNORECASE)


def rename_lsum(measure: str, metrics: Iterable[Metric]) -> str:
    """Return rougeLsum as `rouge-l` where the metrics compute ROUGE-L over sentences, as ROUGE-1.5.5 does."""
    profiles = [metric.engine.profile for metric in metrics if isinstance(metric, Rouge)]
    if profiles and all(profile.rouge_l == "lsum" for profile in profiles):
        return _LSUM.sub("rouge-l", measure)
    return measure


def metrics_for(measures: Sequence[str]) -> dict[str, Metric]:
    """Return each measure's metric with its defaults; one ROUGE computes all ROUGE measures.

    It always has ROUGE-1, 2 and L, so that scores stored for one of these serve the others. The order is that
    of `measures`; rougeLsum gets the name that it has there, rouge-l.
    """
    rouge = with_usual_measures("rouge")
    plain: dict[str, Metric] = {}
    by_measure: dict[str, Metric | None] = {}
    for measure in measures:
        name = _metric_name(measure)
        if name is not None:
            by_measure[measure] = plain.setdefault(name, Metric.from_config(name))
            continue
        parameters = rouge_parameters(measure)
        if parameters is None:
            raise ParameterError(
                f"no metric computes {measure!r}; write a measure such as rouge-2.f1 or chrf, or also name "
                "the metric that computes it"
            )
        by_measure[measure] = None
        parameters["max_ngram"] = max(rouge["max_ngram"], parameters.get("max_ngram", 0))
        rouge |= parameters
    shared = Metric.from_config(rouge)
    return {
        rename_lsum(measure, [metric or shared]): metric or shared
        for measure, metric in by_measure.items()
    }


def _metric_name(measure: str) -> str | None:
    """Return the metric whose name a measure begins with: `bertscore` of `bertscore.f1` or `bertscore_f1`."""
    for name in (measure.partition(".")[0], measure.rpartition("_")[0]):
        if name and name in METRICS:
            return METRICS.resolve(name)
    return None
