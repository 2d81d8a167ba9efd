"""Tokens of a text by a row of choices, also by combinations that no package has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from rubrica.core.python.rouge_text import Text as Tokens
from rubrica.core.python.rouge_text import cut as official_cut
from rubrica.core.rouge_options import RougeOptions
from rubrica.core.rouge_words import smart_stopwords, wordnet_exceptions
from rubrica.data.instance import Text
from rubrica.metrics.rouge.non_ascii import fallback_splitter
from rubrica.metrics.rouge.presets import Choices
from rubrica.metrics.rouge.tokens import (
    ASCII_WORD,
    LOWER_WORD,
    plain_sentences,
    py_rouge_cut,
    py_rouge_tokens,
    py_rouge_words,
    split_lines,
)
from rubrica.text.stem import stem_function
from rubrica.text.tokenize import tokenizer


def reader_of(choices: Choices) -> Callable[[Text], Tokens]:
    """Return the function that tokenizes a text and its sentences.

    These are the same words but with a limit of bytes, by which ROUGE-1.5.5 cuts each sentence alone.
    """
    words, finish = _cutter(choices.tokens), _finisher(choices)
    options = RougeOptions(max_words=choices.words or None, max_bytes=choices.bytes or None)

    def tokens(piece: str) -> list[str]:
        return [form for token in words(piece) if (form := finish(token)) is not None]

    def read(text: Text) -> Tokens:
        pieces = _sentences(choices.sentences, text)
        if choices.limit:
            pieces = list(py_rouge_cut(pieces, 0, choices.limit))
        whole = pieces
        if choices.words or choices.bytes:
            encoded = [piece.encode("utf-8", "surrogatepass") for piece in pieces]
            # A truncated character leaves nothing that belongs to a word.
            whole, pieces = (
                [piece.decode("utf-8", "replace") for piece in side]
                for side in official_cut(encoded, options)
            )
        units = [tokens(piece) for piece in pieces]
        source = units if whole == pieces else [tokens(piece) for piece in whole]
        return Tokens([token for unit in source for token in unit], units)

    return read


def fallback_reader(choices: Choices) -> Callable[[Text], Tokens]:
    """Return a reader for texts of which the choices' own tokenizer would drop most."""
    split = fallback_splitter(choices.fallback, choices.words, choices.bytes)

    def read(text: Text) -> Tokens:
        units = split(_sentences(choices.sentences, text))
        return Tokens([token for unit in units for token in unit], units)

    return read


def _sentences(kind: str, text: Text) -> list[str]:
    lines = split_lines(text)
    if kind == "text":
        return ["\n".join(lines)]
    if kind == "rule":
        return plain_sentences(text)
    if kind == "dots":
        return [part for part in " ".join(lines).split(".") if part]
    if kind == "eos":
        return [part for line in lines for part in line.split(" . ")]
    return lines


def _cutter(kind: str) -> Callable[[str], list[str]]:
    if kind in ("words", "characters"):
        return tokenizer(kind)
    cutters: dict[str, Callable[[str], list[str]]] = {
        "ascii": lambda unit: [word.lower() for word in ASCII_WORD.findall(unit)],
        "lower": lambda unit: LOWER_WORD.findall(unit.lower()),
        "py-rouge": py_rouge_tokens,
        "whitespace": str.split,
        "blanks": lambda unit: " ".join(unit.split()).split(" "),
    }
    return cutters[kind]


def _finisher(choices: Choices) -> Callable[[str], str | None]:
    """Return the function from a token to its form, or None for a stop word."""
    stop = smart_stopwords() if choices.stopwords else frozenset()
    stem = _stemmer(choices.stemmer, choices.exceptions)

    def finish(token: str) -> str | None:
        return None if token in stop else stem(token)

    return finish


@cache
def _stemmer(name: str, exceptions: str) -> Callable[[str], str]:
    known: dict[str, str] = {}
    if name == "none":
        return str
    if exceptions in ("wordnet", "py-rouge"):
        known |= wordnet_exceptions()
    if exceptions == "py-rouge":
        known |= py_rouge_words()
    plain = stem_function(name)

    def stem(token: str) -> str:
        # Every ROUGE stems only words of more than 3 letters.
        if len(token) <= 3:
            return token
        if token not in known:
            known[token] = plain(token)
        return known[token]

    return stem
