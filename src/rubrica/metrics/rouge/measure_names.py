"""Names of ROUGE measures, as people type them, where a metric is expected: `rougeL` is `rouge` with ROUGE-L."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rubrica.metrics.rouge.profiles import UNNAMED, profile_named

# The measures that people expect of `rouge`, unless a parameter chooses measures.
USUAL: Mapping[str, Any] = {"max_ngram": 2, "compute_rouge_l": True}
# The parameters that choose measures.
MEASURE_PARAMETERS = frozenset(
    (*USUAL, "compute_rouge_lsum", "skip_bigram_gap_length", "wlcs_weight")
)
# Also as other libraries write them: rouge1, rougeL, ROUGE-L, rougeLsum_fmeasure.
_ROUGE = re.compile(
    r"rouge[-_]?(?:(\d+)|(lsum)|l|su(\d+|\*)|w-(\d+(?:\.\d+)?))"
    r"(?:[._-](?:f|f1|fmeasure|recall|precision))?",
    re.IGNORECASE,
)


def rouge_parameters(measure: str, profile: str = UNNAMED) -> dict[str, Any] | None:
    """Return the parameters of `rouge` that compute a measure besides the usual ones; None for other measures."""
    match = _ROUGE.fullmatch(measure)
    if match is None:
        return None
    number, lsum, gap, weight = match.groups()
    parameters: dict[str, Any] = {}
    if int(number or 0) > USUAL["max_ngram"]:
        parameters["max_ngram"] = int(number)
    if lsum and profile_named(profile).rouge_l != "lsum":
        parameters["compute_rouge_lsum"] = True
    if gap:
        parameters["skip_bigram_gap_length"] = -1 if gap == "*" else int(gap)
    if weight:
        parameters["wlcs_weight"] = float(weight)
    return parameters


def rouge_config(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the configuration of `rouge` for one whose type is a measure of it; None for other types."""
    profile = config.get("profile", UNNAMED)
    parameters = rouge_parameters(config["type"], str(profile))
    if parameters is None:
        return None
    return {**USUAL, **parameters, **config, "type": "rouge"}


def joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the configuration that computes the measures of both; None if no single one does."""
    for name in first.keys() | second.keys():
        if name == "max_ngram" and name in first and name in second:
            continue
        optional = name in MEASURE_PARAMETERS and name not in USUAL
        if first.get(name) != second.get(name) and not (
            optional and (name in first) != (name in second)
        ):
            return None
    return {**first, **second, "max_ngram": max(first["max_ngram"], second["max_ngram"])}
