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

from rubrica.core.rouge_text_py import Text
from rubrica.metrics.rouge.engine import Engine
from rubrica.metrics.rouge.matches import text_of
from rubrica.text.tokenize import fold

_ASCII = re.compile("[A-Za-z0-9]+")
_LOWER = re.compile("[a-z0-9]+")
_FIELDS = re.compile(r"\S+")
_NO_DOTS = re.compile(r"[^\s.]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word at `units[unit][start:end]`; `form` is the token it becomes, "" if it is dropped."""

    unit: int
    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class ShownText:
    """Lines to show and the words in them; the forms that are not "" are the tokens, in order.

    `literal` is false where the tokens themselves are shown in place of the text.
    """

    units: tuple[str, ...]
    words: tuple[Word, ...]
    literal: bool = True


class TextReader:
    """Reads texts for one engine; remembers what became of each word."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._find = _finder(engine.profile.tokens)
        self._forms: dict[str, list[str]] = {}

    def read(self, units: Sequence[str], tokens: Text) -> ShownText:
        """The words of a text's lines; `tokens` is what the engine makes of the whole."""
        words = [
            Word(number, start, end, form)
            for number, unit in enumerate(units)
            for start, end in self._find(unit)
            for form in self._form(unit[start:end])
        ]
        # What a limit cuts off is not compared.
        kept, left = [], len(tokens.whole)
        for word in words:
            kept.append(word if left else Word(word.unit, word.start, word.end, ""))
            left -= bool(word.form and left)
        once = len({(word.unit, word.start) for word in kept}) == len(kept)
        if once and [word.form for word in kept if word.form] == tokens.whole:
            return ShownText(tuple(units), tuple(kept))
        return _as_tokens(tokens)

    def _form(self, word: str) -> list[str]:
        if word not in self._forms:
            self._forms[word] = text_of(self.engine, [word]).whole or [""]
        return self._forms[word]


def _as_tokens(tokens: Text) -> ShownText:
    units, words = [], []
    for number, unit in enumerate(tokens.units):
        at = 0
        for token in unit:
            words.append(Word(number, at, at + len(token), token))
            at += len(token) + 1
        units.append(" ".join(unit))
    return ShownText(tuple(units), tuple(words), literal=False)


def _finder(kind: str) -> Callable[[str], Iterator[tuple[int, int]]]:
    if kind in ("lower", "py-rouge"):
        return lambda unit: _in_mapped(unit, list(unit), str.lower, _LOWER)
    if kind in ("words", "characters"):
        return _folded_finder(kind)
    pattern = {"whitespace": _FIELDS, "dots": _NO_DOTS}.get(kind, _ASCII)
    return lambda unit: (found.span() for found in pattern.finditer(unit))


def _in_mapped(
    unit: str, pieces: Sequence[str], change: Callable[[str], str], pattern: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    """Matches in the changed text, as places in the text itself, which is cut into `pieces`."""
    places = _places(pieces, change)
    changed = "".join(map(change, pieces))
    for found in pattern.finditer(changed):
        start, end = found.span()
        yield places[start][0], places[end - 1][1]


def _places(pieces: Sequence[str], change: Callable[[str], str]) -> list[tuple[int, int]]:
    """For each character of the changed text the piece it comes from."""
    places, at = [], 0
    for piece in pieces:
        places += [(at, at + len(piece))] * len(change(piece))
        at += len(piece)
    return places


def _folded_finder(kind: str) -> Callable[[str], Iterator[tuple[int, int]]]:
    import regex

    grapheme = regex.compile(r"\X")
    cut = regex.compile(r"(?V1w)\b") if kind == "words" else None

    def find(unit: str) -> Iterator[tuple[int, int]]:
        pieces = grapheme.findall(unit)
        places = _places(pieces, fold)
        folded = "".join(map(fold, pieces))
        at = 0
        for part in cut.split(folded) if cut is not None else grapheme.findall(folded):
            if any(map(str.isalnum, part)):
                yield places[at][0], places[at + len(part) - 1][1]
            at += len(part)

    return find
