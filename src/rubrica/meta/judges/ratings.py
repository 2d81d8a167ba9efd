"""Ratings of summaries by several judges, read from files: who gave which unit which label."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rubrica.data.metrics import MetricsDict
from rubrica.data.scores.columns import annotator_column
from rubrica.errors import DataError, MismatchError, UnknownNameError, place
from rubrica.meta.join import SummarizerType
from rubrica.meta.judges.judgment_files import read_rows, text_at, value_at
from rubrica.meta.scores import Matrix

UNIT = ("instance_id", "summarizer_id")
_KEYS = (*UNIT, "summarizer_type", "metrics")


@dataclass(frozen=True, slots=True)
class Ratings:
    """The labels of one question, judges x units, None where a judge gave none.

    `named` judges are persons; otherwise they are places in lists of labels, of which nobody knows
    whether one place is one person.
    """

    question: str
    judges: tuple[str, ...]
    units: tuple[tuple[str, ...], ...]
    labels: tuple[tuple[Any, ...], ...]
    named: bool

    def is_numeric(self) -> bool:
        """Whether every label is a number."""
        return all(isinstance(x, (int, float)) for row in self.labels for x in row if x is not None)

    def cube(
        self, systems: Sequence[str] | None = None, inputs: Sequence[str] | None = None
    ) -> Matrix | None:
        """Judges x systems x inputs (all, or these), where units are summaries and labels are numbers; else None."""
        if not self.is_numeric() or any(len(unit) != 2 for unit in self.units):
            return None
        columns = _places([unit[0] for unit in self.units] if inputs is None else inputs)
        rows = _places([unit[1] for unit in self.units] if systems is None else systems)
        cube = np.full((len(self.judges), len(rows), len(columns)), np.nan)
        for judge, labels in enumerate(self.labels):
            for (instance, system), label in zip(self.units, labels, strict=True):
                if label is not None and instance in columns and system in rows:
                    cube[judge, rows[system], columns[instance]] = label
        return cube


@dataclass(slots=True)
class _Answers:
    """Labels of one question so far, and where each was read."""

    labels: dict[tuple[str, tuple[str, ...]], tuple[Any, str]] = field(default_factory=dict)

    def add(self, judge: str, unit: tuple[str, ...], label: Any, file: str, line: int) -> None:
        label = _label(label, file, line)
        if label is None:
            return
        there = self.labels.get((judge, unit))
        if there is not None and there[0] != label:
            raise MismatchError(
                f"judge {judge!r} gave {' of '.join(unit)} the label {label!r} here, but "
                f"{there[0]!r} in {there[1]}; `judge=...` names the column of the judges, and `unit=...` the "
                "columns of what a judge labels once",
                file=file,
                line=line,
            )
        if there is None:
            self.labels[judge, unit] = (label, place(file, line))


class NoLabelsError(DataError):
    """Nothing in the files is a label by one of several judges."""


def read_ratings(
    files: Sequence[str | os.PathLike[str]],
    questions: Sequence[str] | None = None,
    *,
    judge: str | None = None,
    judges: Sequence[str] | None = None,
    unit: Sequence[str] | None = None,
    summarizer_type: SummarizerType = "all",
) -> list[Ratings]:
    """The ratings of each question, from tables, JSON or JSON lines of one of three shapes.

    With `judge`, the column of the judge's name: a row is one judge's labels of one unit. With
    `judges`, columns: a row is one unit, each column a judge. Without both, a column with a usual name
    such as `annotator` holds the judges; without such a column labels are lists, one per judge, as in
    files of scores. `unit` names the columns that make up a unit, by default
    `instance_id` and `summarizer_id`. Texts that are numbers count as numbers if all of a
    question's are; empty ones are gaps. Two labels by one judge for one unit are refused. Rows of
    another `summarizer_type` are passed over; rows that have none count.
    """
    if judge is not None and judges is not None:
        raise DataError("judges are in one column or in several, not both")
    own_names = {*(unit or ()), judge, *(judges or ()), *(questions or ())}
    answers_by_question: dict[str, _Answers] = {}
    seen: dict[str, None] = {}
    for path in files:
        file = os.fspath(path)
        for line, row in read_rows(file, own_names):
            if summarizer_type not in ("all", row.get("summarizer_type", summarizer_type)):
                continue
            if judge is None and judges is None and not seen:
                judge = annotator_column(str(name) for name in row if name not in own_names)
            where = tuple(
                text_at(row, name, file, line, "which names the unit (see `unit=...`)")
                for name in (unit or [name for name in UNIT if name in row] or UNIT)
            )
            if line == 1 or not seen:
                seen |= dict.fromkeys(_questions(row, judge, unit))
            seen |= dict.fromkeys(map(str, row))
            if judges is not None:
                for name in judges:
                    if name in row:
                        answers_by_question.setdefault("labels", _Answers()).add(
                            name, where, row[name], file, line
                        )
                continue
            asked = questions if questions is not None else _questions(row, judge, unit)
            person = None if judge is None else text_at(row, judge, file, line, "the judge")
            for name in asked:
                value = value_at(row, name)
                values = value if isinstance(value, list) else [value]
                if person is not None and len(values) > 1:
                    raise DataError(
                        f"{name} is a list, but judge {person!r} can give one label",
                        file=file,
                        line=line,
                    )
                for at, label in enumerate(values, 1):
                    answers_by_question.setdefault(name, _Answers()).add(
                        person or str(at), where, label, file, line
                    )
    for name in judges if judges is not None else questions or ():
        if name not in seen and not any(
            answers.labels for key, answers in answers_by_question.items() if key == name
        ):
            labelled = [key for key, answers in answers_by_question.items() if answers.labels]
            raise UnknownNameError("column", name, [*seen, *labelled])
    ratings = [
        _ratings(name, answers, judge is not None or judges is not None)
        for name, answers in answers_by_question.items()
    ]
    if questions is None and judge is None and judges is None:
        ratings = [answers for answers in ratings if len(answers.judges) > 1]
    if not any(answers.units for answers in ratings):
        raise NoLabelsError(
            "the files hold no labels by two judges; see `labels=...`, `judge=...` and `judges=...`"
        )
    return ratings


def _questions(row: dict[str, Any], judge: str | None, unit: Sequence[str] | None) -> list[str]:
    """All columns that are not the judge nor the unit, and every measure inside `metrics`."""
    inside = row.get("metrics")
    names = [*MetricsDict(inside).measure_names()] if isinstance(inside, dict) else []
    known = {*_KEYS, judge, *(unit or ())}
    return [*(str(name) for name in row if name not in known), *names]


def _label(value: Any, file: str, line: int) -> Any:
    if value is None or value == "" or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, (str, int, float)):
        kind = "an object" if isinstance(value, dict) else "a list"
        raise DataError(
            f"expected a label, found {kind}; name what was labelled with `labels=...`",
            file=file,
            line=line,
        )
    return value


def _ratings(question: str, answers: _Answers, named: bool) -> Ratings:
    judges = tuple(dict.fromkeys(judge for judge, _ in answers.labels))
    units = tuple(dict.fromkeys(unit for _, unit in answers.labels))
    known = {key: label for key, (label, _) in answers.labels.items()}
    numbers = {key: _number(label) for key, label in known.items()}
    if all(number is not None for number in numbers.values()):
        known = numbers
    labels = tuple(tuple(known.get((judge, unit)) for unit in units) for judge in judges)
    return Ratings(question, judges, units, labels, named)


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: at for at, name in enumerate(dict.fromkeys(names))}


def _number(label: Any) -> float | int | None:
    if isinstance(label, (int, float)):
        return label
    try:
        value = float(label)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
