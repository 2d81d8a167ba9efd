"""Content units: mark which statements a summary makes, or write the statements of a reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rubrica.study.forms.base import (
    SAVED,
    Form,
    InvalidAnswer,
    Item,
    Option,
    Question,
    SystemScores,
)

MAX_LINES = 100
LONGEST_LINE = 500
MEASURE = "litepyramid_recall"


class Units(Form, frozen=True, kw_only=True, tag="rate"):
    """Mark each statement as present or not; tasks come from `tasks make`."""

    pooled: ClassVar[str] = "statements"
    default_heading: ClassVar[str] = "Which statements does the text make?"
    nouns: ClassVar[tuple[str, str]] = ("statement", "marked")
    guide: ClassVar[tuple[str, ...]] = (
        "You will see short texts, each with a list of statements. Mark a statement as present if the "
        "text says it, in whatever words, and as not present if it does not.",
        "Judge by the text alone: what you know from elsewhere does not count, even if it is true.",
        "Look through mistakes of grammar, spelling and capital letters as long as the meaning is "
        "clear. Names may be shorter or longer, numbers and dates a little less exact. A statement "
        "with another person, place or number is not present.",
        "If only a part of a statement is in the text, it is not present.",
        SAVED,
    )
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("P", "mark the statement as present and go to the next"),
        ("N", "mark it as not present and go to the next"),
    )

    def panels(self, item: Item) -> list[tuple[str, str]]:
        """Return the text."""
        return [("Text", item.shown), *item.context]

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return present or not present for each statement."""
        options = (Option("p", "Present", "p"), Option("n", "Not present", "n"))
        return tuple(Question(s["id"], s["text"], options=options) for s in item.statements)

    def labels(self, item: Item, answers: Mapping[int, str]) -> dict[str, Any]:
        """Return the answers about statements that are no checks."""
        checks = {statement["id"] for statement in item.statements if statement["known"]}
        labels = Form.labels(self, item, answers)
        return {name: value for name, value in labels.items() if name not in checks}

    def scores(self, item: Item, answers: Mapping[int, str]) -> SystemScores:
        """Return the share of statements that are present."""
        values = list(self.labels(item, answers).values())
        if not values:
            return {}
        return {item.source: {MEASURE: values.count("p") / len(values)}}


class Writing(Form, frozen=True, kw_only=True, tag="write"):
    """Write what a reference says, one fact per line; tasks come from `scus make`."""

    default_heading: ClassVar[str] = "Write what the text says"
    script: ClassVar[str] = "write.js"
    guide: ClassVar[tuple[str, ...]] = (
        "You will see short texts. Write down what each text says, as a list of short sentences with "
        "one fact each.",
        "Each sentence must be understood by somebody who has not read the text: repeat names "
        "instead of writing he, she or it. Use 4 to 20 words.",
        "Write what the text says and nothing else, the important things first.",
        SAVED,
    )
    moving_keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "next line"),
        ("Alt+U", "undo the last change of a line"),
        ("Alt+I", "show the instructions"),
        ("Ctrl+Enter", "submit"),
    )

    def panels(self, item: Item) -> list[tuple[str, str]]:
        """Return the text."""
        return [("Text", item.shown)]

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return no questions: the lines are free."""
        return ()

    def clean(self, item: Item, place: int, value: str) -> str:
        """Return a line without superfluous blanks."""
        if not 0 <= place < MAX_LINES:
            raise InvalidAnswer("There is no such line.")
        return " ".join(value.split())[:LONGEST_LINE]

    def missing(self, item: Item, answers: Mapping[int, str]) -> str:
        """Return why a task cannot be submitted: nothing is written."""
        return "" if answers else "Nothing is written yet."

    def scores(self, item: Item, answers: Mapping[int, str]) -> SystemScores:
        """Return no scores: the lines become content units."""
        return {}
