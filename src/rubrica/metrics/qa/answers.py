"""Phrases of a text that questions are asked about, found by spaCy or by a rule.

Rubrica ships no parser. With a spaCy pipeline (a folder, or the name of an installed one) answers are found as
in the originals; the rule takes runs of capitalised words, numbers, and the words between function words,
and is only a substitute: its scores are not those of the papers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rubrica.metrics.base.originals import PIPELINE
from rubrica.text.sentences import sentences_of
from rubrica.text.stopwords import stopwords

Strategy = Literal["np-chunks", "max-np", "ner", "all", "entities"]
RULE = "rule"
_NAMES = ("ner", "entities")

_WORD = re.compile(r"\d[\d.,]*\d|\w+(?:['’-]\w+)*")


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """A phrase, its sentence, and its position in the sentence."""

    text: str
    sentence: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends in the sentence."""
        return self.start + len(self.text)


def find_answers(text: str, strategy: Strategy, selector: str) -> list[AnswerSpan]:
    """Return the phrases of a text, in order; `selector` is `rule` or a spaCy pipeline.

    Noun phrases by spaCy's chunks (np-chunks) or by whole subtrees (max-np), entities of all kinds or
    those of QAEval (ner), or QAEval's three together (all). The rule knows names and phrases only.
    """
    if selector == RULE:
        return [span for sentence in sentences_of(text) for span in _by_rule(sentence, strategy)]
    from rubrica.metrics.qa.spacy_phrases import phrases

    return [
        AnswerSpan(text[start:end], text[first:last], start - first)
        for start, end, first, last in phrases(text, strategy, selector)
    ]


def _by_rule(sentence: str, strategy: Strategy) -> list[AnswerSpan]:
    runs: list[list[re.Match[str]]] = [[]]
    previous = 0
    for word in _WORD.finditer(sentence):
        breaks = sentence[previous : word.start()].strip() or not _fits(word, strategy)
        if breaks and runs[-1]:
            runs.append([])
        if _fits(word, strategy):
            runs[-1].append(word)
        previous = word.end()
    spans = []
    for run in runs:
        if run:
            start, end = run[0].start(), run[-1].end()
            spans.append(AnswerSpan(sentence[start:end], sentence, start))
    return spans


def _fits(word: re.Match[str], strategy: Strategy) -> bool:
    text = word[0]
    name = text[0].isdigit() or (text[0].isupper() and text.lower() not in stopwords("nltk"))
    if strategy in _NAMES:
        # Every word has a capital at the start of a sentence.
        return name and (word.start() > 0 or text[0].isdigit())
    return name or text.lower() not in stopwords("nltk")


def marked(span: AnswerSpan, before: str, after: str) -> str:
    """Return the sentence with the phrase between two marks."""
    return f"{span.sentence[: span.start]}{before}{span.text}{after}{span.sentence[span.end :]}"


def phrase_note(label: str, selector: str, chosen: Mapping[str, Any]) -> str:
    """Return how phrases differ from the original's; "" if `answer_selector` is among the parameters chosen."""
    if selector != RULE or "answer_selector" in chosen:
        return ""
    return f"{label} asks about phrases found by a rule; the original asks about those of spaCy's {PIPELINE}"
