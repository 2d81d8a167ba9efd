"""Parse a judge's answer strictly: a number of the scale, a letter, yes or no; or nothing.

Answers are data: text that does not match the rule of its prompt has no value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from rubrica.errors import ParameterError
from rubrica.metrics.judge.answers import Answer
from rubrica.metrics.judge.prompt import Prompt

_MARKS = r"[\s*_`\"'(\[]*"
_AFTER_LABEL = r"\b(?:[\s*_:=`\"']|-\s)*"
# "4", "4.5"; not the beginning of "4,5" or "1.2.3".
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(?![\d.,]*\d)")
_OF = re.compile(r"^[\s*_`\"')\]]*(?:/|out of|of)\s*(\d+(?:\.\d+)?)(?![\d.,]*\d)", re.IGNORECASE)
# What may follow on the line: nothing, or an explanation after punctuation. Not "4 main points";
# and after a number no full stop with words, since lists start like that ("1. Read the document").
_EXPLAINED = r"\s*$|\.\s*$|\s*[,;:(\u2013\u2014]|\s+-"
_AFTER_NUMBER = re.compile(rf"^[*_`\"')\]]*(?:{_EXPLAINED})")
_AFTER_WORD = re.compile(rf"^[*_`\"')\]]*(?:{_EXPLAINED}|\.\s)")
_WORD = re.compile(
    rf"^{_MARKS}(?:(?:answer|verdict|winner|preference){_AFTER_LABEL})?(?:summary\s+)?(\w+)",
    re.IGNORECASE,
)
_LABELS = ("score", "rating", "answer", "number")


def rating(answer: str, lowest: float, highest: float, name: str = "rating") -> float | None:
    """Return the number an answer starts with (after `Score:` or the criterion's name), if it is on the scale.

    "4", "Score: 4", "**4**", "4/5", "4 out of 5", "4 - reads well"; not "3 or 4", "4 of 7", "4 points".
    """
    labels = "|".join(map(re.escape, (*_LABELS, name)))
    label = re.match(
        rf"^\s*(?:-\s+)?{_MARKS}(?:(?:{labels}){_AFTER_LABEL})?", answer, re.IGNORECASE
    )
    assert label is not None
    number = _NUMBER.match(answer, label.end())
    if number is None:
        return None
    value, rest = float(number[1]), answer[number.end() :].partition("\n")[0]
    of = _OF.match(rest)
    if of is not None:
        if float(of[1]) != highest:
            return None
        rest = rest[of.end() :]
    # A second number on the line ("3 - 4") is ambiguous.
    if not _AFTER_NUMBER.match(rest) or re.search(r"\d", rest):
        return None
    return value if lowest <= value <= highest else None


def preference(answer: str) -> float | None:
    """Return 1 for A, 0 for B, 0.5 for a tie; None for "A tie", "A or B"."""
    return _choice(answer, {"a": 1.0, "b": 0.0, "tie": 0.5})


def yes_no(answer: str) -> float | None:
    """Return 1 for yes, 0 for no; None for "yes and no"."""
    return _choice(answer, {"yes": 1.0, "no": 0.0})


def _choice(answer: str, values: Mapping[str, float]) -> float | None:
    word = _WORD.match(answer)
    if word is None or word[1].lower() not in values:
        return None
    rest = answer[word.end() :].partition("\n")[0]
    # "A, B" and "yes, no" name two.
    second = re.match(r"^\W*(\w+)\W*$", rest)
    if not _AFTER_WORD.match(rest) or (second is not None and second[1].lower() in values):
        return None
    return values[word[1].lower()]


def expectation(
    logprobs: Mapping[str, float], values: Mapping[str, float]
) -> tuple[float | None, float]:
    """Return the mean value of tokens with a value, weighted by probability, and their total probability.

    Several tokens of one value (`5`, ` 5`) add up; tokens without a value are left out.
    """
    weights: dict[float, float] = {}
    for token, logprob in logprobs.items():
        value = values.get(token.strip().lower())
        if value is not None:
            weights[value] = weights.get(value, 0.0) + math.exp(logprob)
    total = math.fsum(weights.values())
    if not total > 0:
        return None, 0.0
    middle = math.fsum(value * weight for value, weight in weights.items()) / total
    return middle, min(1.0, total)


def rating_tokens(lowest: float, highest: float) -> dict[str, float]:
    """Return the whole numbers of a scale as tokens with their values.

    Raise `ParameterError` if the first token cannot distinguish them: `1` may start `10`.
    """
    numbers = range(math.ceil(lowest), math.floor(highest) + 1)
    if len(numbers) < 2 or numbers[0] < 0 or numbers[-1] > 9:
        raise ParameterError(
            f"scoring=logprobs reads one token, which cannot distinguish the numbers from {lowest:g} to "
            f"{highest:g}: it needs whole numbers from 0 to 9; use scoring=samples"
        )
    return {str(n): float(n) for n in numbers}


def spread(values: Iterable[float]) -> float | None:
    """Return the standard deviation (n - 1) of several runs; None for fewer than two."""
    known = list(values)
    if len(known) < 2:
        return None
    middle = math.fsum(known) / len(known)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in known) / (len(known) - 1))


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """A value or None, and the share of the answer that could not be parsed, 0 to 1.

    `first` is the value for the summary of a pair that was shown first.
    """

    value: float | None
    unread: float
    first: float | None = None

    def turned(self) -> ParsedAnswer:
        """Return the answer from the view of the summary shown second."""
        return self if self.value is None else replace(self, value=1 - self.value)


class AnswerParser:
    """Parses answers to a prompt."""

    def __init__(self, prompt: Prompt, scoring: Literal["samples", "logprobs"]) -> None:
        self._prompt, self._values = prompt, dict[str, float]()
        if scoring == "samples":
            return
        if prompt.kind == "units":
            raise ParameterError(
                f"scoring=logprobs reads the first token, but the prompt {prompt.name!r} is answered by a "
                "list; use scoring=samples"
            )
        if prompt.answer is not None:
            raise ParameterError(
                f"scoring=logprobs reads the first token, but the answer of the prompt {prompt.name!r} is "
                "elsewhere; use scoring=samples"
            )
        if prompt.kind == "rating":
            self._values = rating_tokens(prompt.lowest, prompt.highest)
        elif prompt.kind == "pairwise":
            self._values = {"a": 1.0, "b": 0.0, "tie": 0.5}
        else:
            self._values = {"yes": 1.0, "no": 0.0}

    def parse(self, answer: Answer | None) -> ParsedAnswer:
        """Return the value of an answer; a refused question (None) has none."""
        if answer is None:
            return ParsedAnswer(None, 1.0)
        if self._values:
            value, share = expectation(answer.first_token, self._values)
            unread = 1 - share
        else:
            value = self._value(self._prompt.verdict(answer.text))
            unread = float(value is None)
        return ParsedAnswer(value, unread, value if self._prompt.kind == "pairwise" else None)

    def _value(self, text: str) -> float | None:
        prompt = self._prompt
        if prompt.kind == "rating":
            return rating(text, prompt.lowest, prompt.highest, prompt.name)
        return preference(text) if prompt.kind == "pairwise" else yes_no(text)
