"""Summaries of many files as one table: ids and scores in memory, texts on disk."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from functools import lru_cache
from threading import RLock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.data.files import open_binary
from rubrica.data.instance import UNKNOWN_LANGUAGES, flatten
from rubrica.data.jsonl import decode_object
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.score_rows import read_score_rows
from rubrica.datasets.readers.row import Row
from rubrica.errors import DataError

Order: TypeAlias = NDArray[np.int64]
_BOUND = re.compile(r"^(?:(.+?))?(<=|>=|<|>)(-?\d+(?:\.\d+)?)$")
NAMES = ("input", "system", "type", "words")
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")


@dataclass(frozen=True, slots=True)
class Opened:
    """A file in the table: its name as the user knows it, and its number of rows."""

    name: str
    rows: int


class Summaries:
    """The table; rows of the same summary in several files are merged."""

    def __init__(self) -> None:
        self.files: list[Opened] = []
        self.ids: list[tuple[str, str]] = []
        self.types: list[str] = []
        self.words = array("d")
        self.scores: dict[str, array[float]] = {}
        self._rows: dict[tuple[str, str], int] = {}
        # The place of a summary's texts: (path, offset, length), or the line itself.
        self._texts: dict[int, tuple[str, int, int] | bytes] = {}
        self._lock = RLock()
        self._ordered = lru_cache(maxsize=8)(self._order)

    def add(self, path: str, name: str | None = None) -> Opened:
        """Add all rows of a JSON lines file or a Parquet file of scores; none if one row is invalid."""
        shown = name or path
        rows = list(self._read(path, shown))
        if not rows:
            raise DataError("no rows of summaries or scores", file=shown)
        with self._lock:
            for key, kind, words, place, scores in rows:
                at = self._row(key, kind)
                if place is not None:
                    self._texts[at], self.words[at] = place, words
                for measure, value in scores.items():
                    column = self.scores.get(measure)
                    if column is None:
                        column = self.scores[measure] = array("d", [np.nan] * len(self.ids))
                    column[at] = value
            self._ordered.cache_clear()
            self.files.append(Opened(shown, len(rows)))
            return self.files[-1]

    def _row(self, key: tuple[str, str], kind: str) -> int:
        at = self._rows.get(key)
        if at is None:
            at = self._rows[key] = len(self.ids)
            self.ids.append(key)
            self.types.append(kind)
            self.words.append(np.nan)
            for column in self.scores.values():
                column.append(np.nan)
        return at

    def _read(self, path: str, shown: str) -> Any:
        if path.endswith(".parquet"):
            try:
                for _, scored in read_score_rows(path, Metrics):
                    yield scored.key, scored.summarizer_type, 0, None, scored.values()
            except DataError as error:
                raise error.in_file(shown) from error
            return
        with open(path, "rb") as raw:
            plain = not raw.read(6).startswith(_COMPRESSED)
        offset = 0
        with open_binary(path) as stream:
            for number, line in enumerate(stream, 1):
                start, offset = offset, offset + len(line)
                if not line.strip():
                    continue
                values = decode_object(line, shown, number)
                row = Row(values, shown, number, "open")
                key = row.identifier("instance_id"), row.identifier("summarizer_id")
                kind = row.as_type(values.get("summarizer_type", "peer"), "summarizer_type")
                words, place = 0, None
                if values.get("summary") is not None:
                    words = len(flatten(row.text("summary")).split())
                    place = (path, start, len(line)) if plain else line
                yield key, kind, words, place, _scores(row)

    def place(self, instance: str, system: str) -> int:
        """Return the number of a summary's row; raise IndexError if it has none."""
        at = self._rows.get((instance, system))
        if at is None:
            raise IndexError((instance, system))
        return at

    def summary(self, at: int) -> dict[str, Any]:
        """Return a row with its texts, as lists of lines."""
        if not 0 <= at < len(self.ids):
            raise IndexError(at)
        (instance, system), place = self.ids[at], self._texts.get(at)
        out: dict[str, Any] = {
            "at": at,
            "input": instance,
            "system": system,
            "type": self.types[at],
            "scores": {name: column[at] for name, column in self.scores.items()},
            "summary": None,
            "references": [],
            "languages": UNKNOWN_LANGUAGES,
        }
        if place is not None:
            row = Row(decode_object(_line(place), instance, 0), instance, 0, "open")
            out |= {"summary": row.text("summary")}
            out["references"] = row.texts("references") or []
            out["languages"] = row.languages()
        return out

    def page(
        self, sort: str, descending: bool, find: str, start: int, count: int
    ) -> tuple[int, list[list[Any]]]:
        """Return the number of matching rows and a page of them: number, ids, type, words, scores."""
        with self._lock:
            order = self._ordered(sort, descending, find)
            columns = list(self.scores.values())
            rows = [
                [at, *self.ids[at], self.types[at], self.words[at], *(c[at] for c in columns)]
                for at in order[start : start + count].tolist()
            ]
            return len(order), rows

    def _order(self, sort: str, descending: bool, find: str) -> Order:
        rows = np.arange(len(self.ids))
        for word in find.lower().split():
            rows = self._fitting(rows, word)
        if sort in NAMES[:3]:
            keys = [self._named(at, sort) for at in rows.tolist()]
            order = sorted(range(len(rows)), key=keys.__getitem__, reverse=descending)
            return rows[order]
        column = self.words if sort == "words" else self.scores.get(sort)
        if column is None:
            return rows
        values = np.frombuffer(column, dtype=np.float64)[rows]
        # Undefined values come last in either direction; equal ones keep their order.
        return rows[np.argsort(-values if descending else values, kind="stable")]

    def _named(self, at: int, sort: str) -> str:
        return self.types[at] if sort == "type" else self.ids[at][NAMES.index(sort)]

    def _fitting(self, rows: Order, word: str) -> Order:
        bound = _BOUND.match(word)
        if bound is None:
            fits = [
                at
                for at in rows.tolist()
                if word in f"{self.ids[at][0]} {self.ids[at][1]} {self.types[at]}".lower()
            ]
            return np.array(fits, dtype=np.int64)
        known = {name.lower(): column for name, column in self.scores.items()}
        known["words"] = self.words
        column = known.get(bound[1] or "words")
        if column is None:
            return rows[:0]
        values, limit = np.frombuffer(column, dtype=np.float64)[rows], float(bound[3])
        tests = {
            "<": values < limit,
            ">": values > limit,
            "<=": values <= limit,
            ">=": values >= limit,
        }
        return rows[tests[bound[2]]]


def _line(place: tuple[str, int, int] | bytes) -> bytes:
    if isinstance(place, bytes):
        return place
    path, offset, length = place
    with open(path, "rb") as stream:
        stream.seek(offset)
        return stream.read(length)


def _scores(row: Row) -> dict[str, float]:
    metrics = row.values.get("metrics") or {}
    if not isinstance(metrics, dict):
        raise row.error("field 'metrics' must be an object of scores")
    return Metrics("", "", "", MetricsDict(metrics)).values()
