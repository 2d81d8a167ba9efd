"""Pyramids and annotations opened in the viewer, one page per input."""

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


@dataclass(frozen=True, slots=True)
class PyramidFacts:
    """One input in the viewer's list; `units` is None if only annotations were opened."""

    instance: str
    units: int | None
    references: int
    annotated: int


class Pyramids:
    """The pyramids and annotations of all open files; a later annotation of a summary replaces the first."""

    def __init__(self) -> None:
        self._pyramids: dict[str, Pyramid] = {}
        self._annotations: dict[str, dict[str, PyramidAnnotation]] = {}
        self._reader = PyramidBasedReader()
        self._lock = RLock()

    def add(self, path: str, name: str | None = None) -> int:
        """Add all rows of a file of pyramids, annotations or both, and return their number; none if one is invalid."""
        shown = name or path
        pyramids: dict[str, Pyramid] = {}
        annotations = []
        for line, values in _rows(path, shown):
            row = Row(values, shown, line, "open")
            if not _is_pyramid(values):
                annotations.append(self._reader.annotation(row))
                continue
            pyramid = self._reader.pyramid(row)
            known = pyramids.get(pyramid.instance_id) or self._pyramids.get(
                pyramid.instance_id, pyramid
            )
            if known != pyramid:
                raise row.error(
                    f"instance {quoted(pyramid.instance_id)} already has a different pyramid"
                )
            pyramids[pyramid.instance_id] = pyramid
        if not pyramids and not annotations:
            raise DataError("no pyramids or annotations", file=shown)
        with self._lock:
            self._pyramids |= pyramids
            for annotation in annotations:
                self._annotations.setdefault(annotation.instance_id, {})[
                    annotation.summarizer_id
                ] = annotation
        return len(pyramids) + len(annotations)

    def listed(self) -> list[PyramidFacts]:
        """Return every input, in the order of the files."""
        with self._lock:
            return [self._facts(name) for name in self._pyramids | self._annotations]

    def _facts(self, name: str) -> PyramidFacts:
        pyramid, annotated = self._pyramids.get(name), len(self._annotations.get(name, ()))
        if pyramid is None:
            return PyramidFacts(name, None, 0, annotated)
        return PyramidFacts(name, len(pyramid.scus), len(pyramid.summaries), annotated)

    def units(self, instance: str) -> list[dict[str, Any]]:
        """Return the content units of an input, the heaviest first, and the summaries that express each."""
        with self._lock:
            pyramid = self._pyramids.get(instance)
            annotations = list(self._annotations.get(instance, {}).values())
        if pyramid is None:
            return []
        return [
            {
                "label": unit.label,
                "weight": unit.get_weight(),
                "systems": [
                    annotation.summarizer_id
                    for annotation in annotations
                    if unit.scu_id in annotation.get_scu_id_set()
                ],
            }
            for unit in sorted(pyramid.scus, key=lambda unit: -unit.get_weight())
        ]

    def page(self, instance: str) -> bytes:
        """Return the page of one pyramid with its annotations."""
        with self._lock:
            pyramid = self._pyramids.get(instance)
            annotations = list(self._annotations.get(instance, {}).values())
        if pyramid is None:
            raise DataError(f"no pyramid of {quoted(instance)} was opened")
        peers = [(annotation, pyramid) for annotation in annotations]
        return pyramid_report([pyramid], peers, title=f"Pyramid of {instance}").page()


def holds_pyramids(path: str) -> bool:
    """Whether a file's first row is a pyramid or an annotation; False if it cannot be read."""
    try:
        first = next(iter(read_jsonl(path)), None)
    except RubricaError:
        return False
    return first is not None and isinstance(first[1].get("scus"), list)


def _rows(path: str, shown: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a file; errors name it as the user does (`shown`)."""
    try:
        yield from read_jsonl(path)
    except DataError as error:
        raise error.in_file(shown) from error


def _is_pyramid(values: dict[str, object]) -> bool:
    return "summaries" in values
