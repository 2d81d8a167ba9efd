"""What METEOR knows about a word: function word or content word, its stem, its synsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain

import numpy as np

from rubrica.core.meteor_texts import MeteorTexts
from rubrica.text.stem import stem_words
from rubrica.text.wordnet import wordnet

# METEOR 1.5's list for English, most frequent first.
_FUNCTION_WORD_LIST = (
    "the , . to of and a in that for \" is on 's it with was as said at he by be from have has are "
    "his but an this not i will ’ they ) -rrb- ( -lrb- who their had we which were been more or s "
    "its would about new one after you : also up when there than $ all out her people she year two "
    "- can if last first “ over other ” into some what so -- no time years could ? 't — '"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())

# Endings of inflected forms and what the base form has instead, in the order they are tried.
_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
)


def base_form(word: str) -> str:
    """Return the lemma of a regular form, the word itself if no rule applies, "" if there is none."""
    if word.endswith("ss") or len(word) <= 2:
        return word
    known = wordnet()
    for ending, replacement in _ENDINGS:
        if word.endswith(ending):
            base = word[: -len(ending)] + replacement
            if base in known:
                return base
    return ""


@lru_cache(maxsize=1 << 17)
def synsets(word: str) -> tuple[int, ...]:
    """Return the synsets of a word and of its base forms, without regard to parts of speech."""
    known = wordnet()
    bases = known.bases(word) or [base_form(word)]
    return tuple(sorted(known.synsets(word).union(*(known.synsets(base) for base in bases))))


def texts_of(
    texts: Sequence[Sequence[str]], *, synonyms: bool, phrase_words: Mapping[str, int] | None
) -> MeteorTexts:
    """Return tokenized texts for the kernels; looks up synsets only if `synonyms` is true."""
    numbers: dict[str, int] = {}
    words = [numbers.setdefault(token, len(numbers)) for tokens in texts for token in tokens]
    stems: dict[str, int] = {}
    senses = [synsets(word) if synonyms else () for word in numbers]
    return MeteorTexts(
        starts=_ends(texts),
        words=np.array(words, dtype=np.int32),
        function=np.array([word in FUNCTION_WORDS for word in numbers], dtype=np.uint8),
        stems=np.array(
            [stems.setdefault(stem, len(stems)) for stem in stem_words(numbers, "porter2")],
            dtype=np.int32,
        ),
        synset_starts=_ends(senses),
        synsets=np.fromiter(chain.from_iterable(senses), dtype=np.int32),
        phrase_words=np.array([(phrase_words or {}).get(w, -1) for w in numbers], dtype=np.int32),
    )


def _ends(parts: Sequence[Sequence[object]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([0, *accumulate(map(len, parts))], dtype=np.int64)
