"""The database of a study: its tables, how to open it, and how to upgrade older files."""

from __future__ import annotations

import os
import sqlite3

from rubrica.errors import DataError

SCHEMA = 3

TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, event TEXT NOT NULL, source TEXT NOT NULL,
    shown TEXT NOT NULL, statements TEXT NOT NULL, qualification INTEGER NOT NULL,
    context TEXT NOT NULL DEFAULT '[]', UNIQUE (kind, event, source));
CREATE TABLE annotators (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE,
    failed INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0,
    external TEXT NOT NULL DEFAULT '', consented REAL);
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
# The log is moved into the file often, so that a copy of the file alone lacks little.
_PRAGMAS = (
    "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000",
    "wal_autocheckpoint=64",
)  # fmt: skip
# What brings a file from each schema to the next.
_UPGRADES = {
    1: ("ALTER TABLE annotators ADD COLUMN removed INTEGER NOT NULL DEFAULT 0",),
    2: (
        "ALTER TABLE tasks ADD COLUMN context TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE annotators ADD COLUMN external TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE annotators ADD COLUMN consented REAL",
    ),
}

# SQLite stores any value in any column: these are read as JSON lists and as times.
_DAMAGED = """
SELECT 'task ' || id FROM tasks WHERE CASE WHEN json_valid(statements) AND json_valid(context)
    THEN json_type(statements) != 'array' OR json_type(context) != 'array' ELSE TRUE END
UNION ALL SELECT 'assignment ' || position FROM assignments
    WHERE typeof(opened) IN ('text', 'blob') OR typeof(submitted) IN ('text', 'blob') LIMIT 1
"""


def open_database(path: str) -> tuple[sqlite3.Connection, bool]:
    """Open or create a study's file; return the connection, and whether it has no study yet.

    Every commit is on the disk when it returns (WAL, synchronous). A new file is readable by its
    owner alone.
    """
    missing = not os.path.exists(path)
    try:
        if missing:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    except (sqlite3.Error, OSError) as error:
        raise _unusable(path, error) from error
    try:
        return db, _prepare(db, path)
    except BaseException as error:
        db.close()
        if missing:
            os.unlink(path)
        if isinstance(error, sqlite3.Error):
            raise _unusable(path, error) from error
        raise


def _prepare(db: sqlite3.Connection, path: str) -> bool:
    """Bring the file up to date; return whether it has no study yet."""
    for pragma in _PRAGMAS:
        db.execute(f"PRAGMA {pragma}")
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    if tables:
        if "facts" not in tables:
            raise DataError("is a database, and not one of a study", file=path)
        _upgrade(db, path)
        for (row,) in db.execute(_DAMAGED):
            raise DataError(f"{row} is damaged", file=path)
    return not tables


def _unusable(path: str, error: Exception) -> DataError:
    return DataError(f"cannot be used as the study's file: {error}", file=path)


def _upgrade(db: sqlite3.Connection, path: str) -> None:
    [(stored,)] = db.execute("SELECT value FROM facts WHERE name = 'schema'").fetchall() or [("",)]
    version = int(stored) if str(stored).isdecimal() else 0
    if not 1 <= version <= SCHEMA:
        raise DataError(f"was made by another version of rubrica (schema {stored!r})", file=path)
    if version == SCHEMA:
        return
    db.execute("BEGIN IMMEDIATE")
    for number in range(version, SCHEMA):
        for statement in _UPGRADES[number]:
            db.execute(statement)
    db.execute("UPDATE facts SET value = ? WHERE name = 'schema'", (str(SCHEMA),))
    db.execute("COMMIT")
