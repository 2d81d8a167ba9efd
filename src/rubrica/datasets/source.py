"""The input of a run: rows of files, which can be read repeatedly, one by one or in batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from rubrica.data.instance import EvalInstance
from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import MismatchError


class Source:
    """Files and the reader that reads them."""

    def __init__(self, reader: DatasetReader, files: Sequence[str]) -> None:
        self.reader, self.files = reader, files

    def __iter__(self) -> Iterator[EvalInstance]:
        return iter(self.reader.read(*self.files))

    def pieces(self, sizes: Iterator[int]) -> Iterator[Any]:
        """Yield all rows in pieces of `next(sizes)` rows, for `reader.read_piece`."""
        return self.reader.pieces(self.files, sizes)

    def all_files(self) -> list[str]:
        """Return every file that is read: the input files, and those that the reader's parameters name."""
        values = [
            value for value in vars(self.reader).values() if isinstance(value, (str, list, tuple))
        ]
        lists = [[value] if isinstance(value, str) else value for value in values]
        return [*self.files, *(name for names in lists for name in names if isinstance(name, str))]

    def line_count(self) -> int | None:
        """Return the number of lines of JSON lines, a row each; None for other and compressed files."""
        if self.pipes() or not all(file.endswith(".jsonl") for file in self.files):
            return None
        if not self.reader.name.endswith(("-based", "-only")):
            return None
        count = 0
        for file in self.files:
            if not os.path.isfile(file):
                return None
            with open(file, "rb") as stream:
                while block := stream.read(1 << 20):
                    count += block.count(b"\n")
        return count

    def pipes(self) -> list[str]:
        """Return the files that can be read once only: standard input, pipes, terminals."""
        return [
            file
            for file in self.all_files()
            if file == "-"
            or (os.path.exists(file) and not (os.path.isfile(file) or os.path.isdir(file)))
        ]

    def empty_error(self, task: str) -> MismatchError:
        """Return the error for input without rows."""
        header = "; the first line of a table is its header" if self.reader.name == "csv" else ""
        return MismatchError(
            f"nothing to {task}: the input has no rows{header}", file=self.files[0]
        )

    def held(self) -> Source:
        """Return a copy read into memory, for input that can be read only once."""
        return _Held(self.reader, self.files)


class _Held(Source):
    def __init__(self, reader: DatasetReader, files: Sequence[str]) -> None:
        super().__init__(reader, files)
        self._rows = list(reader.read(*files))

    def __iter__(self) -> Iterator[EvalInstance]:
        return iter(self._rows)

    def pieces(self, sizes: Iterator[int]) -> Iterator[Any]:
        stream = iter(self._rows)
        for size in sizes:
            piece = list(islice(stream, size))
            if not piece:
                return
            yield piece
