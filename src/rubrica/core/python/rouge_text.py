"""Preprocessing of texts for ROUGE: length limits, tokens, stop words, stems.

ROUGE-1.5.5 works on bytes. It cuts every text twice by two procedures that do not agree: n-grams
and skip-bigrams see the *whole* text, the common subsequences see its *units* (sentences, lines).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property

from rubrica.core.python.stem import STEMMERS
from rubrica.core.rouge_options import RougeOptions
from rubrica.core.rouge_words import smart_stopwords, wordnet_exceptions

_TOKEN = re.compile(rb"[a-z0-9]+")
_BLANKS = re.compile(rb"[ \t\n\v\f\r]+")


class Text:
    """Tokens of one text, with lazily computed n-gram counts."""

    def __init__(self, whole: list[str], units: list[list[str]]) -> None:
        self.whole, self.units = whole, units
        self._grams: dict[int, Counter[tuple[str, ...]]] = {}
        self._skips: dict[tuple[int | None, bool], Counter[tuple[str, ...]]] = {}

    @cached_property
    def unigrams(self) -> Counter[str]:
        """How often each token occurs in the whole text."""
        return Counter(self.whole)

    def ngrams(self, n: int) -> Counter[tuple[str, ...]]:
        """All runs of n tokens; they cross the borders of units."""
        if n not in self._grams:
            self._grams[n] = Counter(zip(*(self.whole[k:] for k in range(n)), strict=False))
        return self._grams[n]

    def skip_bigrams(self, gap: int | None, unigrams: bool) -> Counter[tuple[str, ...]]:
        """Ordered pairs of tokens with at most `gap` others between them (None: any number)."""
        if (gap, unigrams) not in self._skips:
            tokens, counts = self.whole, Counter[tuple[str, ...]]()
            for i, first in enumerate(tokens):
                end = len(tokens) if gap is None else i + gap + 2
                counts.update((first, second) for second in tokens[i + 1 : end])
            if unigrams:
                # ROUGE-1.5.5 never counts the last token as a unigram.
                counts.update((token,) for token in tokens[:-1])
            self._skips[gap, unigrams] = counts
        return self._skips[gap, unigrams]


def reader(options: RougeOptions) -> Callable[[object], Text]:
    """Return a function that turns an input into a `Text` by these options; it caches stems."""
    normalise = _normaliser(options)

    def tokens(piece: bytes) -> list[str]:
        normalised = (normalise(token.decode("ascii")) for token in _TOKEN.findall(piece))
        return [token for token in normalised if token]

    def read(text: object) -> Text:
        if options.tokenizer == "given":
            text_units = [list(unit) for unit in text]  # type: ignore[attr-defined]
            return Text([token for unit in text_units for token in unit], text_units)
        pieces = _split(text, options)
        whole, units = cut(pieces, options)
        by_unit = [tokens(unit) for unit in units]
        # Without a byte limit both cuts hold the same words; tokens never cross a border of units.
        source = by_unit if whole is units else [tokens(piece) for piece in whole]
        return Text([token for unit in source for token in unit], by_unit)

    return read


def _normaliser(options: RougeOptions) -> Callable[[str], str]:
    """Return a function from a token to its final form, "" if the token is dropped."""
    stop: frozenset[str] = smart_stopwords() if options.stopwords else frozenset()
    # An exception's value is final: accompanied -> accompany, while accompany -> accompani.
    forms: dict[str, str] = {}
    if options.stemmer == "porter-rouge" and options.exceptions:
        forms.update(wordnet_exceptions())
    stem = STEMMERS.get(options.stemmer, str)

    def normalise(token: str) -> str:
        if token in stop:
            return ""
        if len(token) <= 3:  # every ROUGE stems only words of more than 3 letters
            return token
        if token not in forms:
            forms[token] = stem(token)
        return forms[token]

    return normalise


def _split(text: object, options: RougeOptions) -> list[bytes]:
    """Lower-cased units as bytes. Surrogates count as the 3 bytes they would take."""
    units: Sequence[str]
    if not isinstance(text, str):
        units = text  # type: ignore[assignment]
    elif options.newline_units:
        units = text.split("\n")
    else:
        units = [text]
    if options.tokenizer == "lower":
        units = [unit.lower() for unit in units]
    return [unit.encode("utf-8", "surrogatepass").lower() for unit in units]


def cut(units: list[bytes], options: RougeOptions) -> tuple[list[bytes], list[bytes]]:
    """Return the pieces of the whole text, and the units, after the length limit (if any)."""
    if options.max_words:
        limited = _take(units, options.max_words, lambda u: len(_fields(u)), _first_words)
        return limited, limited
    if options.max_bytes:
        whole = _take(units, options.max_bytes, len, _first_bytes)
        # For units ROUGE-1.5.5 never advances its count of bytes: every unit may be this long.
        return whole, _take(units, options.max_bytes, len, _first_bytes, advance=False)
    return units, units


def _take(
    units: list[bytes],
    limit: int,
    size: Callable[[bytes], int],
    first: Callable[[bytes, int], bytes],
    *,
    advance: bool = True,
) -> list[bytes]:
    taken: list[bytes] = []
    used = 0
    for unit in units:
        if used + size(unit) >= limit:
            taken.append(first(unit, limit - used))
            break
        taken.append(unit)
        used += size(unit) if advance else 0
    return taken


def _first_bytes(unit: bytes, count: int) -> bytes:
    return unit[:count]


def _first_words(unit: bytes, count: int) -> bytes:
    return b" ".join(_fields(unit)[:count])


def _fields(unit: bytes) -> list[bytes]:
    """Words as Perl's split sees them: a leading blank makes one empty word, which counts."""
    fields = _BLANKS.split(unit)
    while fields and not fields[-1]:
        fields.pop()
    return fields
