"""Other names that people type for metrics, data sets and measures.

Names as registered always win. Then case, hyphens, underscores and points do not matter (`BERTScore`, `qaeval`),
and the tables below hold names that are different words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

METRICS = {
    "jensen-shannon": "js",
    "sacrebleu": "bleu",
    "sentence-bleu": "sent-bleu",
    # SacreROUGE's names of metrics in Docker images; ours run without Docker.
    "docker-bartscore": "bartscore",
    "docker-bertscore": "bertscore",
    "docker-bleurt": "bleurt",
    "docker-lite3pyramid": "lite3pyramid",
    "docker-moverscore": "moverscore",
    "docker-qa-eval": "qa-eval",
    "docker-rouge": "rouge",
}
# Names that mean a metric with a parameter, which only the user can choose.
METRIC_HINTS = {
    "chrf+": "it is chrf with the parameter word_order=1",
    "chrf++": "it is chrf with the parameter word_order=2",
    "rouge-n": "name the length: rouge-1, rouge-2, ...",
    "rouge-s": "name the gap: rouge-su4 counts skip bigrams and single words",
    "rouge-su": "name the gap: rouge-su4",
    "rouge-w": "name the weight: rouge-w-1.2",
}
DATASETS = {
    "cnn_dailymail": "cnndm",
    "realsumm": "bhandari2020",
    "summeval": "fabbri2020",
}
# Endings of measures in other libraries.
_F1 = re.compile(r"(?<=[._-])(f|fmeasure|f-measure|f_measure|fscore)$")


def spelling(name: str) -> str:
    """Return the name without case, hyphens, underscores, points and blanks."""
    return re.sub(r"[-_.\s]", "", name.lower())


def find_spelling(name: str, names: Iterable[str]) -> str | None:
    """Return the one of `names` that differs from `name` in spelling only; None if none or several do."""
    key = spelling(name)
    matches = [known for known in names if spelling(known) == key]
    return matches[0] if len(matches) == 1 else None


def without_f1(name: str) -> str:
    """Return the metric that a measure's name begins with: `bertscore_f1` is a measure of `bertscore`."""
    return re.sub(r"[._-]f1$", "", _F1.sub("f1", name.lower()))


def find_measure(name: str, measures: Iterable[str]) -> str | None:
    """Return the measure that `name` means: `rougeL`, `ROUGE-L` and `rouge-l_fmeasure` are `rouge-l.f1`.

    A name without an ending means F1. None if no measure, or more than one, fits.
    """
    known = list(dict.fromkeys(measures))
    if name in known:
        return name
    name = _F1.sub("f1", name.lower())
    return find_spelling(name, known) or find_spelling(f"{name}.f1", known)
