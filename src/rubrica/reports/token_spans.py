"""Positions in a text of the tokens that ROUGE compares, so that a page can highlight them.

The kernels know tokens, not positions. This module finds words by the tokenizer's own rule and asks
the engine for the token of each: a stem, or nothing for a stop word. If these are not exactly the
tokens of the whole text, the page shows the tokens instead of the text. It always shows what was
compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rubrica.core.python.rouge_text import Text
from rubrica.metrics.rouge.scorer import RougeScorer
from rubrica.text.tokenize import fold

_ASCII = re.compile("[A-Za-z0-9]+")
_LOWER = re.compile("[a-z0-9]+")
_FIELDS = re.compile(r"\S+")
_NO_DOTS = re.compile(r"[^\s.]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word at `units[unit][start:end]`; `form` is its token, None if the word is dropped."""

    unit: int
    start: int
    end: int
    form: str | None


@dataclass(frozen=True, slots=True)
class ShownText:
    """Lines to show and the words in them; the forms that are not None are the tokens, in order.

    `literal` is false where the tokens themselves are shown in place of the text.
    """

    units: tuple[str, ...]
    words: tuple[Word, ...]
    literal: bool = True


class TextReader:
    """Reads texts for one engine and remembers the tokens of each word."""

    def __init__(self, engine: RougeScorer) -> None:
        self.engine = engine
        self._find = _finder(engine.profile.tokens)
        self._forms: dict[str, Sequence[str | None]] = {}

    def read(self, units: Sequence[str], tokens: Text) -> ShownText:
        """Return the words of a text's lines; `tokens` are the engine's tokens of the whole text."""
        words = [
            Word(number, start, end, form)
            for number, unit in enumerate(units)
            for start, end, source in self._find(unit)
            for form in self._form(source)
        ]
        # Words beyond a length limit are not compared.
        compared, remaining = [], len(tokens.whole)
        for word in words:
            compared.append(word if remaining else Word(word.unit, word.start, word.end, None))
            remaining -= bool(word.form is not None and remaining)
        is_unique = len({(word.unit, word.start) for word in compared}) == len(compared)
        if is_unique and [word.form for word in compared if word.form is not None] == tokens.whole:
            return ShownText(tuple(units), tuple(compared))
        return _as_tokens(tokens)

    def _form(self, word: str) -> Sequence[str | None]:
        if word not in self._forms:
            self._forms[word] = self.engine.tokens_of([word]).whole or [None]
        return self._forms[word]


# Shown for an empty token: some packages make one of two full stops.
_EMPTY = "∅"


def _as_tokens(tokens: Text) -> ShownText:
    units, words = [], []
    for number, unit in enumerate(tokens.units):
        at, shown = 0, [token or _EMPTY for token in unit]
        for token, letters in zip(unit, shown, strict=True):
            words.append(Word(number, at, at + len(letters), token))
            at += len(letters) + 1
        units.append(" ".join(shown))
    return ShownText(tuple(units), tuple(words), literal=False)


# Yields the start, end and text of each word in a line.
_Finder: TypeAlias = Callable[[str], Iterator[tuple[int, int, str]]]


def _finder(kind: str) -> _Finder:
    if kind in ("lower", "py-rouge"):
        return lambda unit: _in_mapped(unit, list(unit), str.lower, _LOWER)
    if kind in ("words", "characters"):
        return _folded_finder(kind)
    pattern = {"whitespace": _FIELDS, "dots": _NO_DOTS}.get(kind, _ASCII)
    return lambda unit: ((*match.span(), match[0]) for match in pattern.finditer(unit))


def _in_mapped(
    unit: str, pieces: Sequence[str], change: Callable[[str], str], pattern: re.Pattern[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield matches in the mapped text as positions in the original, which is cut into `pieces`."""
    places = _places(pieces, change)
    mapped = "".join(map(change, pieces))
    for match in pattern.finditer(mapped):
        start, end = places[match.start()][0], places[match.end() - 1][1]
        yield start, end, unit[start:end]


def _places(pieces: Sequence[str], change: Callable[[str], str]) -> list[tuple[int, int]]:
    """Return the span of the piece that each character of the mapped text comes from."""
    places, at = [], 0
    for piece in pieces:
        places += [(at, at + len(piece))] * len(change(piece))
        at += len(piece)
    return places


def _folded_finder(kind: str) -> _Finder:
    import regex

    grapheme = regex.compile(r"\X")
    cut = regex.compile(r"(?V1w)\b") if kind == "words" else None

    def find(unit: str) -> Iterator[tuple[int, int, str]]:
        pieces = [piece for cluster in grapheme.findall(unit) for piece in _pieces(cluster)]
        places = _places(pieces, fold)
        folded = "".join(map(fold, pieces))
        words, at = [], 0
        for part in cut.split(folded) if cut is not None else grapheme.findall(folded):
            if any(map(str.isalnum, part)):
                words.append((places[at][0], places[at + len(part) - 1][1], part))
            at += len(part)
        # Thai and Lao am is one letter that folds to two, and the second is a word of its own. Show
        # the letter as part of the later word, unless the earlier word has no other letters.
        for at, (start, end, part) in enumerate(words):
            later = words[at + 1][0] if at + 1 < len(words) else end
            yield start, min(end, later) if start < later else end, part

    return find


def _pieces(grapheme: str) -> Sequence[str]:
    """Return the characters of a grapheme if each folds by itself, else the whole grapheme."""
    return grapheme if "".join(map(fold, grapheme)) == fold(grapheme) else [grapheme]
