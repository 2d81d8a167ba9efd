"""The two word lists of ROUGE-1.5.5: WordNet's irregular forms and SMART's common words."""

from __future__ import annotations

from functools import cache
from pathlib import Path


def _lines(name: str) -> list[str]:
    return Path(__file__).with_name("data").joinpath(name).read_text("utf-8").splitlines()


@cache
def wordnet_exceptions() -> dict[str, str]:
    """Irregular form -> base form (5,930); the base form is final, ROUGE does not stem it again."""
    return dict(line.split(" ") for line in _lines("wordnet_exceptions.txt"))


@cache
def smart_stopwords() -> frozenset[str]:
    """The common words that `-s` drops, compared before stemming."""
    return frozenset(_lines("smart_stopwords.txt"))
