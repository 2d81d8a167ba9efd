"""Error spans as in MQM and ESA: marked words, each error with a category and a severity."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from rubrica.study.forms.base import (
    SAVED,
    Form,
    InvalidAnswer,
    Item,
    Question,
    Scale,
    SystemScores,
    measure_name,
)

MAX_SPANS = 100
# Scripts without blanks between words are marked letter by letter.
_WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|\\w+|[^\\w\\s]"
)


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error: where it is, in code points of the shown text, and what it is."""

    start: int
    end: int
    category: str
    severity: str


class Spans(Form, frozen=True, kw_only=True, tag="spans"):
    """Mark errors; `mqm` is minus the sum of their weights. With `score`, rate from 0 to 100, too (ESA)."""

    categories: tuple[str, ...]
    severities: dict[str, float] = msgspec.field(
        default_factory=lambda: {"minor": 1.0, "major": 5.0}
    )
    name: str = "mqm"
    score: bool = False
    score_name: str = "esa"

    default_heading: ClassVar[str] = "Mark the errors of the summary"
    scale: ClassVar[Scale] = "interval"
    script: ClassVar[str] = "spans.js"
    guide: ClassVar[tuple[str, ...]] = (
        "Mark every error of the summary: choose its first and its last word, then a category and how "
        "severe it is. A summary without errors gets no marks.",
        SAVED,
    )
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("← →", "go to another word"),
        ("Shift+← Shift+→", "choose several words"),
        ("1 to 9", "choose the category"),
        ("S", "choose the next severity"),
        ("Enter", "add the error"),
    )
    moving_keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("U", "undo the last change"),
        ("I", "show the instructions"),
        ("Ctrl+Enter", "submit"),
    )

    def problem(self) -> str:
        """Return what is inconsistent, or ""."""
        if not 1 <= len(self.categories) <= 9 or len(set(self.categories)) < len(self.categories):
            return "categories: list 1 to 9 different names"
        if not self.severities or any(not weight >= 0 for weight in self.severities.values()):
            return "severities: give each a weight of at least 0, such as {minor = 1, major = 5}"
        if bad := [name for name in (self.name, self.score_name) if not measure_name(name)]:
            return f"name: {bad[0]!r} cannot name a measure; use letters, digits, _ and -"
        return ""

    def panels(self, item: Item) -> list[tuple[str, str]]:
        """Return the context; the summary is where errors are marked."""
        return list(item.context)

    def width(self, measure: str) -> float | None:
        """Return 100 for the score; the number of errors has no bound."""
        return 100.0 if self.score and measure == self.score_name else None

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return the question for the score, if there is one."""
        if not self.score:
            return ()
        return (
            Question(
                self.score_name, "Overall score", "0 to 100", "slider", ends=("worst", "best")
            ),
        )

    def words(self, item: Item) -> list[tuple[int, int]]:
        """Return the bounds of the words that can be marked."""
        return [match.span() for match in _WORD.finditer(item.shown)]

    def clean(self, item: Item, place: int, value: str) -> str:
        """Return the score (place 0) or an error (places from 1) as it is stored."""
        if place == 0 and self.score:
            return self.ask(item)[0].clean(value)
        if not 1 <= place <= MAX_SPANS:
            raise InvalidAnswer(f"Mark at most {MAX_SPANS} errors.")
        try:
            span = msgspec.json.decode(value, type=Span)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise InvalidAnswer("An error has start, end, category and severity.") from error
        if not 0 <= span.start < span.end <= len(item.shown):
            raise InvalidAnswer("There are no such words.")
        if span.category not in self.categories or span.severity not in self.severities:
            raise InvalidAnswer("There is no such category or severity.")
        return msgspec.json.encode(span).decode()

    def spans(self, answers: Mapping[int, str]) -> list[Span]:
        """Return the marked errors, in the order of the text."""
        marked = [msgspec.json.decode(v, type=Span) for place, v in answers.items() if place >= 1]
        return sorted(marked, key=lambda span: (span.start, span.end))

    def missing(self, item: Item, answers: Mapping[int, str]) -> str:
        """Return why a task cannot be submitted: a summary may have no error, but needs its score."""
        return "The overall score is missing." if self.score and 0 not in answers else ""

    def labels(self, item: Item, answers: Mapping[int, str]) -> dict[str, Any]:
        """Return minus the weight of all errors, and the overall score."""
        penalty = sum(self.severities[span.severity] for span in self.spans(answers))
        labels = {self.name: 0.0 - penalty}
        if self.score and 0 in answers:
            labels[self.score_name] = float(answers[0])
        return labels

    def scores(self, item: Item, answers: Mapping[int, str]) -> SystemScores:
        """Return the same for the system."""
        return {item.source: self.labels(item, answers)}
