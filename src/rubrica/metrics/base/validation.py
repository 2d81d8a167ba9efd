"""Validate what a metric gets and returns: lists of texts, and scores, or an error that says what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rubrica.data.metrics import DEEPEST, MetricsDict, is_score
from rubrica.errors import MetricFailedError, ParameterError


def check_texts(texts: Any, label: str) -> None:
    """Raise unless `texts` is a list of texts: strings, or lists of sentences."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        kind = "one string" if isinstance(texts, str) else type(texts).__name__
        raise ParameterError(f"{label}: expected a list of texts, found {kind}")
    for text in texts:
        if not isinstance(text, (str, list, tuple)):
            raise ParameterError(
                f"{label}: a text is a string or a list of sentences, not {type(text).__name__}"
            )


def check_context(name: str, texts: Any, label: str) -> None:
    """Raise unless the references or documents are a non-empty list of texts."""
    if isinstance(texts, str):
        singular = name.removesuffix("s")
        raise ParameterError(
            f"{label}: {name} must be a list of texts, found one string; write [{singular}]"
        )
    check_texts(texts, label)
    if not texts:
        raise ParameterError(f"{label}: a summary without {name} cannot be scored")


def checked_scores(scores: Mapping[str, Any], label: str) -> MetricsDict:
    """Return the result of `score_one` after checking that it holds scores."""
    if not isinstance(scores, Mapping) or not scores:
        raise MetricFailedError(f"{label}: score_one returned {scores!r}, not a dict of scores")
    checked = MetricsDict(scores)
    for path, value in checked.leaves():
        try:
            name = ".".join(path)
            name.encode()
        except (TypeError, UnicodeEncodeError) as error:
            raise MetricFailedError(
                f"{label}: score_one returned a score named {path[-1]!r}, which is no text"
            ) from error
        if len(path) > DEEPEST:
            raise MetricFailedError(f"{label}: scores nested more than {DEEPEST} levels deep")
        if not is_score(value):
            raise MetricFailedError(
                f"{label}: the score {name!r} is {value!r:.200}, not a number or None"
            )
    return checked
