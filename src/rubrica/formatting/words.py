"""Counts and lists in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: `1 row`, `1,200 rows`."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def word_list(words: Sequence[str], last: str = "and") -> str:
    """Return words as a sentence has them: `a, b and c`."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else words[0]
