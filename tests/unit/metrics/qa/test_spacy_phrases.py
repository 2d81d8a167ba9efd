"""Phrases by spaCy, on a parse made by hand: which noun phrases and entities are asked about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from rubrica.metrics.qa import spacy_phrases
from rubrica.metrics.qa.answers import find_answers


@dataclass
class Token:
    """A token as spaCy has it, as far as it is looked at."""

    text: str
    i: int
    start: int
    pos_: str
    is_punct: bool = False
    children: list[Token] = field(default_factory=list)


class Span:
    def __init__(self, parse: Parse, first: int, last: int, label: str = "") -> None:
        self.parse, self.first, self.last, self.label_ = parse, first, last, label
        self.start_char = parse.tokens[first].start
        self.end_char = parse.tokens[last - 1].start + len(parse.tokens[last - 1].text)
        self.text = parse.text[self.start_char : self.end_char]

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return Span(self.parse, self.first + at.start, self.first + at.stop)
        return self.parse.tokens[self.first + at]

    @property
    def root(self) -> Token:
        return self.parse.tokens[self.parse.roots[self.first]]

    @property
    def noun_chunks(self) -> list[Span]:
        return [one for one in self.parse.noun_chunks if self.first <= one.first < self.last]

    @property
    def ents(self) -> list[Span]:
        return [one for one in self.parse.ents if self.first <= one.first < self.last]


class Parse:
    """`words` are text/part of speech/head; sentences, chunks and entities are places of tokens."""

    def __init__(self, words: str, sentences: Any, chunks: Any, entities: Any) -> None:
        rows = [one.split("/") for one in words.split()]
        self.text = " ".join(word for word, _, _ in rows)
        self.tokens, at = [], 0
        for number, (word, pos, _) in enumerate(rows):
            self.tokens.append(Token(word, number, at, pos, pos == "PUNCT"))
            at += len(word) + 1
        self.roots = {}
        for number, (_, _, head) in enumerate(rows):
            if int(head) != number:
                self.tokens[int(head)].children.append(self.tokens[number])
        for first, last in sentences:
            self.roots[first] = next(n for n in range(first, last) if int(rows[n][2]) == n)
        self.sents = [Span(self, first, last) for first, last in sentences]
        self.noun_chunks = [Span(self, first, last) for first, last in chunks]
        self.ents = [Span(self, first, last, label) for first, last, label in entities]

    def __iter__(self) -> Any:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, at: slice) -> Span:
        return Span(self, at.start, at.stop)


# The captain of the ferry saw two boats . Oslo slept on Friday .
PARSE = Parse(
    "The/DET/1 captain/NOUN/5 of/ADP/1 the/DET/4 ferry/NOUN/2 saw/VERB/5 two/NUM/7 boats/NOUN/5 ./PUNCT/5 "
    "Oslo/PROPN/10 slept/VERB/10 on/ADP/10 Friday/PROPN/11 ./PUNCT/10",
    [(0, 9), (9, 14)],
    [(0, 2), (3, 5), (6, 8), (9, 10)],
    [(6, 7, "CARDINAL"), (9, 10, "GPE"), (12, 13, "DATE")],
)


@pytest.fixture(autouse=True)
def parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_phrases, "load_pipeline", lambda name: lambda text: PARSE)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("np-chunks", ["The captain", "the ferry", "two boats", "Oslo"]),
        # Everything that hangs on a noun: the ferry is part of the captain's phrase.
        ("max-np", ["The captain of the ferry", "two boats", "Oslo", "Friday"]),
        # QAEval's kinds of entities: neither numbers nor dates.
        ("ner", ["Oslo"]),
        ("entities", ["two", "Oslo", "Friday"]),
        (
            "all",
            ["The captain", "The captain of the ferry", "the ferry", "two boats", "Oslo", "Friday"],
        ),
    ],
)
def test_strategies_find_what_the_originals_find(strategy: Any, expected: list[str]) -> None:
    spans = find_answers(PARSE.text, strategy, "some_pipeline")
    assert [span.text for span in spans] == expected
    for span in spans:
        assert span.sentence[span.start : span.end] == span.text
        assert span.sentence in (
            "The captain of the ferry saw two boats .",
            "Oslo slept on Friday .",
        )


def test_a_long_noun_phrase_gives_way_to_those_inside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_phrases, "_LONGEST_PHRASE", 4)
    spans = find_answers(PARSE.text, "max-np", "some_pipeline")
    assert [span.text for span in spans] == ["the ferry", "two boats", "Oslo", "Friday"]


def test_questeval_s_sentences_end_after_a_mark() -> None:
    assert spacy_phrases.first_sentences("", 1, "x") == "The captain of the ferry saw two boats ."
    assert spacy_phrases.first_sentences("", 5, "x") == PARSE.text
    assert spacy_phrases.entities_and_chunks("", "x") == [
        *("two", "Oslo", "Friday"),
        *("The captain", "the ferry", "two boats", "Oslo"),
    ]
