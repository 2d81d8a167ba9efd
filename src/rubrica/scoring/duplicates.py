"""Duplicate rows: two rows of one input and system raise an error that names both positions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    """Positions of rows: their lines, and runs of rows of one file."""

    lines: Sequence[int] | NDArray[np.uint32]
    files: list[tuple[str, int]]

    def copied(self) -> Places:
        """Return a copy to be held for long: lines from another process may be a view of all that was sent."""
        lines = self.lines
        return replace(self, lines=lines.copy()) if isinstance(lines, np.ndarray) else self

    def place(self, row: int) -> str:
        """Return the position of a row as `file:line`; empty if unknown."""
        before = 0
        for file, count in self.files:
            before += count
            if row < before:
                return f"{file}:{self.lines[row]}" if file else ""
        return ""


@dataclass(frozen=True, slots=True)
class RowKeys:
    """A hash of the ids and the position of each row, never its text."""

    keys: NDArray[np.uint64]
    places: Places

    def __len__(self) -> int:
        return len(self.keys)


def row_keys(batch: Sequence[EvalInstance]) -> RowKeys:
    """Return the keys of some rows."""
    ids = [row.instance_id for row in batch], [row.summarizer_id for row in batch]
    return RowKeys(kernels.id_keys(*ids), _places(batch))


def _places(batch: Sequence[EvalInstance]) -> Places:
    if not batch:
        return Places((), [])
    ends = [_place(instance.origin) for instance in (batch[0], batch[-1])]
    (file, first), (same, last) = ends
    if file == same and last - first == len(batch) - 1:
        # Line numbers only increase in a file, so these rows are consecutive.
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
        # For each added batch: the number of its first row, and the positions of its rows.
        self._starts: list[int] = []
        self._places: list[Places] = []

    def __len__(self) -> int:
        return len(self._index)

    def add(self, rows: RowKeys) -> tuple[int, str] | None:
        """Add rows; return the index of the first duplicate and the position of the earlier row, if any."""
        self._starts.append(len(self._index))
        self._places.append(rows.places.copied())
        duplicate = self._index.add(rows.keys)
        if duplicate is None:
            return None
        row, earlier = duplicate
        at = bisect_right(self._starts, earlier) - 1
        # The row number in the input if it was not read from a file.
        return row, self._places[at].place(earlier - self._starts[at]) or str(earlier + 1)

    def check(
        self, rows: RowKeys, instances: Callable[[], Iterable[EvalInstance]], first: int = 0
    ) -> None:
        """Add rows; a duplicate is an error. The rows are `instances` from number `first` on."""
        duplicate = self.add(rows)
        if duplicate is not None:
            instance = next(islice(instances(), first + duplicate[0], None))
            raise _duplicate_error(instance, duplicate[1])


def _duplicate_error(instance: EvalInstance, first: str) -> MismatchError:
    """Return the error for the second row of one input and system."""
    return MismatchError(
        f"{instance.describe()}: duplicate row: this instance and summarizer already appear at {first}; "
        "remove one, or give them different ids. If a column names the systems, map it: "
        '`fields={"summarizer_id": "COLUMN"}`'
    )


def check_duplicates(instances: Iterable[EvalInstance]) -> Iterator[EvalInstance]:
    """Yield the instances; a second row of one input and system raises an error."""
    seen, stream = Seen(), iter(instances)
    while True:
        rows: list[EvalInstance] = []
        try:
            rows.extend(islice(stream, _ROWS_AT_ONCE))
        finally:
            # Also the instances before an error of the reader.
            duplicate = seen.add(row_keys(rows))
            yield from rows[: duplicate[0] if duplicate else None]
        if duplicate is not None:
            raise _duplicate_error(rows[duplicate[0]], duplicate[1])
        if not rows:
            return
