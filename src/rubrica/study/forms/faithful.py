"""Faithfulness: for each sentence of a summary, does the document support it?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from rubrica.data.instance import EvalInstance
from rubrica.study.forms.base import SAVED, Form, Item, Option, Question, SystemScores, measure_name
from rubrica.text.sentences import sentences_of


class Faithful(Form, frozen=True, kw_only=True, tag="faithful"):
    """Answer yes or no for each sentence; the score is the share of yes."""

    name: str = "faithfulness"
    show: tuple[Literal["document", "reference"], ...] = ("document",)
    yes: str = "Supported"
    no: str = "Not supported"

    pooled: ClassVar[str] = "sentences"
    default_heading: ClassVar[str] = "Does the document support each sentence?"
    nouns: ClassVar[tuple[str, str]] = ("sentence", "marked")
    guide: ClassVar[tuple[str, ...]] = (
        "Read the document. Then decide for each sentence of the summary whether the document supports "
        "all of it. What you know from elsewhere does not count, even if it is true.",
        SAVED,
    )
    keys: ClassVar[tuple[tuple[str, str], ...]] = (("Y", "supported"), ("N", "not supported"))

    def problem(self) -> str:
        """Return what is inconsistent, or ""."""
        if not measure_name(self.name):
            return f"name: {self.name!r} cannot name a measure; use letters, digits, _ and -"
        return ""

    def statements(self, instance: EvalInstance) -> tuple[dict[str, str], ...]:
        """Return the sentences of the summary."""
        return tuple(
            {"id": str(number), "text": sentence, "known": ""}
            for number, sentence in enumerate(sentences_of(instance.fields["summary"]), 1)
        )

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return yes or no for each sentence."""
        options = (Option("y", self.yes, "y"), Option("n", self.no, "n"))
        return tuple(Question(s["id"], s["text"], options=options) for s in item.statements)

    def scores(self, item: Item, answers: Mapping[int, str]) -> SystemScores:
        """Return the share of supported sentences."""
        values = list(self.labels(item, answers).values())
        if not values:
            return {}
        return {item.source: {self.name: values.count("y") / len(values)}}
