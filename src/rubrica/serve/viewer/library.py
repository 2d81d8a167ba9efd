"""Files opened in the viewer: read in the background beyond their first rows, followed while a run writes them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from rubrica.data.scores.rows import decode_rows
from rubrica.datasets.open import reader_for
from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import DataError, RubricaError
from rubrica.metrics.base.measures import Measures
from rubrica.serve.viewer.changes import Changes, add_changes
from rubrica.serve.viewer.distribution import Distributions
from rubrica.serve.viewer.explained import Explainer
from rubrica.serve.viewer.flagging import Flags
from rubrica.serve.viewer.pyramids import Pyramids, holds_pyramids
from rubrica.serve.viewer.query import Query
from rubrica.serve.viewer.recognise import (
    ReaderFor,
    Recognised,
    file_stem,
    is_openable,
    recognise,
    score_sample,
)
from rubrica.serve.viewer.table import Sample, SampleTable

PARTIAL = ".partial"
# Rows read before the viewer starts; a mistake in them is an error of the command.
FIRST_ROWS = 2_000
# Queries wait while a batch is added.
_BATCH = 500
# The first screen comes first: this long, at most, other rows wait for it.
_FIRST_SCREEN_SECONDS = 3.0
_FOLLOW_SECONDS = 1.0
_FOLLOW_BYTES = 1 << 24


@dataclass(slots=True)
class OpenedFile:
    """A file as the page lists it; `state` is `read`, `reading`, `growing` or `failed`."""

    name: str
    kind: str
    rows: int = 0
    state: str = "reading"
    note: str = ""


class Library:
    """The table of all files, their pyramids, and the threads that read them."""

    def __init__(self, folder: str, readers: ReaderFor | None = None) -> None:
        self.folder = folder
        self.table, self.pyramids = SampleTable(folder), Pyramids()
        self.query, self.measures = Query(self.table), Measures()
        self.distributions = Distributions(self.table, self.measures)
        self.files: list[OpenedFile] = []
        self.before: Library | None = None
        self.changes: Changes | None = None
        self.flags: Flags | None = None
        self.explainer: Explainer | None = None
        self._readers = readers or _usual_reader
        self._reading: list[threading.Thread] = []
        self._following: list[threading.Thread] = []
        self._closing, self._others = threading.Event(), threading.Event()

    def open(self, path: str, name: str | None = None) -> OpenedFile:
        """Open a file; all its rows, or the first of many while a thread reads the others.

        Raises:
            RubricaError: The file cannot be read, or a row of the first is invalid; then nothing is added.
        """
        shown = name or path
        partial = path if path.endswith(PARTIAL) else path + PARTIAL
        if path == partial or (not os.path.exists(path) and os.path.exists(partial)):
            return self._follow(partial)
        if holds_pyramids(path):
            return self._listed(
                OpenedFile(shown, "pyramids", self.pyramids.add(path, name), "read")
            )
        try:
            source = recognise(path, self._readers, self.measures)
            first = list(islice(source.samples, FIRST_ROWS))
        except DataError as error:
            raise (error.in_file(shown) if error.file == path else error) from error
        if not first:
            raise DataError("no rows of summaries or scores", file=shown)
        system = self._system_to_join(first, path)
        file = OpenedFile(shown, source.kind)
        self._add(file, first, system)
        if len(first) < FIRST_ROWS:
            self._finish(file, source, path, system)
            return self._listed(file)
        self._reading.append(_started(lambda: self._read_on(file, source, path, system)))
        return self._listed(file)

    def compare_with(self, paths: list[str]) -> Changes:
        """Read an earlier run and add what changed since; both runs are read to their ends.

        Raises:
            RubricaError: The earlier run cannot be read, or has nothing in common with this one.
        """
        self.before = Library(self.folder, self._readers)
        for path in paths:
            self.before.open(path)
        for library in (self, self.before):
            library.wait()
        self.changes = add_changes(self.table, self.before.table, self.distributions)
        return self.changes

    def busy(self) -> bool:
        """Return whether rows may still come."""
        return any(file.state in ("reading", "growing") for file in self.files)

    def read_others(self) -> None:
        """Let threads read the rows after the first, now that these are shown."""
        self._others.set()

    def wait(self) -> None:
        """Wait until all files are read but those that runs still write."""
        self.read_others()
        for thread in self._reading:
            thread.join()

    def close(self) -> None:
        """Stop reading."""
        self._closing.set()
        self.read_others()
        for thread in (*self._reading, *self._following):
            thread.join()

    def _listed(self, file: OpenedFile) -> OpenedFile:
        self.files.append(file)
        return file

    def _add(self, file: OpenedFile, samples: list[Sample], system: str | None = None) -> None:
        if system is not None:
            for sample in samples:
                sample.system = system
        self.table.add(samples)
        file.rows += len(samples)

    def _read_on(self, file: OpenedFile, source: Recognised, path: str, system: str | None) -> None:
        self._others.wait(_FIRST_SCREEN_SECONDS)
        try:
            while batch := list(islice(source.samples, _BATCH)):
                if self._closing.is_set():
                    return
                self._add(file, batch, system)
        except RubricaError as error:
            shown = error.in_file(file.name) if isinstance(error, DataError) else error
            file.state, file.note = "failed", f"{shown}; the {file.rows:,} rows before are shown"
            return
        self._finish(file, source, path, system)

    def _finish(self, file: OpenedFile, source: Recognised, path: str, system: str | None) -> None:
        notes = [line.removeprefix(f"{path}: ") for line in source.describe().splitlines()]
        if system is not None:
            notes.append(f"joined by id with the rows of {system}")
        file.note, file.state = "; ".join(notes), "read"

    def _system_to_join(self, samples: list[Sample], path: str) -> str | None:
        """Return the only system of the table if a file without systems has the other half of its rows.

        A table of texts and a table of their scores often have ids in common, but no names of systems.
        """
        table = self.table
        if len(table.systems) != 1 or {sample.system for sample in samples} != {file_stem(path)}:
            return None
        if any(sample.summary is not None for sample in samples):
            complements = len(table.summaries) == 0
        else:
            measures = {name for sample in samples for name in sample.scores}
            complements = len(table.summaries) > 0 and measures.isdisjoint(table.scores)
        shared = any(table.inputs.find(sample.input) is not None for sample in samples)
        return table.systems.names[0] if complements and shared else None

    def _follow(self, partial: str) -> OpenedFile:
        """Read the rows that a run has written so far; a thread reads those that it writes from now on."""
        file = OpenedFile(
            partial, "scores", state="growing", note="updates while the run writes it"
        )
        rows = _GrowingRows(partial)
        self._add(file, rows.read(self.measures))
        self._following.append(_started(lambda: self._read_growing(file, rows)))
        return self._listed(file)

    def _read_growing(self, file: OpenedFile, rows: _GrowingRows) -> None:
        try:
            while True:
                # Asked before reading: rows written until then are read below.
                ended = not os.path.exists(file.name)
                while samples := rows.read(self.measures):
                    self._add(file, samples)
                if ended:
                    # The run has renamed its file.
                    file.name = file.name.removesuffix(PARTIAL)
                    file.state, file.note = "read", "the run has finished"
                    return
                if self._closing.wait(_FOLLOW_SECONDS):
                    return
        except RubricaError as error:
            file.state, file.note = "failed", str(error)
        finally:
            rows.close()


class _GrowingRows:
    """The file of a running evaluation: JSON lines, of which the last may be half written."""

    def __init__(self, path: str) -> None:
        try:
            self._stream = open(path, "rb")  # noqa: SIM115 - read until the run ends
        except OSError as error:
            raise DataError(f"cannot be opened: {error.strerror}", file=path) from error
        self._path = path

    def read(self, measures: Measures) -> list[Sample]:
        """Return the next complete rows; none if there are none yet."""
        start = self._stream.tell()
        if os.fstat(self._stream.fileno()).st_size < start:
            # A resumed run cuts rows that were not complete.
            start = 0
            self._stream.seek(0)
        block = self._stream.read(_FOLLOW_BYTES)
        lines, newline, _ = block.rpartition(b"\n")
        if not newline and len(block) == _FOLLOW_BYTES:
            raise DataError("a line of more than 16 MiB; is this a file of rows?", file=self._path)
        self._stream.seek(start + len(lines) + len(newline))
        if not newline:
            return []
        try:
            rows = decode_rows(lines)
        except (ValueError, RecursionError) as error:
            raise DataError(f"not rows of a run: {error}", file=self._path) from error
        for row in rows:
            measures.add(row)
        return list(map(score_sample, rows))

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _usual_reader(path: str) -> DatasetReader:
    return reader_for([path], ())


def files_to_open(paths: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield each file once, those of folders with False: they may hold other things."""
    seen: set[str] = set()
    for path in paths:
        is_folder = os.path.isdir(path)
        names = sorted(filter(is_openable, os.listdir(path))) if is_folder else []
        for file in [os.path.join(path, name) for name in names] if is_folder else [path]:
            if file not in seen:
                seen.add(file)
                yield file, not is_folder
