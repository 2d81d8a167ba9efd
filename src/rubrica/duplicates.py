"""No summary twice: two rows of one input and system are an error that names both places."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import EvalInstance
from rubrica.errors import MismatchError

_ROWS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class RowKeys:
    """Of each row a hash of its ids and its line, never its text; `files` are runs of rows of one file."""

    keys: NDArray[np.uint64]
    lines: NDArray[np.uint32]
    files: list[tuple[str, int]]

    def __len__(self) -> int:
        return len(self.keys)

    def place(self, row: int) -> str:
        """Where a row stands: `file:line`, or nothing where that is not known."""
        before = 0
        for file, count in self.files:
            before += count
            if row < before:
                return f"{file}:{self.lines[row]}" if file else ""
        return ""


def row_keys(batch: Sequence[EvalInstance]) -> RowKeys:
    """The keys of some rows."""
    return RowKeys(_hashes(batch), *_places(batch))


def _hashes(batch: Sequence[EvalInstance]) -> NDArray[np.uint64]:
    digests = [
        hashlib.blake2b(
            f"{len(one.instance_id)}:{one.instance_id}{one.summarizer_id}".encode(
                "utf-8", "surrogatepass"
            ),
            digest_size=8,
        ).digest()
        for one in batch
    ]
    return np.frombuffer(bytearray().join(digests), dtype=np.uint64)


def _places(
    batch: Sequence[EvalInstance],
) -> tuple[NDArray[np.uint32], list[tuple[str, int]]]:
    if not batch:
        return np.empty(0, dtype=np.uint32), []
    ends = [_place(one.origin) for one in (batch[0], batch[-1])]
    (file, first), (same, last) = ends
    if file == same and last - first == len(batch) - 1:
        # Lines only rise in a file, so these follow each other.
        return np.arange(first, last + 1, dtype=np.uint32), [(file, len(batch))]
    places = [_place(one.origin) for one in batch]
    files = [(name, len(list(run))) for name, run in groupby(name for name, _ in places)]
    return np.array([line for _, line in places], dtype=np.uint32), files


def _place(origin: str) -> tuple[str, int]:
    file, _, line = origin.rpartition(":")
    return (file, int(line) & 0xFFFFFFFF) if line.isdecimal() else (origin, 0)


class Seen:
    """All rows of a run so far: about 100 bytes each."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._rows: list[RowKeys] = []

    def add(self, rows: RowKeys) -> tuple[int, str] | None:
        """Count rows in; of the first that was there before, its place among them and where the other is."""
        keys = rows.keys.tolist()
        before = len(self._known)
        self._known.update(keys)
        if len(self._known) == before + len(keys):
            # Copied: what came from another process may be a view of all that was sent with it.
            self._rows.append(RowKeys(rows.keys.copy(), rows.lines.copy(), rows.files))
            return None
        return self._first_again(rows)

    def _first_again(self, rows: RowKeys) -> tuple[int, str]:
        found: list[tuple[int, str]] = []
        before = 0
        for earlier in self._rows:
            _, own, theirs = np.intersect1d(rows.keys, earlier.keys, return_indices=True)
            found += [
                (row, _told(earlier, at, before))
                for row, at in zip(own.tolist(), theirs.tolist(), strict=True)
            ]
            before += len(earlier)
        places: dict[int, int] = {}
        for row, key in enumerate(rows.keys.tolist()):
            if key in places:
                found.append((row, _told(rows, places[key], before)))
            places.setdefault(key, row)
        return min(found)


def _told(rows: RowKeys, row: int, before: int) -> str:
    """Where a row stands; its number in the input where it was not read from a file."""
    return rows.place(row) or str(before + row + 1)


def refused(instance: EvalInstance, first: str) -> MismatchError:
    """The error for the second row of one input and system."""
    return MismatchError(
        f"{instance.describe()}: the same instance and summarizer stand at {first} already; "
        "remove one, or give them different ids"
    )


def refuse_duplicates(instances: Iterable[EvalInstance]) -> Iterator[EvalInstance]:
    """Pass instances on, unless one is there twice."""
    seen, stream = Seen(), iter(instances)
    while True:
        some: list[EvalInstance] = []
        try:
            some.extend(islice(stream, _ROWS_AT_ONCE))
        finally:
            # Also what came before an error of whoever reads them.
            again = seen.add(row_keys(some))
            yield from some[: again[0] if again else None]
        if again is not None:
            raise refused(some[again[0]], again[1])
        if not some:
            return
