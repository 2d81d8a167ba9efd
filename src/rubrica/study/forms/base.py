"""What all kinds of tasks share: texts to read, questions with their answers, and scores from answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from rubrica.data.instance import EvalInstance, flatten

Control: TypeAlias = Literal["choice", "slider", "text"]
Scale: TypeAlias = Literal["nominal", "ordinal", "interval"]
# By system, then by measure: what one annotator's answers say about the summaries of a task.
SystemScores: TypeAlias = dict[str, dict[str, float]]
# The answer of an annotator who cannot decide; it counts as no answer.
UNSURE = "unsure"
LONGEST_TEXT = 5000
SAVED = "Every answer is saved at once. You can stop at any time and come back by your link."
MOVING_KEYS = (
    ("J", "next question"),
    ("K", "previous question"),
    ("U", "undo the last answer"),
    ("I", "show the instructions"),
    ("Enter", "submit when all is answered"),
)
_FIELDS = {"document": "documents", "reference": "references"}


class InvalidAnswer(ValueError):
    """An answer that the task does not allow; the annotator sees the message."""


@dataclass(frozen=True, slots=True)
class Item:
    """A task as it is stored: texts to read and the statements, sentences or summaries to judge.

    `source` is the system or the reference; annotators never see it. `context` are pairs of a
    heading and a text, shown above. A statement has an `id`, a `text`, and `known`: the right
    answer of a check, or "".
    """

    kind: str
    event: str
    source: str
    shown: str
    statements: tuple[dict[str, str], ...] = ()
    qualification: bool = False
    context: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to choose: its stored value, its label, and the key that chooses it."""

    value: str
    label: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a task; `name` is its measure or the statement's id."""

    name: str
    label: str
    note: str = ""
    control: Control = "choice"
    options: tuple[Option, ...] = ()
    low: int = 0
    high: int = 100
    ends: tuple[str, ...] = ()
    optional: bool = False

    def clean(self, value: str) -> str:
        """Return an answer as it is stored; raise `InvalidAnswer` if it is not allowed."""
        if self.control == "text":
            return value.strip()[:LONGEST_TEXT]
        if self.control == "slider":
            digits = value.removeprefix("-")
            whole = digits.isascii() and digits.isdecimal() and len(digits) < 10
            if whole and self.low <= int(value) <= self.high:
                return str(int(value))
            raise InvalidAnswer(f"An answer is a whole number from {self.low} to {self.high}.")
        values = [option.value for option in self.options]
        if value not in values:
            raise InvalidAnswer(f"An answer is one of {', '.join(values)}.")
        return value


class Dimension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is rated: `name` becomes the measure, `text` explains it to annotators."""

    name: str
    text: str = ""


class Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A kind of task. Subclasses add their keys, build items, ask questions and compute scores.

    `heading` is the question above each task; `show` names the fields that annotators read beside
    the summary.
    """

    title: str = "Annotation"
    instructions: str = ""
    heading: str = ""
    show: tuple[Literal["document", "reference"], ...] = ()
    comments: bool = True
    unsure: bool = False

    # Whether each annotator sees the statements (summaries to compare) in an order of their own.
    shuffles: ClassVar[bool] = False
    scale: ClassVar[Scale] = "nominal"
    # One name for all questions whose labels mean the same; "" if each question is its own.
    pooled: ClassVar[str] = ""
    default_heading: ClassVar[str] = "Rate the summary"
    script: ClassVar[str] = "form.js"
    # What is answered, and how that is called: "2 statements are not marked yet".
    nouns: ClassVar[tuple[str, str]] = ("question", "answered")
    # The instructions of a study without its own, and the keys beside those to move.
    guide: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    moving_keys: ClassVar[tuple[tuple[str, str], ...]] = MOVING_KEYS

    def problem(self) -> str:
        """Return what is inconsistent in the definition, with a remedy, or ""."""
        return ""

    def items(self, summaries: Sequence[EvalInstance], seed: int) -> list[Item]:
        """Return the tasks for these summaries; by default one task for each."""
        return [
            Item(
                self.kind, instance.instance_id, instance.summarizer_id,
                flatten(instance.fields["summary"]), self.statements(instance), False,
                self.context(instance),
            )
            for instance in summaries
        ]  # fmt: skip

    def statements(self, instance: EvalInstance) -> tuple[dict[str, str], ...]:
        """Return the parts of a summary that are judged one by one; by default none."""
        return ()

    def context(self, instance: EvalInstance) -> tuple[tuple[str, str], ...]:
        """Return the headings and texts that `show` names."""
        texts = []
        for name in self.show:
            values = instance.fields[_FIELDS[name]]
            for number, text in enumerate(values, 1):
                heading = name.title() + (f" {number}" if len(values) > 1 else "")
                texts.append((heading, flatten(text)))
        return tuple(texts)

    def panels(self, item: Item) -> list[tuple[str, str]]:
        """Return the headings and texts that annotators read: first what they judge, which stays in sight."""
        return [("Summary", item.shown), *item.context]

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return the questions of this kind about a task."""
        raise NotImplementedError

    def questions(self, item: Item) -> tuple[Question, ...]:
        """Return the questions of a task; an answer's place is its question's index."""
        questions = self.ask(item)
        if not self.unsure:
            return questions
        return tuple(
            replace(question, options=(*question.options, Option(UNSURE, "Unsure", "x")))
            if question.control == "choice"
            else question
            for question in questions
        )

    def clean(self, item: Item, place: int, value: str) -> str:
        """Return an answer as it is stored; raise `InvalidAnswer` if it is not allowed."""
        questions = self.questions(item)
        if not 0 <= place < len(questions):
            raise InvalidAnswer("There is no such question.")
        return questions[place].clean(value)

    def missing(self, item: Item, answers: Mapping[int, str]) -> str:
        """Return why a task cannot be submitted yet, or ""."""
        left = sum(
            place not in answers and not question.optional
            for place, question in enumerate(self.questions(item))
        )
        noun, answered = self.nouns
        if left == 1:
            return f"1 {noun} is not {answered} yet."
        return f"{left} {noun}s are not {answered} yet." if left else ""

    def labels(self, item: Item, answers: Mapping[int, str]) -> dict[str, Any]:
        """Return the label of each question by its name, for agreement; numbers unless nominal."""
        number: Any = str if self.scale == "nominal" else float
        return {
            question.name: number(answers[place])
            for place, question in enumerate(self.questions(item))
            if place in answers and question.control != "text" and answers[place] != UNSURE
        }

    def scores(self, item: Item, answers: Mapping[int, str]) -> SystemScores:
        """Return what the answers say about each system of the task."""
        return {
            item.source: {name: float(value) for name, value in self.labels(item, answers).items()}
        }

    def reordered(self, answers: Mapping[int, str], places: Sequence[int]) -> dict[int, str]:
        """Return the answers if the statements were in another order; `places` are the new ones."""
        return dict(answers)

    def width(self, measure: str) -> float | None:
        """Return the width of a measure's scale, None if it has no bounds; shares have a width of 1."""
        return 1.0

    @property
    def kind(self) -> str:
        """The name of the kind, as in the file."""
        return str(self.__struct_config__.tag)


@dataclass(frozen=True, slots=True)
class Judgment:
    """The submitted answers of one annotator about one task."""

    annotator: str
    item: Item
    answers: dict[int, str]
    seconds: float | None = None
    remarks: dict[str, str] = field(default_factory=dict)


def measure_name(name: str) -> bool:
    """Whether a name can be a measure: letters, digits, `_` and `-`."""
    return bool(name) and name.isascii() and name.replace("_", "").replace("-", "").isalnum()


def names_problem(key: str, names: Sequence[str]) -> str:
    """Return what is wrong with the names of dimensions, or ""."""
    if not names:
        return f"[[{key}]] is empty; add one with a name"
    for name in names:
        if not measure_name(name):
            return f"{key}: {name!r} cannot name a measure; use letters, digits, _ and -"
        if names.count(name) > 1:
            return f"{key}: {name!r} occurs twice; give each a name of its own"
    return ""
