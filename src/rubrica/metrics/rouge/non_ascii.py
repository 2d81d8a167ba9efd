"""Texts in letters that a profile drops: detect them, and tokenize them otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import Text, flatten
from rubrica.metrics.rouge.scorer import Floats, Indices, RougeScorer
from rubrica.metrics.rouge.tokens import Splitter, Units, own_tokens, split_lines
from rubrica.text.scripts import mostly_other_letters

Fallback: TypeAlias = Literal["words", "characters", "none"]
Prepare: TypeAlias = Callable[[Sequence[Any]], Sequence[object]]

# Profiles with these tokens read a-z and 0-9 only.
ASCII_ONLY = ("ascii", "lower", "ascii-given", "py-rouge")


def mostly_dropped(text: Text) -> bool:
    """Return whether more than half of the letters and digits are outside ASCII."""
    return mostly_other_letters(text if isinstance(text, str) else flatten(text))


def all_ascii(texts: Sequence[Text]) -> bool:
    """Return whether all texts are ASCII, so that no letter can be lost; this is the common case and must be fast."""
    if {*map(type, texts)} <= {str}:
        return all(map(str.isascii, texts))  # type: ignore[arg-type]
    for text in texts:
        if not (text.isascii() if isinstance(text, str) else all(map(str.isascii, text))):
            return False
    return True


def unread(texts: Sequence[Text]) -> NDArray[np.bool_]:
    """Return for each text whether an ASCII profile drops most of it."""
    return np.fromiter(map(mostly_dropped, texts), bool, len(texts))


def fallback_engine(engine: RougeScorer, kind: Fallback) -> RougeScorer | None:
    """Return the same engine on tokens of every script, with the same limits; no stemmer, no stop words."""
    if kind == "none":
        return None
    options = engine.options
    fallback_options = replace(
        options,
        tokenizer="given",
        stemmer="none",
        stopwords=False,
        max_words=None,
        max_bytes=None,
    )
    splitter = fallback_splitter(kind, options.max_words or 0, options.max_bytes or 0)
    return replace(engine, options=fallback_options, splitter=splitter)


def fallback_splitter(kind: str, max_words: int, max_bytes: int) -> Splitter:
    """Return a splitter for tokens of every script, limited to the first bytes (whole characters) or tokens."""

    def tokens(units: Sequence[str]) -> Units:
        # Created with the first such text: most runs have none.
        return own_tokens(kind, None)(units)

    def first_bytes(units: Sequence[str]) -> Units:
        pieces: list[str] = []
        left = max_bytes
        for unit in units:
            encoded = unit.encode("utf-8", "surrogatepass")
            pieces.append(encoded[: max(0, left)].decode("utf-8", "ignore"))
            left -= len(encoded)
        return tokens(pieces)

    def first_words(units: Sequence[str]) -> Units:
        first: Units = []
        for words in tokens(units):
            first.append(words[: max_words - sum(map(len, first))])
        return first

    if max_words:
        return first_words
    return first_bytes if max_bytes else tokens


def count_with_fallback(
    engine: RougeScorer,
    fallback: RougeScorer,
    prepare: Prepare,
    texts: tuple[Sequence[Text], Sequence[Text]],
    lost: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    pairs: Indices,
    threads: int,
) -> Floats:
    """Count pairs: the fallback counts those in which the engine would lose one of the texts.

    Both texts of a pair are cut in the same way, and a pair's counts do not depend on other pairs.
    """
    by_fallback = lost[0][pairs[:, 0]] | lost[1][pairs[:, 1]]
    lines = engine.profile.newline_units
    counts = np.empty((len(pairs), len(engine.options.measures), 3))
    for counter, selected in ((engine, ~by_fallback), (fallback, by_fallback)):
        if not selected.any():
            continue
        # Only texts of its own pairs: one Chinese text must not tokenize all others twice.
        (left, first), (right, second) = (
            np.unique(pairs[selected, side], return_inverse=True) for side in (0, 1)
        )
        peers = prepare([texts[0][number] for number in left.tolist()])
        models = prepare([texts[1][number] for number in right.tolist()])
        if counter is fallback and lines:
            peers, models = _lines(peers), _lines(models)
        counts[selected] = counter.count(peers, models, np.stack([first, second], axis=1), threads)
    return counts


def _lines(prepared: Sequence[Any]) -> list[list[str]]:
    return [split_lines(text) for text in prepared]
