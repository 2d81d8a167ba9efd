"""Lines of a file in blocks of whole lines, which another process can read as well as this one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from rubrica.core import kernels
from rubrica.data.files import LONGEST_LINE, open_binary, too_long

CHUNK = 1 << 18


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
    file, first = os.fspath(path), 1
    with open_binary(path) as stream:
        chunk, at = b"", 0
        for size in sizes:
            parts: list[bytes] = []
            lines = unfinished = 0
            while lines < size:
                end, count = kernels.lines_end(chunk, at, size - lines)
                part, at = chunk[at:end], end
                parts.append(part)
                lines += count
                # How long the line is whose end is still to come.
                unfinished = len(part) - 1 - part.rfind(b"\n") + (0 if count else unfinished)
                if unfinished > LONGEST_LINE:
                    raise too_long(file, first + lines)
                if lines == size:
                    break
                try:
                    chunk, at = stream.read(CHUNK), 0
                except Exception:
                    if lines:
                        whole_lines, newline, _ = b"".join(parts).rpartition(b"\n")
                        yield _block(file, first, whole_lines + newline)
                    raise
                if not chunk:
                    break
            data = b"".join(parts)
            if not data:
                return
            yield _block(file, first, data)
            first += lines


def _block(file: str, first: int, data: bytes) -> LineBlock:
    return LineBlock(file, first, data.removeprefix(b"\xef\xbb\xbf") if first == 1 else data)
