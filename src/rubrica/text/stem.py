"""Stemmers by name: the English ones that published numbers depend on, and Snowball's other languages.

Four programs that all say "Porter" or "English" stem differently, so a stemmer's name is part of how a
score was made:

- `porter-1980`: the algorithm as printed (py-rouge, SacreROUGE's python-rouge)
- `porter`: Martin Porter's own program (SIMetrix; NLTK's MARTIN_EXTENSIONS)
- `porter-nltk`: NLTK's PorterStemmer as it comes (rouge-score)
- `porter-rouge`: the one inside ROUGE-1.5.5
- `porter2`: Snowball's english up to version 2 (METEOR)
- `porter2-nltk`: NLTK's SnowballStemmer("english") (JS, S3)

Words are given in lower case, as all these programs do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any

from rubrica.core import kernels
from rubrica.core.python.stem import STEMMERS as _PLAIN
from rubrica.errors import MissingResourceError, ParameterError, UnknownNameError

STEMMERS = tuple(_PLAIN)
"""The English stemmers."""

# A text of many words has few distinct ones; this many stems take about 10 MB.
_REMEMBERED = 1 << 16


def stem_words(words: Iterable[str], stemmer: str) -> list[str]:
    """Return the stems of lower-case words, in their order."""
    if stemmer in STEMMERS:
        return kernels.stem_words(list(words), stemmer)
    stems: list[str] = _snowball(stemmer).stemWords(list(words))
    return stems


@cache
def stem_function(stemmer: str) -> Callable[[str], str]:
    """Return the function from a lower-case word to its stem, which remembers the stems of recent words."""
    if stemmer in STEMMERS:

        def stem(word: str) -> str:
            return kernels.stem_words([word], stemmer)[0]
    else:
        stem = _snowball(stemmer).stemWord
    return lru_cache(_REMEMBERED)(stem)


@cache
def _snowball(language: str) -> Any:
    """PyStemmer's stemmer of a language."""
    if language in ("english", "porter"):
        raise ParameterError(
            f"stemmer {language!r} means different things in different programs; "
            f"choose one of {', '.join(STEMMERS)}"
        )
    try:
        import Stemmer
    except ImportError as error:
        if language in _LANGUAGES.split():
            raise MissingResourceError(
                f"the stemmer for {language} needs PyStemmer: pip install 'rubrica[stemmers]'"
            ) from error
        raise UnknownNameError("stemmer", language, [*STEMMERS, *_LANGUAGES.split()]) from error
    known = [name for name in Stemmer.algorithms() if name not in ("english", "porter")]
    if language not in known:
        raise UnknownNameError("stemmer", language, [*STEMMERS, *known])
    return Stemmer.Stemmer(language)


# What every PyStemmer has, to tell a missing package from a mistyped name.
_LANGUAGES = """
    arabic basque catalan danish dutch finnish french german greek hindi hungarian indonesian
    irish italian lithuanian nepali norwegian portuguese romanian russian serbian spanish swedish tamil
    turkish yiddish
"""
