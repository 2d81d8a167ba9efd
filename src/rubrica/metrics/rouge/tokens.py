"""Tokenizers of the profiles that the compiled kernel does not implement."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from rubrica.core.rouge_words import smart_stopwords, wordnet_exceptions
from rubrica.text.sentences import punkt_tokenizer
from rubrica.text.stem import stem_function
from rubrica.text.tokenize import tokenizer

Units: TypeAlias = list[list[str]]
Splitter: TypeAlias = Callable[[Sequence[str]], Units]

ASCII_WORD = re.compile("[A-Za-z0-9]+")
LOWER_WORD = re.compile("[a-z0-9]+")
# The words that NLTK's tokenizer cuts although they hold letters only; py-rouge mends "cannot".
_NLTK_CUTS = re.compile(r"\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9])")


def split_lines(text: str | Sequence[str]) -> list[str]:
    """Return the units of a text: its lines, or the lines of its sentences."""
    units = [text] if isinstance(text, str) else text
    return [line for unit in units for line in unit.split("\n")]


def plain_sentences(text: str | Sequence[str]) -> list[str]:
    """Return sentences by a plain rule: an end mark, a blank, then a capital or a digit."""
    return [sentence for line in split_lines(text) for sentence in _SENTENCE_END.split(line)]


def punkt_sentences(text: str | Sequence[str]) -> list[str]:
    """Return sentences by NLTK's English "punkt" model, as rouge-score cuts them: across lines."""
    whole = text if isinstance(text, str) else "\n".join(text)
    # A line break inside a sentence would end it in the kernel; a blank does not.
    return [sentence.replace("\n", " ") for sentence in punkt_tokenizer()(whole)]


def splitter(
    kind: str, *, stem: bool, exceptions: bool, stopwords: bool, max_words: int, max_bytes: int
) -> Splitter:
    """Return the function that makes tokens of units, for a profile's `tokens`."""
    if kind == "ascii-given":
        known = wordnet_exceptions() if exceptions else {}
        finish = _finisher(known, stem, stopwords)
        return lambda units: [
            [token for word in ASCII_WORD.findall(unit) if (token := finish(word))]
            for unit in units
        ]
    if kind == "py-rouge":
        known = wordnet_exceptions() if exceptions else {}
        finish = _finisher({**known, **py_rouge_words()}, stem, stopwords=False)
        return lambda units: [
            [finish(word) for word in py_rouge_tokens(unit)]
            for unit in py_rouge_cut(units, max_words, max_bytes)
        ]
    if kind == "whitespace":
        return lambda units: [unit.split() for unit in units]
    if kind == "dots":
        return _dots
    raise AssertionError(f"no splitter for {kind!r}")


def _finisher(known: dict[str, str], stem: bool, stopwords: bool) -> Callable[[str], str]:
    """Return a function that lower-cases, drops stop words (as "") and stems words of more than 3 letters; it remembers stems."""
    stems = dict(known)
    porter = stem_function("porter-1980")
    stop: frozenset[str] = smart_stopwords() if stopwords else frozenset()

    def finish(word: str) -> str:
        word = word.lower()
        if word in stop:
            return ""
        if not stem or len(word) <= 3:
            return word
        if word not in stems:
            stems[word] = porter(word)
        return stems[word]

    return finish


@cache
def py_rouge_words() -> dict[str, str]:
    """Return the 138 words whose stems py-rouge lists because its stemmer misses them."""
    text = files("rubrica.metrics.rouge").joinpath("py_rouge_words.txt").read_text("utf-8")
    return dict(line.split(" ") for line in text.splitlines())


def py_rouge_tokens(unit: str) -> list[str]:
    """Return lower-case words of ASCII letters and digits; splits those that NLTK splits."""
    words = " ".join(LOWER_WORD.findall(unit.lower()))
    return _NLTK_CUTS.sub(lambda cut: " ".join(filter(None, cut.groups())), words).split()


def py_rouge_cut(units: Sequence[str], max_words: int, max_bytes: int) -> Sequence[str]:
    """Truncate like py-rouge: "bytes" are characters, and blanks at the ends of a line are free."""
    limit = max_words or max_bytes
    if not limit:
        return units
    pieces: list[str] = []
    for unit in units:
        parts: Any = unit.split() if max_words else unit.strip()
        join = " ".join if max_words else str
        pieces.append(join(parts[:limit]))
        if len(parts) >= limit:
            break
        limit -= len(parts)
    return pieces


def _dots(units: Sequence[str]) -> Units:
    """Split at every "."; a blank sentence becomes one empty token, which matches others."""
    sentences = [part for part in " ".join(units).split(".") if part]
    return [" ".join(sentence.split()).split(" ") for sentence in sentences]


def own_tokens(name: str | Callable[[str], Any], stemmer: str | None) -> Splitter:
    """Return a splitter for a tokenizer from `rubrica.text`, with a Snowball stemmer if one is named."""
    cut = tokenizer(name)
    if stemmer is None:
        return lambda units: [cut(unit) for unit in units]
    stem = stem_function(stemmer)
    return lambda units: [[stem(token) for token in cut(unit)] for unit in units]
