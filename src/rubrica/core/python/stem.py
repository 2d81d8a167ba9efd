"""The English stemmers by name: the plain definition of the compiled kernel `stem_words`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rubrica.core.python.porter import (
    porter_1980_stem,
    porter_nltk_stem,
    porter_rouge_stem,
    porter_stem,
)
from rubrica.core.python.porter2 import porter2_nltk_stem, porter2_stem

STEMMERS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "porter-1980": porter_1980_stem,
        "porter": porter_stem,
        "porter-nltk": porter_nltk_stem,
        "porter-rouge": porter_rouge_stem,
        "porter2": porter2_stem,
        "porter2-nltk": porter2_nltk_stem,
    }
)


def stem_words(words: list[str], stemmer: str) -> list[str]:
    """The stems of lower-case words by the stemmer of that name."""
    if stemmer not in STEMMERS:
        raise ValueError(f"no stemmer {stemmer}")
    return list(map(STEMMERS[stemmer], words))
