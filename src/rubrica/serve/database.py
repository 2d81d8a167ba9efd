"""The SQLite file of a study: transactions, copies, and its settings."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

from rubrica.errors import OutputError, UnknownNameError
from rubrica.serve.schema import open_database

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


class Database:
    """A study's file. Safe for several threads; one process at a time should write."""

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
        try:
            with (
                closing(sqlite3.connect(self.path)) as source,
                closing(sqlite3.connect(path)) as copy,
            ):
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")
        except BaseException as error:
            os.unlink(path)
            if isinstance(error, sqlite3.OperationalError):
                raise OutputError(path, error) from error
            raise

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction, which is on the disk when the block ends; an `OutputError` if it cannot be, as when full."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException as error:
                # SQLite has rolled back already where the disk is full.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if isinstance(error, sqlite3.OperationalError):
                    raise OutputError(self.path, error) from error
                raise

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def fact(self, name: str) -> str | None:
        """Return a fact about the study, such as its kind."""
        rows = self._rows("SELECT value FROM facts WHERE name = ?", name)
        return str(rows[0][0]) if rows else None

    def token(self, name: str) -> str:
        """Return a secret link of the study, such as the owner's; it is created when first asked for."""
        with self._writing() as db:
            words = (name, secrets.token_urlsafe(24))
            db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", words)
        return self.fact(name) or ""

    def settings(self) -> dict[str, str]:
        """Return the settings that can be changed."""
        return {name: self.fact(name) or value for name, value in DEFAULT_SETTINGS.items()}

    def change_setting(self, name: str, value: str) -> None:
        """Change a setting; a running server uses it from the next page on."""
        if name not in DEFAULT_SETTINGS:
            raise UnknownNameError("setting", name, DEFAULT_SETTINGS)
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
