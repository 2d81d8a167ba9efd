"""The metric that computes a measure, from the measure's name: `chrf`, `rouge-2.f1`, `rougeL`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.metrics.rouge import measure_names
from rubrica.metrics.rouge.measure_names import rouge_parameters
from rubrica.metrics.rouge.metric import Rouge

# The measures that people expect of a bare name, where the metric's own defaults serve another purpose. They
# apply unless a parameter chooses measures.
USUAL: Mapping[str, Mapping[str, Any]] = {"rouge": measure_names.USUAL}
_CHOOSES_MEASURES = {
    "rouge": {
        "max_ngram",
        "compute_rouge_l",
        "compute_rouge_lsum",
        "skip_bigram_gap_length",
        "wlcs_weight",
    }
}
_LSUM = re.compile(r"^rouge[-_]?lsum", re.IGNORECASE)


def with_usual_measures(name: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the configuration of a metric with these parameters, or else with its usual measures."""
    name = METRICS.resolve(name)
    config = {"type": name, **(parameters or {})}
    if not _CHOOSES_MEASURES.get(name, set()) & config.keys():
        config |= USUAL.get(name, {})
    return config


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
                f"no metric is known to give {measure!r}; measures are named as rouge-2.f1 or chrf, "
                "and the metric of another one must be named too"
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
