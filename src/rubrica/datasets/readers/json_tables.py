"""JSON files that are not JSON lines: a list of rows, an object of columns, or of rows by id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubrica.data.files import open_binary
from rubrica.data.jsonl import decode_object, read_json
from rubrica.data.table_files import json_rows
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.tables import TableReader
from rubrica.errors import DataError


@DatasetReader.register("json")
class JsonReader(TableReader):
    """JSON: a list of objects, an object of columns, or an object of rows by id. The file is read whole."""

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of a file, numbered from 1."""
        if _is_json_lines(file):
            with open_binary(file) as stream:
                for number, line in enumerate(stream, 1):
                    if line.strip():
                        yield number, decode_object(line, file, number)
            return
        for number, row in enumerate(json_rows(read_json(file), file), 1):
            if isinstance(row, str):
                problem = "found a list of texts; write one text per line to a .txt file, or rows as objects"
                raise DataError(problem, file=file)
            if not isinstance(row, dict):
                raise DataError("must be an object with named values", file=file, line=number)
            yield number, row


def _is_json_lines(file: str) -> bool:
    """Whether each line is an object: the first one ends before the file does."""
    if file == "-":
        return False
    with open_binary(file) as stream:
        first = stream.readline(1 << 20).strip()
        return first.startswith(b"{") and first.endswith(b"}") and bool(stream.readline().strip())
