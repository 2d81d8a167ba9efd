"""JSON files that are not JSON lines: a list of rows, an object of columns, or of rows by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rubrica.data.files import open_binary
from rubrica.data.jsonl import decode_object, read_json
from rubrica.data.table_files import indexed_rows
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.row import listed
from rubrica.datasets.readers.tables import TableReader
from rubrica.errors import DataError

# Names of the list in an object that holds nothing else of interest.
_LISTS = ("data", "rows", "examples", "instances", "records", "results", "summaries")


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
            if not isinstance(row, dict):
                raise DataError("must be an object with named values", file=file, line=number)
            yield number, row


def json_rows(value: Any, file: str) -> list[Any]:
    """Return the rows of a JSON value."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise DataError("must hold a list of objects", file=file)
    for name in _LISTS:
        if isinstance(value.get(name), list) and all(isinstance(v, dict) for v in value[name]):
            return list(value[name])
    if value and all(isinstance(column, list) for column in value.values()):
        return rows_of_columns(value, file)
    if (by_number := indexed_rows(value)) is not None:
        return list(by_number)
    if value and all(isinstance(row, dict) for row in value.values()):
        return [{"id": key, **row} for key, row in value.items()]
    raise DataError(
        f"must hold a list of objects, columns, or rows by id (found: {listed(value)})", file=file
    )


def rows_of_columns(columns: Mapping[str, Any], file: str) -> list[dict[str, Any]]:
    """Return the rows of columns, which must have the same length."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name}: {length}" for name, length in list(lengths.items())[:6])
        raise DataError(f"columns have different lengths ({shown})", file=file)
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def _is_json_lines(file: str) -> bool:
    """Whether each line is an object: the first one ends before the file does."""
    if file == "-":
        return False
    with open_binary(file) as stream:
        first = stream.readline(1 << 20).strip()
        return first.startswith(b"{") and first.endswith(b"}") and bool(stream.readline().strip())
