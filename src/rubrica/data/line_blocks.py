"""Lines of a file in blocks of whole lines, which another process can read as well as this one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from rubrica.data.files import LONGEST_LINE, open_binary, too_long


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
        source = iter(partial(stream.readline, LONGEST_LINE + 1), b"")
        for size in sizes:
            lines: list[bytes] = []
            try:
                lines.extend(islice(source, size))
            except Exception:
                if lines:
                    yield _block(file, first, lines)
                raise
            if not lines:
                return
            yield _block(file, first, lines)
            first += len(lines)


def _block(file: str, first: int, lines: list[bytes]) -> LineBlock:
    if max(map(len, lines)) > LONGEST_LINE:
        raise too_long(file, first + max(range(len(lines)), key=lambda at: len(lines[at])))
    if first == 1 and lines[0].startswith(b"\xef\xbb\xbf"):
        lines[0] = lines[0][3:]
    return LineBlock(file, first, b"".join(lines))
