"""Lines of a file in blocks of whole lines, which another process can read as well as this one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rubrica.data.files import LONGEST_LINE, open_binary, too_long

_CHUNK = 1 << 20
_NEWLINE = 10


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Some lines of a file as they stand, line ends included; `first` is the number of the first."""

    file: str
    first: int
    data: bytes

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Each line with its number in the file, without its line end."""
        number = self.first
        for line in self.data.splitlines() if b"\r" not in self.data else self._cut():
            yield number, line
            number += 1

    def _cut(self) -> list[bytes]:
        """Only a newline ends a line: a carriage return inside one does not."""
        lines = self.data.split(b"\n")
        if not lines[-1]:
            del lines[-1]
        return [line.rstrip(b"\r") for line in lines]


def read_blocks(path: str | os.PathLike[str], sizes: Iterator[int]) -> Iterator[LineBlock]:
    """All lines of a file, `next(sizes)` at a time; a UTF-8 byte order mark is dropped.

    What can be read before a file turns out to be damaged comes before the error.
    """
    file, first, wanted = os.fspath(path), 1, 0
    # Whole lines that were read, as parts of `count` lines together; then the beginning of the next line.
    whole: list[bytes] = []
    count, rest = 0, b""
    with open_binary(path) as stream:
        # What is there at once: a pipe need not fill a whole chunk first.
        read = getattr(stream, "read1", stream.read)
        while True:
            wanted = wanted or next(sizes, 0)
            if not wanted:
                return
            try:
                chunk = read(_CHUNK)
            except Exception:
                # Lines before the damage are delivered; the one it is in is not.
                if whole:
                    yield _block(file, first, whole)
                raise
            ends = _line_ends(chunk)
            if chunk and not len(ends):
                rest += chunk
                if len(rest) > LONGEST_LINE:
                    raise too_long(file, first + count)
                continue
            at = 0
            if not chunk and rest:
                # The last line has no end.
                whole.append(rest)
                count, rest = count + 1, b""
            while len(ends):
                taken = min(wanted - count, len(ends))
                end = int(ends[taken - 1]) + 1
                whole.append(rest + chunk[at:end] if rest else chunk[at:end])
                rest, at, count, ends = b"", end, count + taken, ends[taken:]
                if count == wanted:
                    yield _block(file, first, whole)
                    first, count, wanted = first + count, 0, next(sizes, 0)
                    whole = []
                    if not wanted:
                        return
            rest = rest + chunk[at:] if at == 0 else chunk[at:]
            if not chunk:
                if whole:
                    yield _block(file, first, whole)
                return


def _line_ends(chunk: bytes) -> NDArray[np.int64]:
    return np.flatnonzero(np.frombuffer(chunk, np.uint8) == _NEWLINE)


def _block(file: str, first: int, parts: list[bytes]) -> LineBlock:
    data = b"".join(parts)
    if first == 1 and data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    if len(data) > LONGEST_LINE:
        for number, line in enumerate(data.split(b"\n"), first):
            if len(line) > LONGEST_LINE:
                raise too_long(file, number)
    return LineBlock(file, first, data)
