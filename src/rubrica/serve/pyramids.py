"""Pyramids and annotations that were opened in the viewer: each input is a page of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import RLock
from typing import Any

from rubrica.data.jsonl import read_jsonl
from rubrica.data.pyramid import Pyramid, PyramidAnnotation
from rubrica.datasets.readers.pyramids import PyramidBasedReader
from rubrica.datasets.readers.row import Row, quoted
from rubrica.errors import DataError, RubricaError
from rubrica.reports.pyramid import pyramid_report
from rubrica.serve.summaries import Opened


@dataclass(frozen=True, slots=True)
class PyramidFacts:
    """One input in the viewer's list; `units` is None where only annotations were opened."""

    instance: str
    units: int | None
    references: int
    annotated: int


class Pyramids:
    """Those of all files opened; a summary that is annotated again replaces its annotation."""

    def __init__(self) -> None:
        self.files: list[Opened] = []
        self._pyramids: dict[str, Pyramid] = {}
        self._annotations: dict[str, dict[str, PyramidAnnotation]] = {}
        self._reader = PyramidBasedReader()
        self._lock = RLock()

    def add(self, path: str, name: str | None = None) -> Opened:
        """All rows of a file of pyramids, annotations or both; none if one of them is bad."""
        shown = name or path
        pyramids: dict[str, Pyramid] = {}
        annotations = []
        for line, values in _rows(path, shown):
            row = Row(values, shown, line, "open")
            if not _is_pyramid(values):
                annotations.append(self._reader.annotation(row))
                continue
            made = self._reader.pyramid(row)
            known = pyramids.get(made.instance_id) or self._pyramids.get(made.instance_id, made)
            if known != made:
                raise row.error(f"instance {quoted(made.instance_id)} has another pyramid already")
            pyramids[made.instance_id] = made
        if not pyramids and not annotations:
            raise DataError("no pyramids or annotations", file=shown)
        with self._lock:
            self._pyramids |= pyramids
            for one in annotations:
                self._annotations.setdefault(one.instance_id, {})[one.summarizer_id] = one
            self.files.append(Opened(shown, len(pyramids) + len(annotations)))
            return self.files[-1]

    def listed(self) -> list[PyramidFacts]:
        """Every input in the order in which the files brought it."""
        with self._lock:
            return [self._facts(name) for name in self._pyramids | self._annotations]

    def _facts(self, name: str) -> PyramidFacts:
        made, annotated = self._pyramids.get(name), len(self._annotations.get(name, ()))
        if made is None:
            return PyramidFacts(name, None, 0, annotated)
        return PyramidFacts(name, len(made.scus), len(made.summaries), annotated)

    def page(self, instance: str) -> bytes:
        """The page of one pyramid with what was annotated."""
        with self._lock:
            made = self._pyramids.get(instance)
            own = list(self._annotations.get(instance, {}).values())
        if made is None:
            raise DataError(f"no pyramid of {quoted(instance)} was opened")
        peers = [(one, made) for one in own]
        return pyramid_report([made], peers, title=f"Pyramid of {instance}").page()


def holds_pyramids(path: str) -> bool:
    """Whether a file's first row is a pyramid or an annotation; files that cannot be read hold none."""
    try:
        first = next(iter(read_jsonl(path)), None)
    except RubricaError:
        return False
    return first is not None and isinstance(first[1].get("scus"), list)


def _rows(path: str, shown: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a file, which messages call by the name that people know."""
    try:
        yield from read_jsonl(path)
    except DataError as error:
        raise error.in_file(shown) from error


def _is_pyramid(values: dict[str, object]) -> bool:
    return "summaries" in values
