"""The answers, in SQLite: every one is on the disk before the browser hears that it is saved."""

from __future__ import annotations

import json
import os
import random
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rubrica.errors import DataError, MismatchError, ParameterError

Kind: TypeAlias = Literal["rate", "write"]
SCHEMA = 1

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, event TEXT NOT NULL, source TEXT NOT NULL,
    shown TEXT NOT NULL, statements TEXT NOT NULL, qualification INTEGER NOT NULL,
    UNIQUE (kind, event, source));
CREATE TABLE annotators (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE,
    failed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE assignments (
    annotator INTEGER NOT NULL REFERENCES annotators, task INTEGER NOT NULL REFERENCES tasks,
    position INTEGER NOT NULL, opened REAL, submitted REAL,
    PRIMARY KEY (annotator, task), UNIQUE (annotator, position)) WITHOUT ROWID;
CREATE TABLE answers (
    annotator INTEGER NOT NULL, task INTEGER NOT NULL, place INTEGER NOT NULL, value TEXT NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (annotator, task, place)) WITHOUT ROWID;
CREATE TABLE changes (
    id INTEGER PRIMARY KEY, annotator INTEGER NOT NULL, task INTEGER NOT NULL, place INTEGER NOT NULL,
    before TEXT, after TEXT, at REAL NOT NULL, undone INTEGER NOT NULL DEFAULT 0);
"""


@dataclass(frozen=True, slots=True)
class Item:
    """A task as it is kept: statements to mark, or (`write`) a number of lines to write on.

    `source` is the system or the reference; annotators never see it.
    """

    kind: Kind
    event: str
    source: str
    shown: str
    statements: tuple[dict[str, str], ...]
    qualification: bool = False


@dataclass(frozen=True, slots=True)
class Annotator:
    """A person, by pseudonym; the token is their personal link."""

    id: int
    name: str
    token: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Assigned:
    """A task in its place in somebody's order, with the answers so far by place of statement."""

    task: int
    position: int
    item: Item
    answers: dict[int, str]
    opened: float | None
    submitted: float | None


class Store:
    """One study's file. Safe for several threads; one process at a time should write."""

    def __init__(self, path: str) -> None:
        self.path = path
        new = not os.path.exists(path)
        try:
            if new:
                # Links and answers are nobody else's business.
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA foreign_keys=ON")
            self._db.execute("PRAGMA busy_timeout=5000")
            tables = {row[0] for row in self._db.execute("SELECT name FROM sqlite_master")}
        except (sqlite3.Error, OSError) as error:
            raise DataError(f"cannot be used as the study's file: {error}", file=path) from error
        if tables and "facts" not in tables:
            raise DataError("is a database, and not one of a study", file=path)
        self._lock = threading.RLock()
        self.is_new = not tables
        if not self.is_new and self.fact("schema") != str(SCHEMA):
            raise DataError(
                f"was made by another version (schema {self.fact('schema')})", file=path
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: on the disk when the block has ended."""
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
        """Something noted about the study."""
        rows = self._rows("SELECT value FROM facts WHERE name = ?", name)
        return str(rows[0][0]) if rows else None

    # Setting up

    def set_up(
        self, items: Sequence[Item], names: Sequence[str], *, per_task: int | None, seed: int,
        facts: dict[str, str],
    ) -> None:  # fmt: skip
        """Tasks, annotators with links, and each one's own order; once, for a new file."""
        if not self.is_new:
            raise MismatchError("the study is set up already", file=self.path)
        if not items or not names:
            raise ParameterError("a study needs tasks and annotators")
        if len(set(names)) < len(names):
            raise ParameterError("two annotators have the same name")
        if per_task is not None and not 1 <= per_task <= len(names):
            raise ParameterError(f"{per_task} annotators per task, of {len(names)}")
        with self._writing() as db:
            for statement in _TABLES.split(";"):
                db.execute(statement)
            noted = {"schema": str(SCHEMA), "secret": secrets.token_hex(32), "seed": str(seed)}
            db.executemany("INSERT INTO facts VALUES (?, ?)", (noted | facts).items())
            db.executemany(
                "INSERT INTO tasks (kind, event, source, shown, statements, qualification) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                [(i.kind, i.event, i.source, i.shown, json.dumps(i.statements), i.qualification)
                 for i in items],
            )  # fmt: skip
            db.executemany(
                "INSERT INTO annotators (name, token) VALUES (?, ?)",
                [(name, secrets.token_urlsafe(24)) for name in names],
            )
            for annotator, tasks in assign(items, len(names), per_task, seed).items():
                db.executemany(
                    "INSERT INTO assignments (annotator, task, position) VALUES (?, ?, ?)",
                    [(annotator + 1, task + 1, place) for place, task in enumerate(tasks, 1)],
                )
        self.is_new = False

    # Reading

    def annotators(self) -> list[Annotator]:
        """All, in order."""
        rows = self._rows("SELECT id, name, token, failed FROM annotators ORDER BY id")
        return [Annotator(i, name, token, bool(failed)) for i, name, token, failed in rows]

    def annotator_with(self, token: str) -> Annotator | None:
        """Whose link it is; compared in constant time."""
        found = None
        for one in self.annotators():
            if secrets.compare_digest(one.token.encode(), token.encode()):
                found = one
        return found

    def progress(self, annotator: int) -> tuple[int, int]:
        """Tasks submitted, and tasks in all."""
        row = self._rows(
            "SELECT count(submitted), count(*) FROM assignments WHERE annotator = ?", annotator
        )[0]
        return int(row[0]), int(row[1])

    def next_position(self, annotator: int, after: int = 0) -> int | None:
        """The first task not submitted after a place in the order, else the first of all."""
        rows = self._rows(
            "SELECT position FROM assignments WHERE annotator = ? AND submitted IS NULL "
            "ORDER BY position <= ?, position LIMIT 1",
            annotator, after,
        )  # fmt: skip
        return int(rows[0][0]) if rows else None

    def assigned(self, annotator: int, position: int) -> Assigned | None:
        """The task at a place of somebody's order."""
        rows = self._rows(
            "SELECT t.id, t.kind, t.event, t.source, t.shown, t.statements, t.qualification, "
            "a.opened, a.submitted FROM assignments a JOIN tasks t ON t.id = a.task "
            "WHERE a.annotator = ? AND a.position = ?",
            annotator, position,
        )  # fmt: skip
        if not rows:
            return None
        task, kind, event, source, shown, statements, qualification, opened, submitted = rows[0]
        item = Item(kind, event, source, shown, tuple(json.loads(statements)), bool(qualification))
        return Assigned(task, position, item, self._answers(annotator, task), opened, submitted)

    def _answers(self, annotator: int, task: int) -> dict[int, str]:
        rows = self._rows(
            "SELECT place, value FROM answers WHERE annotator = ? AND task = ?", annotator, task
        )
        return {int(place): str(value) for place, value in rows}

    def all_assigned(self) -> Iterator[tuple[Annotator, Assigned]]:
        """Everything, annotator by annotator, in each one's order."""
        for annotator in self.annotators():
            for position in range(1, self.progress(annotator.id)[1] + 1):
                found = self.assigned(annotator.id, position)
                if found is not None:
                    yield annotator, found

    # Writing

    def open(self, annotator: int, task: int) -> None:
        """Note when a task was first shown."""
        with self._writing() as db:
            db.execute(
                "UPDATE assignments SET opened = ? WHERE annotator = ? AND task = ? AND opened IS NULL",
                (time.time(), annotator, task),
            )

    def answer(self, annotator: int, task: int, place: int, value: str | None) -> None:
        """Keep an answer, or take it back; the change is logged."""
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
        """Take back the last change of a task: its place and the value it has again, or None."""
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
        """A task is done; it may be opened and changed again."""
        with self._writing() as db:
            db.execute(
                "UPDATE assignments SET submitted = ? WHERE annotator = ? AND task = ?",
                (time.time(), annotator, task),
            )

    def fail(self, annotator: int) -> None:
        """An annotator did not pass the qualification."""
        with self._writing() as db:
            db.execute("UPDATE annotators SET failed = 1 WHERE id = ?", (annotator,))


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


def assign(
    items: Sequence[Item], annotators: int, per_task: int | None, seed: int
) -> dict[int, list[int]]:
    """Whose tasks, in whose order: qualification first, then each annotator's own shuffle.

    With `per_task`, each task goes to that many, who have the least to do; qualification to all.
    """
    chance = random.Random(f"assign:{seed}")
    mine: dict[int, list[int]] = {one: [] for one in range(annotators)}
    trial = [number for number, item in enumerate(items) if item.qualification]
    rest = [number for number, item in enumerate(items) if not item.qualification]
    chance.shuffle(rest)
    for number in rest:
        order = sorted(mine, key=lambda one: (len(mine[one]), chance.random()))
        for one in order[: per_task or annotators]:
            mine[one].append(number)
    for one, tasks in mine.items():
        random.Random(f"order:{seed}:{one}").shuffle(tasks)
        mine[one] = [*trial, *tasks]
    return mine
