"""Truecasing: capitals for text without them, learnt from text of the same matter that has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from rubrica.errors import DataError
from rubrica.text.sentences import split_sentences

_WORD = re.compile(r"[^\W\d_][\w'’-]*")


class Truecaser:
    """The most frequent spelling of each word inside sentences; first words are capitalised.

    Words at the beginning of a sentence teach nothing, since any word is capitalised there, unless
    they occur nowhere else. Equal counts: the spelling met first. Unknown words stay as they are.
    """

    def __init__(self, spellings: dict[str, str]) -> None:
        self._spellings = spellings

    @classmethod
    def learn(cls, texts: Iterable[str]) -> Truecaser:
        """From cased texts; texts without any capital are refused, they would teach the opposite."""
        inside: dict[str, Counter[str]] = {}
        first: dict[str, Counter[str]] = {}
        capitals = False
        for text in texts:
            for sentence in split_sentences(text):
                for number, found in enumerate(_WORD.finditer(sentence)):
                    word = found[0]
                    capitals = capitals or not word.islower()
                    table = first if number == 0 else inside
                    table.setdefault(word.lower(), Counter())[word] += 1
        if not capitals:
            raise DataError("cannot learn capitals from texts without capitals; give cased texts")
        # A word met only at the beginning: its capital says nothing, small letters say something.
        chosen = {
            key: min(counts, key=lambda w: (w != key, w))
            for key, counts in first.items()
            if key in counts
        }
        chosen |= {key: counts.most_common(1)[0][0] for key, counts in inside.items()}
        return cls({key: word for key, word in chosen.items() if key != word})

    def __call__(self, sentence: str) -> str:
        """A sentence with its capitals; capitals that it has are kept."""
        made = _WORD.sub(self._word, sentence)
        first = _WORD.search(made)
        if first is None or not first[0].islower():
            return made
        at = first.start()
        return made[:at] + made[at].upper() + made[at + 1 :]

    def _word(self, found: re.Match[str]) -> str:
        word = found[0]
        if not word.islower():
            return word
        whole = self._spellings.get(word)
        if whole is None and word.endswith(("'s", "’s")):
            stem = self._spellings.get(word[:-2])
            whole = stem and stem + word[-2:]
        return whole or word
