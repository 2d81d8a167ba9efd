"""What the find box searches names and texts for: a phrase, or a regular expression; case never matters.

Texts are searched in blocks of bytes. In a block of ASCII, a phrase is found without looking at each text, and a
pattern is tried only on texts that have the plain part that every match needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import contains, eq
from time import monotonic
from typing import Any, Protocol, TypeAlias

import numpy as np
import regex
from numpy.typing import NDArray

from rubrica.errors import UsageError

Mask: TypeAlias = NDArray[np.bool_]
# A pattern that backtracks without end is given up.
_SECONDS = 10.0
_LONG = 100_000


class Finder(Protocol):
    """Finds something in texts; `plain` is in lower case in every text that it finds."""

    plain: str
    is_plain: bool

    def in_each(self, texts: Sequence[str]) -> Mask:
        """Return for each text in lower case whether it fits."""

    def in_text(self, text: str) -> bool:
        """Return whether a text fits."""


class Phrase:
    """A phrase in lower case, or with `whole` a whole text."""

    is_plain = True

    def __init__(self, text: str, *, whole: bool = False) -> None:
        self.plain, self._test = text.lower(), eq if whole else contains

    def in_each(self, texts: Sequence[str]) -> Mask:
        """Return for each text in lower case whether it fits."""
        return _mask(map(self._test, texts, repeat(self.plain)), len(texts))

    def in_text(self, text: str) -> bool:
        """Return whether a text fits."""
        return bool(self._test(text.lower(), self.plain))


class Pattern:
    """A regular expression, for one search of some seconds.

    Raises:
        UsageError: It is not one.
    """

    is_plain = False

    def __init__(self, source: str) -> None:
        try:
            self._pattern: Any = regex.compile(source, regex.IGNORECASE)
        except (regex.error, RecursionError) as error:
            raise UsageError(f"not a regular expression: /{source}/ ({error})") from error
        self.plain, self._source = required_text(source).lower(), source
        # When the search is given up, once it has begun.
        self._end: float | None = None

    def in_each(self, texts: Sequence[str]) -> Mask:
        """Return for each text whether it fits."""
        return _mask(map(self.in_text, texts), len(texts))

    def in_text(self, text: str) -> bool:
        """Return whether a text fits.

        Raises:
            UsageError: The search takes too long.
        """
        try:
            # Other threads may go on while a long text is searched.
            match = self._pattern.search(
                text, timeout=self._seconds_left(), concurrent=len(text) > _LONG
            )
        except TimeoutError as error:
            raise UsageError(f"/{self._source}/ takes too long; write a simpler pattern") from error
        except MemoryError as error:
            raise UsageError(f"no memory holds the regular expression /{self._source}/") from error
        return match is not None

    def _seconds_left(self) -> float:
        now = monotonic()
        if self._end is None:
            self._end = now + _SECONDS
        if now >= self._end:
            raise TimeoutError
        return self._end - now


def finder(value: str) -> Finder:
    """Return what finds a value of a query: `/pattern/`, `"two words"` or a word.

    Raises:
        UsageError: It is a pattern that is not a regular expression.
    """
    if len(value) > 2 and value[0] == value[-1] == "/":
        return Pattern(value[1:-1])
    return Phrase(unquoted(value))


def unquoted(value: str) -> str:
    """Return a value without its quotation marks."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


def required_text(pattern: str) -> str:
    """Return the longest plain text that each match of a pattern has; empty where that is not certain."""
    # Only escapes of one character: \x41 and \p{L} have more.
    rest = re.sub(r"\\[bBdDsSwW]|\\[^\w\s]", ".", pattern)
    rest = re.sub(r"\[[^\[\]]+\]", ".", rest)
    if re.search(r"[\[\]{}\\]|\(\?", rest):
        return ""
    groups = 1
    while groups:
        rest, groups = re.subn(r"\([^()]*\)", ".", rest)
    if re.search(r"[()|]", rest):
        return ""
    rest = re.sub(r".[*+?]+", ".", rest, flags=re.DOTALL)
    return max(re.split(r"[.^$]", rest), key=len)


def holding(block: bytes, phrase: bytes, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the texts in a block that hold a phrase; `starts` is where each begins."""
    matches = re.finditer(re.escape(phrase), block)
    places = np.fromiter((match.start() for match in matches), np.int64)
    return np.unique(np.searchsorted(starts, places, side="right") - 1)


def _mask(values: Iterable[bool], count: int) -> Mask:
    return np.fromiter(values, np.bool_, count)
