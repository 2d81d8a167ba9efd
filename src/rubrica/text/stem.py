"""Snowball stemmers by language."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from rubrica.errors import MissingResourceError, UnknownNameError


@cache
def snowball(language: str) -> Callable[[str], str]:
    """The stemmer of a language by its English name, such as german; it remembers stems."""
    try:
        import snowballstemmer
    except ImportError as error:
        raise MissingResourceError(
            "Snowball stemmers need snowballstemmer: pip install 'rubrica[stemmers]'"
        ) from error
    known = list(snowballstemmer.algorithms())
    if language.lower() not in known:
        raise UnknownNameError("Snowball stemmer", language, known)
    stemmer = snowballstemmer.stemmer(language.lower())
    return cache(stemmer.stemWord)
