"""Which metric gives a measure, told by the measure's name: `chrf`, `rouge-2.f1`, `rouge-l.recall`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import METRICS, Metric

# What people mean by a bare name, where the metric's own defaults are made for another purpose: which
# measures are made. It holds as long as none of the parameters that choose measures is given.
USUAL: Mapping[str, Mapping[str, Any]] = {"rouge": {"max_ngram": 2, "compute_rouge_l": True}}
_CHOOSES_MEASURES = {
    "rouge": {
        "max_ngram",
        "compute_rouge_l",
        "compute_rouge_lsum",
        "skip_bigram_gap_length",
        "wlcs_weight",
    }
}
_ROUGE = re.compile(r"rouge-(?:(\d+)|(l)|su(\d+|\*)|w-([\d.]+))")


def with_usual_measures(name: str, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The configuration of a metric by its name and what was given with it."""
    config = {"type": name, **(given or {})}
    if not _CHOOSES_MEASURES.get(name, set()) & config.keys():
        config |= USUAL.get(name, {})
    return config


def metrics_for(measures: Sequence[str]) -> dict[str, Metric]:
    """Each measure's metric with its defaults; one ROUGE computes all that are asked of it.

    It always has ROUGE-1, 2 and L, so that scores stored for one of these serve the others.
    """
    rouge = with_usual_measures("rouge")
    plain: dict[str, Metric] = {}
    for measure in measures:
        top = measure.partition(".")[0]
        if top in METRICS:
            plain.setdefault(top, Metric.from_config(top))
            continue
        found = _ROUGE.fullmatch(measure.rpartition(".")[0] or measure)
        if found is None:
            raise ParameterError(
                f"no metric is known to give {measure!r}; measures are named as rouge-2.f1 or chrf, "
                "and the metric of another one must be named too"
            )
        number, _, gap, weight = found.groups()
        rouge["max_ngram"] = max(rouge["max_ngram"], int(number or 0))
        if gap:
            rouge["skip_bigram_gap_length"] = -1 if gap == "*" else int(gap)
        if weight:
            rouge["wlcs_weight"] = float(weight)
    shared = Metric.from_config(rouge)
    return {one: plain.get(one.partition(".")[0], shared) for one in measures}
