"""Comparison of texts regardless of spelling."""

from __future__ import annotations

from rubrica.data.instance import Text


def letters(text: Text) -> str:
    """Return letters and digits only, in lower case, regardless of tokens and sentences."""
    whole = text if isinstance(text, str) else " ".join(text)
    return "".join(letter for letter in whole.lower() if letter.isalnum())
