"""The two word lists of ROUGE-1.5.5: WordNet's irregular forms and SMART's common words."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def _lines(name: str) -> list[str]:
    return files("rubrica.core").joinpath("data", name).read_text("utf-8").splitlines()


@cache
def wordnet_exceptions() -> dict[str, str]:
    """Irregular form -> base form (5,930); the base form is final, ROUGE does not stem it again."""
    return dict(line.split(" ") for line in _lines("wordnet_exceptions.txt"))


@cache
def smart_stopwords() -> frozenset[str]:
    """The common words that `-s` drops, compared before stemming."""
    return frozenset(_lines("smart_stopwords.txt"))
