"""Validate a metric's arguments: lists of texts, or an error that says what to pass instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rubrica.errors import ParameterError


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
