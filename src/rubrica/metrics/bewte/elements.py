"""Basic elements of a parsed text: words, and words in a syntactic relation.

The rules are those of BEwT-E (Tratz and Hovy 2008), written there for the labels of its own parser;
here each is given for the corresponding construction of Universal Dependencies. Their numbers are
BEwT-E's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rubrica.metrics.bewte.sentence import ParsedSentence
from rubrica.text.conllu import Sentence

_NAMING = frozenset(("entitle", "title", "name", "call", "label", "dub"))
_NOT_ADVERBIAL = frozenset(("following", "including", "according"))


@dataclass(frozen=True, slots=True)
class Part:
    """One word or name of an element: as written, its lemma, its class and its kind of entity."""

    text: str
    word_class: str  # "v", "a", "r", or "n" for everything else
    lemma: str
    entity: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The key that two parts are compared by."""
        return self.text.lower(), self.word_class


@dataclass(frozen=True, slots=True)
class Element:
    """A rule's number and one to three parts."""

    rule: int
    parts: tuple[Part, ...]

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """The key that two elements are compared by, without the rule."""
        return tuple(part.key for part in self.parts)


def elements_of(sentences: list[Sentence]) -> dict[tuple[tuple[str, str], ...], Element]:
    """Return the distinct elements of a text by comparison key, in order."""
    elements: dict[tuple[tuple[str, str], ...], Element] = {}
    same: set[frozenset[tuple[str, str]]] = set()
    for sentence in sentences:
        parsed = ParsedSentence(sentence)
        for place in range(len(sentence)):
            for rule, words in _of_token(parsed, place):
                # A repeated part (a name of which both words are parts) counts once.
                parts = tuple(dict.fromkeys(_part(parsed, word) for word in words))
                element = Element(rule, parts)
                if all(part.text for part in parts) and frozenset(element.key) not in same:
                    same.add(frozenset(element.key))
                    elements[element.key] = element
    return elements


def _part(parsed: ParsedSentence, word: int | tuple[int, int]) -> Part:
    if isinstance(word, tuple):
        verb, particle = (parsed.tokens[place] for place in word)
        text = f"{verb.form} {particle.form}".lower()
        return Part(text, "v", f"{verb.lemma} {particle.lemma}".lower())
    text, entity = parsed.name(word)
    token = parsed.tokens[word]
    if entity:
        return Part(text.rstrip("."), "n", text.rstrip("."), entity)
    word_class = parsed.word_class(word)
    # Names keep their case for the name transformations; comparisons use lower case.
    form = text if word_class == "n" else text.lower()
    return Part(form.rstrip("."), word_class, token.lemma.lower())


Elements = Iterator[tuple[int, tuple[int | tuple[int, int], ...]]]


def _of_token(s: ParsedSentence, t: int) -> Elements:
    """Yield the rules that match a token, with the indices of their words."""
    yield from _single(s, t)
    h = s.tokens[t].head
    if h < 0:
        return
    relation = s.relation(t)
    if relation in ("nummod", "amod"):
        yield 5, (t, h)
    elif relation == "nmod:poss" or (relation == "det" and s.tag(t) in ("PRP$", "WP$")):
        if s.tag(t) == "WP$":
            antecedent = s.antecedent(h)
            if antecedent is not None:
                yield 6, (antecedent, h)
        else:
            yield (6 if s.tag(t).startswith("PRP") else 7), (t, h)
    elif relation == "compound":
        yield 8, (t, h)
    elif relation == "appos":
        yield 10, (t, h)
    elif s.is_subject(t):
        yield from _subject(s, t, h)
    elif relation in ("obj", "iobj"):
        yield 21, (h, t)
    elif relation in ("obl", "nmod", "obl:agent", "nmod:tmod", "obl:tmod"):
        yield from _prepositional(s, t, h)
    elif relation == "advmod":
        if s.is_verb(h) and s.tag(t) != "WRB":
            yield 46, (h, t)
    else:
        yield from _clause(s, t, h, relation)


def _single(s: ParsedSentence, t: int) -> Elements:
    tag = s.tag(t)
    if tag.startswith("NN") or tag in ("CD", "$", "RBS", "RBR"):
        yield 1, (t,)
    elif tag.startswith("VB") and not s.is_auxiliary(t):
        particle = s.child(t, "compound:prt")
        yield (2, (t,)) if particle is None else (3, ((t, particle),))
    elif tag.startswith("JJ"):
        yield 4, (t,)


def _subject(s: ParsedSentence, t: int, h: int) -> Elements:
    if s.tag(t) in ("WP", "WDT", "IN"):
        return
    if s.child(h, "cop") is not None:
        yield 47, (h, t)
    elif s.is_past_participle(h):
        if s.is_passive(h) or s.tokens[t].relation.endswith(":pass"):
            yield 23, (h, t)
        elif s.has_auxiliary(h, "have"):
            yield 11, (t, h)
        else:
            yield 24, (h, t)
    else:
        yield 11, (t, h)


def _prepositional(s: ParsedSentence, t: int, h: int) -> Elements:
    preposition = s.child(t, "case")
    if preposition is None:
        if s.is_verb(h):
            yield 46, (h, t)
        return
    if s.tokens[preposition].form.lower() == "by" and s.is_past_participle(h):
        yield 13, (t, h)
        return
    if s.tag(t) in ("WP", "WDT"):
        antecedent = s.antecedent(h)
        if antecedent is not None:
            yield 35, (h, preposition, antecedent)
        return
    yield 26, (h, preposition, t)
    for other in s.children(t, "conj"):
        if s.child(other, "case") is None:
            yield 30, (h, preposition, other)


def _clause(s: ParsedSentence, t: int, h: int, relation: str) -> Elements:
    if relation == "acl:relcl":
        if not s.is_past_participle(t):
            yield 14, (h, t)
        else:
            yield (18 if s.is_passive(t) else 15), (t, h)
        for verb in s.children(t, "conj"):
            if s.is_verb(verb) and s.subject(verb) is None:
                yield 16, (verb, h)
    elif relation == "acl":
        named = next(iter(s.children(t, "obj") + s.children(t, "xcomp")), None)
        if s.tokens[t].lemma.lower() in _NAMING and named is not None:
            yield 48, (h, named)
        elif s.is_past_participle(t):
            yield 24, (t, h)
        elif s.tag(t) == "VBG":
            yield 12, (h, t)
        else:
            yield 46, (t, h)
    elif relation == "ccomp":
        how = s.question_adverb(t)
        yield (46, (h, t)) if how is None else (40, (h, how, t))
    elif relation == "xcomp":
        yield 44, (h, t)
    elif relation == "advcl":
        mark = s.child(t, "mark")
        mark = s.question_adverb(t) if mark is None else mark
        subject = s.subject(h)
        adverbial = s.tag(t) == "VBG" and s.tokens[t].form.lower() not in _NOT_ADVERBIAL
        if mark is not None:
            yield 42, (h, mark, t)
        elif adverbial and s.subject(t) is None and subject is not None:
            yield 50, (subject, t)
        else:
            yield 44, (h, t)
