"""Where the tokens that ROUGE compares stand in a text, so that they can be shown there.

The kernels know tokens, not places. Words are found here by the tokenizer's own rule, and each is
handed alone to the engine, which says what becomes of it: a stem, or nothing (a stop word). If the
result is not exactly the tokens that the engine makes of the whole text, the text is shown as those
tokens instead. So what is shown is what was compared, always.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rubrica.core.python.rouge_text import Text
from rubrica.metrics.rouge.matches import text_of
from rubrica.metrics.rouge.scorer import RougeScorer
from rubrica.text.tokenize import fold

_ASCII = re.compile("[A-Za-z0-9]+")
_LOWER = re.compile("[a-z0-9]+")
_FIELDS = re.compile(r"\S+")
_NO_DOTS = re.compile(r"[^\s.]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word at `units[unit][start:end]`; `form` is the token it becomes, None if it is dropped."""

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
    """Reads texts for one engine; remembers what became of each word."""

    def __init__(self, engine: RougeScorer) -> None:
        self.engine = engine
        self._find = _finder(engine.profile.tokens)
        self._forms: dict[str, Sequence[str | None]] = {}

    def read(self, units: Sequence[str], tokens: Text) -> ShownText:
        """The words of a text's lines; `tokens` is what the engine makes of the whole."""
        words = [
            Word(number, start, end, form)
            for number, unit in enumerate(units)
            for start, end, source in self._find(unit)
            for form in self._form(source)
        ]
        # What a limit cuts off is not compared.
        kept, left = [], len(tokens.whole)
        for word in words:
            kept.append(word if left else Word(word.unit, word.start, word.end, None))
            left -= bool(word.form is not None and left)
        once = len({(word.unit, word.start) for word in kept}) == len(kept)
        if once and [word.form for word in kept if word.form is not None] == tokens.whole:
            return ShownText(tuple(units), tuple(kept))
        return _as_tokens(tokens)

    def _form(self, word: str) -> Sequence[str | None]:
        if word not in self._forms:
            self._forms[word] = text_of(self.engine, [word]).whole or [None]
        return self._forms[word]


# What is compared and has no letters: some packages make an empty token of two full stops.
_EMPTY = "∅"


def _as_tokens(tokens: Text) -> ShownText:
    units, words = [], []
    for number, unit in enumerate(tokens.units):
        at, seen = 0, [token or _EMPTY for token in unit]
        for token, letters in zip(unit, seen, strict=True):
            words.append(Word(number, at, at + len(letters), token))
            at += len(letters) + 1
        units.append(" ".join(seen))
    return ShownText(tuple(units), tuple(words), literal=False)


# Finds words in a line: where each starts and ends, and what it is there.
_Finder: TypeAlias = Callable[[str], Iterator[tuple[int, int, str]]]


def _finder(kind: str) -> _Finder:
    if kind in ("lower", "py-rouge"):
        return lambda unit: _in_mapped(unit, list(unit), str.lower, _LOWER)
    if kind in ("words", "characters"):
        return _folded_finder(kind)
    pattern = {"whitespace": _FIELDS, "dots": _NO_DOTS}.get(kind, _ASCII)
    return lambda unit: ((*found.span(), found[0]) for found in pattern.finditer(unit))


def _in_mapped(
    unit: str, pieces: Sequence[str], change: Callable[[str], str], pattern: re.Pattern[str]
) -> Iterator[tuple[int, int, str]]:
    """Matches in the changed text, as places in the text itself, which is cut into `pieces`."""
    places = _places(pieces, change)
    changed = "".join(map(change, pieces))
    for found in pattern.finditer(changed):
        start, end = places[found.start()][0], places[found.end() - 1][1]
        yield start, end, unit[start:end]


def _places(pieces: Sequence[str], change: Callable[[str], str]) -> list[tuple[int, int]]:
    """For each character of the changed text the piece it comes from."""
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
        pieces = [piece for one in grapheme.findall(unit) for piece in _pieces(one)]
        places = _places(pieces, fold)
        folded = "".join(map(fold, pieces))
        found, at = [], 0
        for part in cut.split(folded) if cut is not None else grapheme.findall(folded):
            if any(map(str.isalnum, part)):
                found.append((places[at][0], places[at + len(part) - 1][1], part))
            at += len(part)
        # Thai and Lao am is one letter that folds to two, the second of which is a word of its own:
        # the letter is shown as the later word's, if that leaves something of the earlier one.
        for at, (start, end, part) in enumerate(found):
            later = found[at + 1][0] if at + 1 < len(found) else end
            yield start, min(end, later) if start < later else end, part

    return find


def _pieces(grapheme: str) -> Sequence[str]:
    """The characters of a grapheme, if each folds by itself; otherwise the whole."""
    return grapheme if "".join(map(fold, grapheme)) == fold(grapheme) else [grapheme]
