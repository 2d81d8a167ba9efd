"""The answers, in SQLite: each is on the disk before the browser reports it as saved."""

from __future__ import annotations

import json
import os
import random
import secrets
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rubrica.errors import MismatchError, ParameterError, UnknownNameError
from rubrica.serve.assignment import assign, heirs, open_share, share_of_newcomer
from rubrica.serve.schema import SCHEMA, TABLES, open_database
from rubrica.study.forms.base import Form, Item
from rubrica.study.forms.definition import decode_form

# Remarks are saved, logged and undone like answers, at places of their own.
REMARKS = {-1: "flag", -2: "comment"}
# What the owner may change later, with the values of a study that says nothing.
DEFAULT_SETTINGS = {
    "title": "Annotation",
    "instructions": "",
    "pass_share": "0.8",
    "practice_feedback": "",
    "paused": "",
    "rules": "",
    "pay_per_task": "0",
    "bonus": "0",
    "bonus_agreement": "0.8",
    "enrolment": "",
    "consent": "",
    "completion_code": "",
    "tasks_each": "",
}


@dataclass(frozen=True, slots=True)
class Annotator:
    """A person, by pseudonym; the token is their personal link, `external` their id on a platform."""

    id: int
    name: str
    token: str
    failed: bool
    removed: bool = False
    external: str = ""
    consented: bool = False


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


class Store:
    """One study's file. Safe for several threads; one process at a time should write."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._db, self.is_new = open_database(path)
        # A store that nobody closes.
        weakref.finalize(self, self._db.close)

    def close(self) -> None:
        """Close the file; what is left in the write-ahead log moves into it."""
        with self._lock:
            self._checkpoint()
            self._db.close()

    def _checkpoint(self) -> None:
        with suppress(sqlite3.Error):  # another process may be reading
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def backup(self, path: str) -> None:
        """Write a whole copy of the study as of now; others may go on writing."""
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(path)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction, which is on the disk when the block ends."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def fact(self, name: str) -> str | None:
        """Return a fact about the study, such as its kind."""
        rows = self._rows("SELECT value FROM facts WHERE name = ?", name)
        return str(rows[0][0]) if rows else None

    @cached_property
    def form(self) -> Form:
        """The kind of tasks, as defined when the study was set up."""
        return decode_form(self.fact("kind") or "rate", self.fact("form"))

    @cached_property
    def _seed(self) -> str:
        return self.fact("seed") or "0"

    def token(self, name: str) -> str:
        """Return a secret link of the study, such as the owner's; it is created when first asked for."""
        with self._writing() as db:
            words = (name, secrets.token_urlsafe(24))
            db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", words)
        return self.fact(name) or ""

    def revision(self) -> tuple[Any, ...]:
        """Return values that differ whenever answers, submissions or settings do."""
        [row] = self._rows(
            "SELECT (SELECT max(id) FROM changes), (SELECT total(undone) FROM changes), "
            "(SELECT total(submitted) FROM assignments), (SELECT count(*) FROM assignments), "
            "(SELECT group_concat(name || failed || removed) FROM annotators)"
        )
        return (*row, *self.settings().values())

    # Setting up

    def set_up(
        self, items: Sequence[Item], names: Sequence[str], *, per_task: int | None, seed: int,
        facts: dict[str, str], inputs: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        """Store tasks, annotators with their links, and each one's own order; once, in a new file.

        `inputs` is the order of inputs for everybody; by default each annotator has a shuffle.
        """
        if not self.is_new:
            raise MismatchError("the study is set up already", file=self.path)
        is_open = bool(facts.get("enrolment"))
        if not items or not (names or is_open):
            raise ParameterError("a study needs tasks and annotators")
        if len(set(names)) < len(names):
            raise ParameterError("two annotators have the same name")
        if per_task is not None and not (per_task >= 1 and (is_open or per_task <= len(names))):
            raise ParameterError(f"{per_task} annotators per task, of {len(names)}")
        with self._writing() as db:
            for statement in TABLES.split(";"):
                db.execute(statement)
            basics = {"schema": str(SCHEMA), "secret": secrets.token_hex(32), "seed": str(seed)}
            basics |= DEFAULT_SETTINGS | {"per_task": "" if per_task is None else str(per_task)}
            db.executemany("INSERT INTO facts VALUES (?, ?)", (basics | facts).items())
            db.executemany(
                "INSERT INTO tasks (kind, event, source, shown, statements, qualification, context) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(i.kind, i.event, i.source, i.shown, json.dumps(i.statements), i.qualification,
                  json.dumps(i.context)) for i in items],
            )  # fmt: skip
            practice = [n for n, item in enumerate(items, 1) if item.qualification]
            tasks = [n for n, item in enumerate(items, 1) if not item.qualification]
            ranks = None
            if inputs is not None:
                place = {name: number for number, name in enumerate(inputs)}
                ranks = {n: place[item.event] for n, item in enumerate(items, 1)}
            orders = assign(practice, tasks, len(names), per_task, seed, ranks)
            for name, order in zip(names, orders, strict=True):
                _add_tasks(db, _add_annotator(db, name), order)
        self._checkpoint()
        self.is_new = False

    def settings(self) -> dict[str, str]:
        """Return the settings that can be changed."""
        return {name: self.fact(name) or value for name, value in DEFAULT_SETTINGS.items()}

    def change_setting(self, name: str, value: str) -> None:
        """Change a setting; a running server uses it from the next page on."""
        if name not in DEFAULT_SETTINGS:
            raise UnknownNameError("setting", name, DEFAULT_SETTINGS)
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def add_annotator(self, name: str) -> Annotator:
        """Add an annotator with a fair share of the tasks that nobody has opened."""
        if any(annotator.name == name for annotator in self.annotators()):
            raise ParameterError(f"annotator {name!r} already exists")
        with self._writing() as db:
            holders = self._holders()
            unopened = {
                annotator.id: self._tasks(annotator.id, "opened IS NULL AND qualification = 0")
                for annotator in self.annotators()
                if not annotator.failed and not annotator.removed
            }
            per_task = self.fact("per_task")
            tasks, handed_over = list(holders), dict[int, list[int]]()
            if per_task:
                tasks, handed_over = share_of_newcomer(unopened, holders, int(per_task))
            for annotator, others in handed_over.items():
                db.executemany(
                    "DELETE FROM assignments WHERE annotator = ? AND task = ?",
                    [(annotator, task) for task in others],
                )
            number = self._add_with_tasks(db, name, tasks)
        return next(annotator for annotator in self.annotators() if annotator.id == number)

    def enrol(self, external: str) -> Annotator | None:
        """Return the annotator with this id on a platform, new or known; None if no task is left.

        Without an id, everybody is new. Joining includes consent.
        """
        with self._writing() as db:
            people = self.annotators()
            known = next((a for a in people if external and a.external == external), None)
            if known is not None:
                return known
            per_task, most = self.fact("per_task"), self.settings()["tasks_each"]
            name = f"person-{len(people) + 1}"
            chance = random.Random(f"enrol:{self._seed}:{name}")
            tasks = open_share(
                self._holders(),
                int(per_task) if per_task else None,
                int(most) if most else None,
                chance,
            )
            if not tasks:
                return None
            number = self._add_with_tasks(db, name, tasks)
            db.execute("UPDATE annotators SET external = ? WHERE id = ?", (external, number))
            self._record_consent(db, number)
        return next(annotator for annotator in self.annotators() if annotator.id == number)

    def consent(self, annotator: int) -> None:
        """Record that an annotator agreed to take part."""
        with self._writing() as db:
            self._record_consent(db, annotator)

    def _record_consent(self, db: sqlite3.Connection, annotator: int) -> None:
        db.execute("UPDATE annotators SET consented = ? WHERE id = ?", (time.time(), annotator))

    def _holders(self) -> dict[int, int]:
        """Return how many annotators have each task; those who left count for what they submitted."""
        return dict(
            self._rows(
                "SELECT t.id, count(p.id) FROM tasks t LEFT JOIN assignments a ON a.task = t.id "
                "LEFT JOIN annotators p ON p.id = a.annotator AND "
                "(p.removed + p.failed = 0 OR a.submitted IS NOT NULL) "
                "WHERE t.qualification = 0 GROUP BY t.id"
            )
        )

    def _add_with_tasks(self, db: sqlite3.Connection, name: str, tasks: list[int]) -> int:
        """Add an annotator with practice first, then these tasks in the order of the study."""
        practice = [t for (t,) in self._rows("SELECT id FROM tasks WHERE qualification = 1")]
        number = _add_annotator(db, name)
        random.Random(f"order:{self.fact('seed')}:{name}").shuffle(tasks)
        if order := self.fact("order"):
            place = {event: number for number, event in enumerate(json.loads(order))}
            events = dict(self._rows("SELECT id, event FROM tasks"))
            tasks.sort(key=lambda task: place[events[task]])
        _add_tasks(db, number, [*practice, *tasks])
        return number

    def remove_annotator(self, name: str) -> int:
        """Close an annotator's link and give the tasks left to others; return how many found a taker.

        Submitted tasks stay. Where every task goes to every annotator there is nobody to take them.
        """
        leaving = next(
            (annotator for annotator in self.annotators() if annotator.name == name), None
        )
        if leaving is None:
            raise UnknownNameError(
                "annotator", name, [annotator.name for annotator in self.annotators()]
            )
        with self._writing() as db:
            db.execute("UPDATE annotators SET removed = 1 WHERE id = ?", (leaving.id,))
            staying = [a.id for a in self.annotators() if not a.failed and not a.removed]
            inherited = heirs(
                self._tasks(leaving.id, "submitted IS NULL AND qualification = 0"),
                {annotator: set(self._tasks(annotator, "1")) for annotator in staying},
                {
                    annotator: len(self._tasks(annotator, "submitted IS NULL"))
                    for annotator in staying
                },
            )
            for annotator, tasks in inherited.items():
                _add_tasks(db, annotator, tasks)
        return sum(map(len, inherited.values()))

    def assign_task(self, task: int, name: str) -> None:
        """Give a task to one more annotator, as the last of their order."""
        annotator = next((a for a in self.annotators() if a.name == name and not a.removed), None)
        if annotator is None:
            raise UnknownNameError("annotator", name, [a.name for a in self.annotators()])
        with self._writing() as db:
            if not self._rows("SELECT 1 FROM tasks WHERE id = ?", task):
                raise ParameterError(f"there is no task {task}")
            if task in self._tasks(annotator.id, "1"):
                raise ParameterError(f"{name} has this task already")
            _add_tasks(db, annotator.id, [task])

    def _tasks(self, annotator: int, condition: str) -> list[int]:
        rows = self._rows(
            "SELECT a.task FROM assignments a JOIN tasks t ON t.id = a.task "
            f"WHERE a.annotator = ? AND {condition} ORDER BY a.position",
            annotator,
        )
        return [int(task) for (task,) in rows]

    # Reading

    def annotators(self) -> list[Annotator]:
        """Return all annotators, in order."""
        return [_annotator(row) for row in self._rows(f"{_ANNOTATORS} ORDER BY id")]

    def annotator_with(self, token: str) -> Annotator | None:
        """Return the annotator with this link."""
        # An index, not a comparison of all: a link has 192 random bits, which no timing reveals.
        rows = self._rows(f"{_ANNOTATORS} WHERE token = ?", token)
        return next(map(_annotator, rows), None)

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

    # Writing

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

    def fail(self, annotator: int) -> None:
        """Record that an annotator did not pass the qualification."""
        with self._writing() as db:
            db.execute("UPDATE annotators SET failed = 1 WHERE id = ?", (annotator,))


_ANNOTATORS = "SELECT id, name, token, failed, removed, external, consented FROM annotators"


def _annotator(row: tuple[Any, ...]) -> Annotator:
    number, name, token, failed, removed, external, consented = row
    return Annotator(
        number, name, token, bool(failed), bool(removed), external, consented is not None
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


def _add_annotator(db: sqlite3.Connection, name: str) -> int:
    cursor = db.execute(
        "INSERT INTO annotators (name, token) VALUES (?, ?)", (name, secrets.token_urlsafe(24))
    )
    return int(cursor.lastrowid or 0)


def _add_tasks(db: sqlite3.Connection, annotator: int, tasks: Sequence[int]) -> None:
    """Append tasks to an annotator's order."""
    query = "SELECT coalesce(max(position), 0) FROM assignments WHERE annotator = ?"
    [(last,)] = db.execute(query, (annotator,)).fetchall()
    db.executemany(
        "INSERT INTO assignments (annotator, task, position) VALUES (?, ?, ?)",
        [(annotator, task, place) for place, task in enumerate(tasks, last + 1)],
    )
