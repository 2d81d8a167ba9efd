"""Free text: questions that annotators answer in their own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import msgspec

from rubrica.study.forms.base import (
    SAVED,
    Dimension,
    Form,
    Item,
    Question,
    SystemScores,
    names_problem,
)


class TextQuestion(Dimension, frozen=True, forbid_unknown_fields=True):
    """A question; an `optional` answer may stay empty."""

    optional: bool = False


class FreeText(Form, frozen=True, kw_only=True, tag="text"):
    """Ask for texts, such as a critique or a corrected summary. They give no scores."""

    asked: tuple[TextQuestion, ...] = msgspec.field(name="questions")

    default_heading: ClassVar[str] = "Read the summary and answer"
    guide: ClassVar[tuple[str, ...]] = ("Read each summary and answer in your own words.", SAVED)
    moving_keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Alt+U", "undo the last answer"),
        ("Alt+I", "show the instructions"),
        ("Ctrl+Enter", "submit"),
    )

    def problem(self) -> str:
        """Return what is inconsistent, or ""."""
        return names_problem("questions", [question.name for question in self.asked])

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return a text box for each question."""
        return tuple(
            Question(q.name, q.text or q.name, control="text", optional=q.optional)
            for q in self.asked
        )

    def scores(self, item: Item, answers: Mapping[int, str]) -> SystemScores:
        """Return no scores: texts are exported as they are."""
        return {}
