"""The annotators of a study: who they are, and which tasks each has."""

from __future__ import annotations

import json
import random
import secrets
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rubrica.errors import MismatchError, ParameterError, UnknownNameError
from rubrica.serve.assignment import assign, heirs, open_share, share_of_newcomer
from rubrica.serve.database import DEFAULT_SETTINGS, Database
from rubrica.serve.schema import SCHEMA, TABLES
from rubrica.study.forms.base import Item


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


class People(Database):
    """The annotators in a study's file, and the assignment of tasks to them."""

    @cached_property
    def _seed(self) -> str:
        return self.fact("seed") or "0"

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
        facts = {"seed": str(seed), "per_task": str(per_task or "")} | facts
        with self._writing() as db:
            create_tables(db, items, facts)
            practice = [n for n, item in enumerate(items, 1) if item.qualification]
            tasks = [n for n, item in enumerate(items, 1) if not item.qualification]
            ranks = None
            if inputs is not None:
                place = {name: number for number, name in enumerate(inputs)}
                ranks = {n: place[item.event] for n, item in enumerate(items, 1)}
            orders = assign(practice, tasks, len(names), per_task, seed, ranks)
            for name, order in zip(names, orders, strict=True):
                add_tasks(db, add_annotator(db, name), order)
        self._checkpoint()
        self.is_new = False

    def annotators(self) -> list[Annotator]:
        """Return all annotators, in order."""
        return [_annotator(row) for row in self._rows(f"{_ANNOTATORS} ORDER BY id")]

    def annotator_with(self, token: str) -> Annotator | None:
        """Return the annotator with this link."""
        # An index, not a comparison of all: a link has 192 random bits, which no timing reveals.
        rows = self._rows(f"{_ANNOTATORS} WHERE token = ?", token)
        return next(map(_annotator, rows), None)

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
        number = add_annotator(db, name)
        random.Random(f"order:{self.fact('seed')}:{name}").shuffle(tasks)
        if order := self.fact("order"):
            place = {event: number for number, event in enumerate(json.loads(order))}
            events = dict(self._rows("SELECT id, event FROM tasks"))
            tasks.sort(key=lambda task: place[events[task]])
        add_tasks(db, number, [*practice, *tasks])
        return number

    def remove_annotator(self, name: str) -> int:
        """Close an annotator's link and give the tasks left to others; return how many found a taker.

        Submitted tasks stay. Where every task goes to every annotator there is nobody to take them.
        While enrolment is open, nobody gets more tasks than agreed: those who join later take them.
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
            if self.settings()["enrolment"]:
                return 0
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
                add_tasks(db, annotator, tasks)
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
            add_tasks(db, annotator.id, [task])

    def _tasks(self, annotator: int, condition: str) -> list[int]:
        rows = self._rows(
            "SELECT a.task FROM assignments a JOIN tasks t ON t.id = a.task "
            f"WHERE a.annotator = ? AND {condition} ORDER BY a.position",
            annotator,
        )
        return [int(task) for (task,) in rows]

    def fail(self, annotator: int) -> None:
        """Record that an annotator did not pass the qualification."""
        with self._writing() as db:
            db.execute("UPDATE annotators SET failed = 1 WHERE id = ?", (annotator,))


def create_tables(db: sqlite3.Connection, items: Sequence[Item], facts: dict[str, str]) -> None:
    """Create the tables of a new file with its tasks, numbered from 1, and facts."""
    for statement in TABLES.split(";"):
        db.execute(statement)
    basics = {"schema": str(SCHEMA), "secret": secrets.token_hex(32), "seed": "0", "per_task": ""}
    facts = basics | DEFAULT_SETTINGS | facts
    db.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
    db.executemany(
        "INSERT INTO tasks (kind, event, source, shown, statements, qualification, context) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(i.kind, i.event, i.source, i.shown, json.dumps(i.statements), i.qualification,
          json.dumps(i.context)) for i in items],
    )  # fmt: skip


_ANNOTATORS = "SELECT id, name, token, failed, removed, external, consented FROM annotators"


def _annotator(row: tuple[Any, ...]) -> Annotator:
    number, name, token, failed, removed, external, consented = row
    return Annotator(
        number, name, token, bool(failed), bool(removed), external, consented is not None
    )


def add_annotator(db: sqlite3.Connection, name: str) -> int:
    """Add an annotator with a new link; return their number."""
    cursor = db.execute(
        "INSERT INTO annotators (name, token) VALUES (?, ?)", (name, secrets.token_urlsafe(24))
    )
    return int(cursor.lastrowid or 0)


def add_tasks(db: sqlite3.Connection, annotator: int, tasks: Sequence[int]) -> None:
    """Append tasks to an annotator's order."""
    query = "SELECT coalesce(max(position), 0) FROM assignments WHERE annotator = ?"
    [(last,)] = db.execute(query, (annotator,)).fetchall()
    db.executemany(
        "INSERT INTO assignments (annotator, task, position) VALUES (?, ?, ?)",
        [(annotator, task, place) for place, task in enumerate(tasks, last + 1)],
    )
