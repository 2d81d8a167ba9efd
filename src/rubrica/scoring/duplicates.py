"""Duplicate rows: two rows of one input and system are an error that names both places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.data.instance import EvalInstance
from rubrica.errors import MismatchError

_ROWS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Places:
    """Where rows stand: their lines, and runs of rows of one file."""

    lines: Sequence[int] | NDArray[np.uint32]
    files: list[tuple[str, int]]

    def copied(self) -> Places:
        """Return a copy to be held for long: lines from another process may be a view of all that was sent."""
        lines = self.lines
        return replace(self, lines=lines.copy()) if isinstance(lines, np.ndarray) else self

    def place(self, row: int) -> str:
        """Where a row stands: `file:line`, or nothing where that is not known."""
        before = 0
        for file, count in self.files:
            before += count
            if row < before:
                return f"{file}:{self.lines[row]}" if file else ""
        return ""


@dataclass(frozen=True, slots=True)
class RowKeys:
    """Of each row a hash of its ids and where it stands, never its text."""

    keys: NDArray[np.uint64]
    places: Places

    def __len__(self) -> int:
        return len(self.keys)


def row_keys(batch: Sequence[EvalInstance]) -> RowKeys:
    """The keys of some rows."""
    ids = [row.instance_id for row in batch], [row.summarizer_id for row in batch]
    return RowKeys(kernels.id_keys(*ids), _places(batch))


def _places(batch: Sequence[EvalInstance]) -> Places:
    if not batch:
        return Places((), [])
    ends = [_place(instance.origin) for instance in (batch[0], batch[-1])]
    (file, first), (same, last) = ends
    if file == same and last - first == len(batch) - 1:
        # Lines only rise in a file, so these follow each other.
        return Places(range(first, last + 1), [(file, len(batch))])
    places = [_place(instance.origin) for instance in batch]
    files = [(name, len(list(run))) for name, run in groupby(name for name, _ in places)]
    return Places(np.array([line for _, line in places], dtype=np.uint32), files)


def _place(origin: str) -> tuple[str, int]:
    file, _, line = origin.rpartition(":")
    return (file, int(line) & 0xFFFFFFFF) if line.isdecimal() else (origin, 0)


class Seen:
    """All rows of a run so far: about 25 bytes each."""

    def __init__(self) -> None:
        self._index = kernels.KeyIndex()
        # Of what was added: the number of its first row, and where its rows stand.
        self._starts: list[int] = []
        self._places: list[Places] = []

    def add(self, rows: RowKeys) -> tuple[int, str] | None:
        """Count rows in; of the first that was there before, its place among them and where the other is."""
        self._starts.append(len(self._index))
        self._places.append(rows.places.copied())
        duplicate = self._index.add(rows.keys)
        if duplicate is None:
            return None
        row, earlier = duplicate
        at = bisect_right(self._starts, earlier) - 1
        # Its number in the input where it was not read from a file.
        return row, self._places[at].place(earlier - self._starts[at]) or str(earlier + 1)


def duplicate_error(instance: EvalInstance, first: str) -> MismatchError:
    """The error for the second row of one input and system."""
    return MismatchError(
        f"{instance.describe()}: duplicate row: this instance and summarizer already appear at {first}; "
        "remove one, or give them different ids"
    )


def check_duplicates(instances: Iterable[EvalInstance]) -> Iterator[EvalInstance]:
    """Pass instances on; a second row of one input and system is an error."""
    seen, stream = Seen(), iter(instances)
    while True:
        rows: list[EvalInstance] = []
        try:
            rows.extend(islice(stream, _ROWS_AT_ONCE))
        finally:
            # Also what came before an error of whoever reads them.
            duplicate = seen.add(row_keys(rows))
            yield from rows[: duplicate[0] if duplicate else None]
        if duplicate is not None:
            raise duplicate_error(rows[duplicate[0]], duplicate[1])
        if not rows:
            return
