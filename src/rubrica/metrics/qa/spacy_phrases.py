"""Phrases of a text by spaCy: noun chunks, largest noun phrases, entities."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rubrica.errors import MissingResourceError

# The kinds of entities that QAEval asks about.
_KINDS = ("PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "EVENT", "WORK_OF_ART")
# Longer noun phrases are mostly parser errors.
_LONGEST_PHRASE = 7
_ENDS = (".", "!", "?")

# Character offsets: start and end of a phrase, start and end of its sentence.
Place = tuple[int, int, int, int]


def phrases(text: str, strategy: str, pipeline: str) -> list[Place]:
    """Return the phrases of every sentence."""
    return [
        (span.start_char, span.end_char, sentence.start_char, sentence.end_char)
        for sentence in load_pipeline(pipeline)(text).sents
        for span in _of_sentence(sentence, strategy)
    ]


def first_sentences(text: str, count: int, pipeline: str) -> str:
    """Return the first sentences, joined by blanks; a sentence ends at `.`, `!` or `?` before a non-punctuation token."""
    parsed = load_pipeline(pipeline)(text)
    sentences, start, ended = [], 0, False
    for token in parsed:
        if ended and not token.is_punct:
            sentences.append(parsed[start : token.i].text)
            start, ended = token.i, False
        elif token.text in _ENDS:
            ended = True
    if start < len(parsed):
        sentences.append(parsed[start : len(parsed)].text)
    return " ".join(sentences[:count])


def entities_and_chunks(text: str, pipeline: str) -> list[str]:
    """Return all entities, then all noun chunks; a phrase that is both appears twice."""
    parsed = load_pipeline(pipeline)(text)
    return [span.text for span in (*parsed.ents, *parsed.noun_chunks)]


def _of_sentence(sentence: Any, strategy: str) -> list[Any]:
    if strategy == "np-chunks":
        return list(sentence.noun_chunks)
    if strategy == "entities":
        return list(sentence.ents)
    entities = [span for span in sentence.ents if span.label_ in _KINDS]
    if strategy == "ner":
        return entities
    largest = sorted(_largest(sentence), key=lambda span: span.start_char)
    if strategy == "max-np":
        return largest
    phrases = {(s.start_char, s.end_char): s for s in (*sentence.noun_chunks, *largest, *entities)}
    return [phrases[place] for place in sorted(phrases)]


def _largest(sentence: Any) -> Iterator[Any]:
    """Yield the maximal noun phrases: a noun with its subtree, unless that is long."""
    waiting = [sentence.root]
    while waiting:
        token = waiting.pop()
        if token.pos_ in ("NOUN", "PROPN"):
            below = [child.i for child in _subtree(token)]
            first, last = min(below), max(below)
            if last - first < _LONGEST_PHRASE:
                offset = sentence[0].i
                yield sentence[first - offset : last + 1 - offset]
                continue
        waiting += token.children


def _subtree(token: Any) -> Iterator[Any]:
    waiting = [token]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


@lru_cache(maxsize=2)
def load_pipeline(name: str) -> Any:
    """Return the spaCy pipeline of that name or folder, or raise `MissingResourceError` with how to get it."""
    try:
        import spacy
    except ImportError as error:
        raise MissingResourceError(
            f"answer selector {name!r} needs spaCy: pip install spacy, and that pipeline; or use the selector 'rule'"
        ) from error
    try:
        return spacy.load(name)
    except OSError as error:
        raise MissingResourceError(
            f"no spaCy pipeline {name!r}: install it, give the folder of one, or use 'rule'"
        ) from error
