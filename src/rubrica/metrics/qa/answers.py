"""Phrases of a text that questions are asked about, found by spaCy or by a rule.

Rubrica ships no parser. With a spaCy pipeline (a folder, or the name of an installed one) answers are its
noun chunks, entities or both, as in the originals; the rule takes runs of capitalised words, numbers, and
the words between function words, and is a stand-in: scores with it are not those of the papers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from rubrica.errors import MissingResourceError
from rubrica.text.sentences import sentences_of
from rubrica.text.stopwords import stopwords

Strategy = Literal["np-chunks", "entities", "all"]
RULE = "rule"

_WORD = re.compile(r"\d[\d.,]*\d|\w+(?:['’-]\w+)*")


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """A phrase, its sentence, and where in the sentence it stands."""

    text: str
    sentence: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends in the sentence."""
        return self.start + len(self.text)


def find_answers(text: str, strategy: Strategy, selector: str) -> list[AnswerSpan]:
    """The phrases of a text, in order; `selector` is `rule` or a spaCy pipeline."""
    if selector == RULE:
        return [span for one in sentences_of(text) for span in _by_rule(one, strategy)]
    parsed = _pipeline(selector)(text)
    spans: dict[tuple[int, int], Any] = {}
    if strategy in ("np-chunks", "all"):
        spans |= {(one.start_char, one.end_char): one for one in parsed.noun_chunks}
    if strategy in ("entities", "all"):
        spans |= {(one.start_char, one.end_char): one for one in parsed.ents}
    made = []
    for (start, end), span in sorted(spans.items()):
        sentence = span.sent
        made.append(AnswerSpan(text[start:end], sentence.text, start - sentence.start_char))
    return made


def _by_rule(sentence: str, strategy: Strategy) -> list[AnswerSpan]:
    runs: list[list[re.Match[str]]] = [[]]
    previous = 0
    for word in _WORD.finditer(sentence):
        breaks = sentence[previous : word.start()].strip() or not _wanted(word, strategy)
        if breaks and runs[-1]:
            runs.append([])
        if _wanted(word, strategy):
            runs[-1].append(word)
        previous = word.end()
    spans = []
    for run in runs:
        if run:
            start, end = run[0].start(), run[-1].end()
            spans.append(AnswerSpan(sentence[start:end], sentence, start))
    return spans


def _wanted(word: re.Match[str], strategy: Strategy) -> bool:
    text = word[0]
    name = text[0].isdigit() or (text[0].isupper() and text.lower() not in stopwords("nltk"))
    if strategy == "entities":
        # At a sentence's beginning every word has a capital.
        return name and (word.start() > 0 or text[0].isdigit())
    return name or text.lower() not in stopwords("nltk")


@lru_cache(maxsize=2)
def _pipeline(name: str) -> Any:
    try:
        import spacy
    except ImportError as error:
        raise MissingResourceError(
            f"answer selector {name!r} needs spaCy: pip install spacy, and that pipeline; "
            f"or use the selector {RULE!r}"
        ) from error
    try:
        return spacy.load(name)
    except OSError as error:
        raise MissingResourceError(
            f"no spaCy pipeline {name!r}: install it, give the folder of one, or use {RULE!r}"
        ) from error


def marked(span: AnswerSpan, before: str, after: str) -> str:
    """The sentence with the phrase between two marks."""
    return f"{span.sentence[: span.start]}{before}{span.text}{after}{span.sentence[span.end :]}"


def distinct(spans: Sequence[AnswerSpan]) -> list[AnswerSpan]:
    """Each phrase once, at its first place."""
    return list({span.text: span for span in reversed(spans)}.values())[::-1]
