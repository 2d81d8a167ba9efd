"""Match elements of a summary and a reference that mean the same but are written differently.

Of BEwT-E's transformations these are here: elements turned round, "science book" and "book of
science", full stops in abbreviations, shortened names, acronyms, inflected forms, and synonyms in the
commonest sense. As in BEwT-E the first and the last part may change, a preposition between them not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

from rubrica.metrics.bewte.elements import Element, Part
from rubrica.text.wordnet import PartOfSpeech, wordnet

Key = tuple[tuple[str, str], ...]
# Appositions and equations: "the mayor, Ann Lee" is "Ann Lee, the mayor".
_REVERSIBLE = frozenset((10, 47, 48))
_NOUN_GROUPS = frozenset((6, 7, 8))
_OF = ("of", "n")
_SMALL = frozenset(("of", "the", "and", "for", "in", "de", "a", "an"))


class References:
    """The parts of the elements of references, by what a part of the summary may be changed to."""

    def __init__(self, elements: Iterable[Element]) -> None:
        self._written: dict[tuple[str, str], set[Part]] = defaultdict(set)
        self._lemmas: dict[tuple[str, str], set[Part]] = defaultdict(set)
        self._plain: dict[str, set[Part]] = defaultdict(set)
        self._short: dict[str, set[Part]] = defaultdict(set)
        self._acronyms: dict[str, set[Part]] = defaultdict(set)
        self._synsets: dict[tuple[int, str], set[Part]] = defaultdict(set)
        for part in {part for element in elements for part in element.parts}:
            self._written[part.key].add(part)
            self._lemmas[part.lemma.lower(), part.word_class].add(part)
            self._plain[_without_stops(part.text)].add(part)
            for name in _shortened(part):
                self._short[name.lower()].add(part)
            self._acronyms[_acronym(part.text)].add(part)
            for sense in _senses(part):
                self._synsets[sense, part.word_class].add(part)

    def variants(self, part: Part) -> set[tuple[str, str]]:
        """Return the forms the part may have in the references, including its own."""
        parts = {part}
        for alternatives in (self._stops, self._names, self._abbreviations, self._words):
            parts |= {other for known in parts for other in alternatives(known)}
        return {variant.key for variant in parts}

    def _stops(self, part: Part) -> Iterator[Part]:
        yield from self._plain.get(_without_stops(part.text), ())

    def _names(self, part: Part) -> Iterator[Part]:
        for name in _shortened(part):
            yield from self._written.get((name.lower(), part.word_class), ())
        if part.entity:
            yield from self._short.get(part.text.lower(), ())

    def _abbreviations(self, part: Part) -> Iterator[Part]:
        acronym = _acronym(part.text)
        if acronym:
            yield from self._plain.get(acronym.lower(), ())
        plain = _without_stops(part.text)
        if plain and part.text.replace(".", "").isupper():
            yield from self._acronyms.get(plain.upper(), ())

    def _words(self, part: Part) -> Iterator[Part]:
        if part.entity:
            return
        yield from self._lemmas.get((part.lemma.lower(), part.word_class), ())
        for sense in _senses(part)[:1]:
            yield from self._synsets.get((sense, part.word_class), ())


def transformed(element: Element, references: References) -> set[Key]:
    """Return all forms the element may have in the references, including its own."""
    forms = {tuple(element.parts)}
    if element.rule in _REVERSIBLE and len(element.parts) == 2:
        forms.add(element.parts[::-1])
    keys: set[Key] = set()
    for parts in forms:
        first, *middle = parts
        last = middle.pop() if middle else None
        lefts = references.variants(first)
        inside = tuple(part.key for part in middle)
        if last is None:
            keys |= {(left,) for left in lefts}
            continue
        for left, right in product(lefts, references.variants(last)):
            keys.add((left, *inside, right))
            if element.rule in _NOUN_GROUPS and not inside:
                keys.add((right, _OF, left))
            if element.rule == 26 and inside == (_OF,):
                keys.add((right, left))
    return keys


def _senses(part: Part) -> list[int]:
    kinds: dict[str, PartOfSpeech] = {"n": "n", "v": "v", "a": "a", "r": "r"}
    lemma = part.lemma.lower().replace(" ", "_")
    return [] if part.entity else wordnet().senses(lemma, kinds[part.word_class])


def _without_stops(text: str) -> str:
    return text.replace(".", "").lower()


def _shortened(part: Part) -> list[str]:
    """Return short forms of a person's name: the last name, and first plus last name."""
    words = part.text.split()
    if not part.entity.upper().startswith("PER") or len(words) < 2:
        return []
    return [words[-1]] if len(words) == 2 else [words[-1], f"{words[0]} {words[-1]}"]


def _acronym(text: str) -> str:
    """Return the initials of a name of several words."""
    words = [word for word in text.split() if word.lower() not in _SMALL]
    initials = "".join(word[0] for word in words if word[0].isupper())
    return initials if len(words) > 1 and len(initials) == len(words) else ""
