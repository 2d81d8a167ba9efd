"""The answers, in SQLite: each is on the disk before the browser reports it as saved."""

from __future__ import annotations

import json
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rubrica.serve.people import Annotator, People, add_annotator, add_tasks, create_tables
from rubrica.study.forms.base import Form, Item
from rubrica.study.forms.definition import decode_form

# Remarks are saved, logged and undone like answers, at places of their own.
REMARKS = {-1: "flag", -2: "comment"}


@dataclass(frozen=True, slots=True)
class Assigned:
    """A task at its position in an annotator's order, with the answers so far by question.

    `remarks` are by name: `flag` and `comment`.
    """

    task: int
    position: int
    item: Item
    answers: dict[int, str]
    opened: float | None
    submitted: float | None
    remarks: dict[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """A task's number (from 1) among an annotator's tasks, and the position before it."""

    number: int
    previous: int | None


@dataclass(frozen=True, slots=True)
class PastTask:
    """A task that was annotated elsewhere: its number, and the answers for it as it is shown here."""

    task: int
    answers: Callable[[Item], dict[int, str]]
    opened: float | None
    submitted: float


class StudyDatabase(People):
    """A study: its annotators, tasks and answers, in a file."""

    @cached_property
    def form(self) -> Form:
        """The kind of tasks, as defined when the study was set up."""
        return decode_form(self.fact("kind") or "rate", self.fact("form"))

    def revision(self) -> tuple[Any, ...]:
        """Return values that differ whenever answers, submissions or settings do."""
        [row] = self._rows(
            "SELECT (SELECT max(id) FROM changes), (SELECT total(undone) FROM changes), "
            "(SELECT total(submitted) FROM assignments), (SELECT count(*) FROM assignments), "
            "(SELECT group_concat(name || failed || removed) FROM annotators)"
        )
        return (*row, *self.settings().values())

    def progress(self, annotator: int) -> tuple[int, int]:
        """Return the number of submitted tasks and of all tasks."""
        row = self._rows(
            "SELECT count(submitted), count(*) FROM assignments WHERE annotator = ?", annotator
        )[0]
        return int(row[0]), int(row[1])

    def next_position(self, annotator: int, after: int = 0) -> int | None:
        """Return the first open task after a position, else the first open task."""
        rows = self._rows(
            "SELECT position FROM assignments WHERE annotator = ? AND submitted IS NULL "
            "ORDER BY position <= ?, position LIMIT 1",
            annotator, after,
        )  # fmt: skip
        return int(rows[0][0]) if rows else None

    def first_position(self, annotator: int) -> int | None:
        """Return the position of an annotator's first task."""
        query = "SELECT min(position) FROM assignments WHERE annotator = ?"
        position: int | None = self._rows(query, annotator)[0][0]
        return position

    def assigned(self, annotator: int, position: int) -> Assigned | None:
        """Return the task at a position of an annotator's order."""
        rows = self._rows(
            "SELECT t.id, t.kind, t.event, t.source, t.shown, t.statements, t.qualification, "
            "t.context, a.opened, a.submitted FROM assignments a JOIN tasks t ON t.id = a.task "
            "WHERE a.annotator = ? AND a.position = ?",
            annotator, position,
        )  # fmt: skip
        if not rows:
            return None
        task, kind, event, source, shown, parts, qualification, context, opened, submitted = rows[0]
        statements = json.loads(parts)
        if self.form.shuffles:
            random.Random(f"shown:{self._seed}:{annotator}:{task}").shuffle(statements)
        texts = tuple((heading, text) for heading, text in json.loads(context))
        item = Item(kind, event, source, shown, tuple(statements), bool(qualification), texts)
        stored = self._answers(annotator, task)
        answers = {place: value for place, value in stored.items() if place >= 0}
        remarks = {REMARKS[place]: value for place, value in stored.items() if place in REMARKS}
        return Assigned(task, position, item, answers, opened, submitted, remarks)

    def items(self) -> list[Item]:
        """Return all tasks, in order."""
        rows = self._rows(
            "SELECT kind, event, source, shown, statements, qualification, context FROM tasks "
            "ORDER BY id"
        )
        return [
            Item(kind, event, source, shown, tuple(json.loads(parts)), bool(practice),
                 tuple((heading, text) for heading, text in json.loads(context)))
            for kind, event, source, shown, parts, practice, context in rows
        ]  # fmt: skip

    def load(
        self, items: Sequence[Item], facts: dict[str, str], people: Mapping[str, Sequence[PastTask]]
    ) -> None:
        """Store a study that was annotated elsewhere; everybody has the tasks that they answered."""
        with self._writing() as db:
            create_tables(db, items, facts)
            for name, past in people.items():
                number = add_annotator(db, name)
                add_tasks(db, number, [task.task for task in past])
                for position, task in enumerate(past, 1):
                    assigned = self.assigned(number, position)
                    assert assigned is not None
                    for place, value in task.answers(assigned.item).items():
                        _put(db, number, task.task, place, value, task.submitted)
                db.executemany(
                    "UPDATE assignments SET opened = ?, submitted = ? WHERE annotator = ? AND task = ?",
                    [(task.opened, task.submitted, number, task.task) for task in past],
                )
        self.is_new = False

    def _answers(self, annotator: int, task: int) -> dict[int, str]:
        rows = self._rows(
            "SELECT place, value FROM answers WHERE annotator = ? AND task = ?", annotator, task
        )
        return {int(place): str(value) for place, value in rows}

    def place(self, annotator: int, position: int) -> Place:
        """Return the place of a position; positions have gaps when tasks were handed over."""
        rows = self._rows(
            "SELECT count(*), max(CASE WHEN position < ? THEN position END) FROM assignments "
            "WHERE annotator = ? AND position <= ?",
            position, annotator, position,
        )  # fmt: skip
        return Place(int(rows[0][0]), rows[0][1])

    def all_assigned(self) -> Iterator[tuple[Annotator, Assigned]]:
        """Yield every task of every annotator, in each one's order."""
        for annotator in self.annotators():
            positions = self._rows(
                "SELECT position FROM assignments WHERE annotator = ? ORDER BY position",
                annotator.id,
            )
            for (position,) in positions:
                assigned = self.assigned(annotator.id, position)
                if assigned is not None:
                    yield annotator, assigned

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield every change of an answer as it happened, also those that were undone."""
        rows = self._rows(
            "SELECT c.id, p.name, t.event, t.source, c.task, c.place, c.before, c.after, c.at, c.undone "
            "FROM changes c JOIN annotators p ON p.id = c.annotator JOIN tasks t ON t.id = c.task "
            "ORDER BY c.id"
        )
        names = ("id", "annotator", "instance_id", "summarizer_id", "task", "place", "before",
                 "after", "at", "undone")  # fmt: skip
        for row in rows:
            yield dict(zip(names, row, strict=True)) | {"undone": bool(row[-1])}

    def open(self, annotator: int, task: int) -> None:
        """Record when a task was first shown."""
        with self._writing() as db:
            db.execute(
                "UPDATE assignments SET opened = ? WHERE annotator = ? AND task = ? AND opened IS NULL",
                (time.time(), annotator, task),
            )

    def answer(self, annotator: int, task: int, place: int, value: str | None) -> None:
        """Store or delete an answer, and log the change."""
        with self._writing() as db:
            before = self._answers(annotator, task).get(place)
            if before == value:
                return
            now = time.time()
            _put(db, annotator, task, place, value, now)
            db.execute(
                "INSERT INTO changes (annotator, task, place, before, after, at) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (annotator, task, place, before, value, now),
            )

    def undo(self, annotator: int, task: int) -> tuple[int, str | None] | None:
        """Undo the last change of a task; return its place and restored value, or None."""
        # All in one transaction: two clicks at once take back two changes, not the same one twice.
        with self._writing() as db:
            rows = self._rows(
                "SELECT id, place, before FROM changes WHERE annotator = ? AND task = ? "
                "AND undone = 0 ORDER BY id DESC LIMIT 1",
                annotator, task,
            )  # fmt: skip
            if not rows:
                return None
            change, place, before = rows[0]
            _put(db, annotator, task, place, before, time.time())
            db.execute("UPDATE changes SET undone = 1 WHERE id = ?", (change,))
        return int(place), before

    def submit(self, annotator: int, task: int) -> None:
        """Mark a task as submitted; annotators may still open and change it."""
        with self._writing() as db:
            db.execute(
                "UPDATE assignments SET submitted = ? WHERE annotator = ? AND task = ?",
                (time.time(), annotator, task),
            )


def _put(
    db: sqlite3.Connection, annotator: int, task: int, place: int, value: str | None, at: float
) -> None:
    if value is None:
        db.execute(
            "DELETE FROM answers WHERE annotator = ? AND task = ? AND place = ?",
            (annotator, task, place),
        )
    else:
        db.execute(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)",
            (annotator, task, place, value, at),
        )
