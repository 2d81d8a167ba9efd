"""WordNet 3.0 as a table: which synsets a lemma is in, and the bases of irregular forms.

The file is made by tools/make_wordnet.py. Synsets are numbers; two lemmas are synonyms in some sense
when they share one. Multi-word lemmas are written with underscores, all in lower case.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files
from typing import Literal

PartOfSpeech = Literal["n", "v", "a", "r"]


class WordNet:
    """Lookups in the packaged table; make it with `wordnet()`, which reads the file once."""

    def __init__(self, lines: list[str]) -> None:
        # Senses stay text until needed: most never are.
        self._senses: dict[str, str] = {}
        self._bases: dict[str, list[str]] = {}
        for line in lines:
            word, _, rest = line.partition(" ")
            if rest.startswith(">"):
                self._bases[word] = rest[2:].split(" ")
            else:
                self._senses[word] = rest

    def __contains__(self, lemma: str) -> bool:
        return lemma in self._senses

    def __len__(self) -> int:
        return len(self._senses)

    def synsets(self, lemma: str) -> frozenset[int]:
        """Return every synset of a lemma, for any part of speech; none for an unknown word."""
        parts = self._senses.get(lemma, "").split()
        return frozenset(int(number) for part in parts for number in part[2:].split(","))

    def senses(self, lemma: str, part: PartOfSpeech) -> list[int]:
        """Return the synsets of a lemma for one part of speech, the most common sense first."""
        for entry in self._senses.get(lemma, "").split():
            if entry[0] == part:
                return [int(number) for number in entry[2:].split(",")]
        return []

    def bases(self, form: str) -> list[str]:
        """Return the base forms of an irregular form (`geese`); none for a regular one."""
        return self._bases.get(form, [])


@cache
def wordnet() -> WordNet:
    """Return the packaged table (1.5 MB, read on first use)."""
    packed = files("rubrica.text").joinpath("data", "wordnet.txt.gz").read_bytes()
    return WordNet(gzip.decompress(packed).decode("ascii").splitlines())
