"""Truecasing: restore capitals, learnt from cased text of the same domain."""

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
        """Learn from cased texts; raise if they contain no capitals."""
        inside: dict[str, Counter[str]] = {}
        first: dict[str, Counter[str]] = {}
        capitals = False
        for text in texts:
            for sentence in split_sentences(text):
                for number, match in enumerate(_WORD.finditer(sentence)):
                    word = match[0]
                    capitals = capitals or not word.islower()
                    table = first if number == 0 else inside
                    table.setdefault(word.lower(), Counter())[word] += 1
        if not capitals:
            raise DataError("cannot learn capitals from texts without capitals; give cased texts")
        # A word seen only at the beginning: its capital is no evidence, lower case is.
        chosen = {
            key: min(counts, key=lambda w: (w != key, w))
            for key, counts in first.items()
            if key in counts
        }
        chosen |= {key: counts.most_common(1)[0][0] for key, counts in inside.items()}
        return cls({key: word for key, word in chosen.items() if key != word})

    def __call__(self, sentence: str) -> str:
        """Return the sentence with capitals restored; keeps existing capitals."""
        text = _WORD.sub(self._word, sentence)
        first = _WORD.search(text)
        if first is None or not first[0].islower():
            return text
        at = first.start()
        return text[:at] + text[at].upper() + text[at + 1 :]

    def _word(self, match: re.Match[str]) -> str:
        word = match[0]
        if not word.islower():
            return word
        whole = self._spellings.get(word)
        if whole is None and word.endswith(("'s", "’s")):
            stem = self._spellings.get(word[:-2])
            whole = stem and stem + word[-2:]
        return whole or word
