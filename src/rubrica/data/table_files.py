"""Tables in files: delimited text, JSON of any shape, workbooks, Parquet and Arrow, as rows of named values."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import Any

from rubrica.data.files import content_ending, read_text_lines
from rubrica.data.formats.csv_cells import csv_reader, guess_delimiter
from rubrica.data.formats.parquet import arrow_batches, import_parquet, open_seekable
from rubrica.data.scores.columns import usual_column
from rubrica.errors import DataError, MissingResourceError, RubricaError

Table = list[tuple[int, dict[str, Any]]]

_ROWS_AT_ONCE = 4096
# Names of the list in an object that holds nothing else of interest.
_LISTS = ("data", "rows", "examples", "instances", "records", "results", "summaries")
# Spreadsheets of many languages separate cells by semicolons, since numbers have commas.
_DECIMAL_COMMA = re.compile(r"\s*([-+]?\d+),(\d+)\s*")


def delimited_table(path: str) -> Table:
    """Return the rows of a CSV or TSV file of scores."""
    lines = [line for _, line in read_text_lines(path)]
    delimiter = guess_delimiter(content_ending(path), lines[0] if lines else "")
    reader = csv_reader((line + "\n" for line in lines), delimiter=delimiter)
    try:
        header: list[str] = next(reader, [])
        rows = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise DataError(f"not valid CSV: {error}", file=path, line=reader.line_num) from error
    if len(set(header)) < len(header):
        raise DataError(f"a column name occurs twice: {', '.join(header)}", file=path, line=1)
    for line, cells in rows:
        if len(cells) != len(header):
            raise DataError(
                f"{len(cells)} cells under a header of {len(header)}", file=path, line=line
            )
        if delimiter == ";":
            cells[:] = [_DECIMAL_COMMA.sub(r"\1.\2", cell) for cell in cells]
    return [(line, dict(zip(header, cells, strict=True))) for line, cells in rows]


def workbook_table(path: str) -> Table:
    """Return the rows of the first sheet of a workbook."""
    try:
        openpyxl: Any = import_module("openpyxl")
    except ImportError as error:
        raise MissingResourceError(
            f"{path}: workbooks need openpyxl: pip install 'rubrica[workbooks]'"
        ) from error
    try:
        with open_seekable(path) as stream:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            cells = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    except RubricaError:
        raise
    except Exception as error:
        # A damaged workbook fails in many ways.
        raise DataError(f"not a valid workbook: {error}", file=path) from error
    header = ["" if name is None else str(name) for name in cells[0]] if cells else []
    return [
        (number, dict(zip(header, row, strict=False)))
        for number, row in enumerate(cells[1:], 2)
        if any(value is not None for value in row)
    ]


def binary_table(path: str, limit: int | None = None) -> Table:
    """Return the rows of a Parquet, Arrow or Feather file, or the first `limit` of them."""
    return list(enumerate(islice(_binary_rows(path), limit), 1))


def _binary_rows(path: str) -> Iterator[dict[str, Any]]:
    pyarrow, parquet = import_parquet()
    try:
        with open_seekable(path) as stream:
            batches = (
                parquet.ParquetFile(stream).iter_batches(_ROWS_AT_ONCE, use_threads=False)
                if content_ending(path) == ".parquet"
                else arrow_batches(stream)
            )
            for batch in batches:
                yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"not a valid Parquet or Arrow file: {reason}", file=path) from error


def json_rows(value: Any, file: str) -> list[Any]:
    """Return the rows of a JSON value."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise DataError("must hold a list of objects", file=file)
    for name in _LISTS:
        if isinstance(value.get(name), list) and all(isinstance(v, dict) for v in value[name]):
            return list(value[name])
    if (by_cells := _split_rows(value, file)) is not None:
        return by_cells
    if value and all(isinstance(column, list) for column in value.values()):
        return _rows_of_columns(value, file)
    if (by_number := _indexed_rows(value)) is not None:
        return list(by_number)
    if value and all(isinstance(row, dict) for row in value.values()):
        return [
            row if usual_column("instance_id", row) else {"id": key, **row}
            for key, row in value.items()
        ]
    if {"metrics", "num_summaries"} <= value.keys():
        raise DataError(
            "these are scores of systems, as evaluate -o writes them; rows of summaries are needed, as "
            "evaluate --rows-output writes them",
            file=file,
        )
    raise DataError(
        f"must hold a list of objects, columns, or rows by id (found: {', '.join(map(repr, value))})",
        file=file,
    )


def _split_rows(value: Mapping[str, Any], file: str) -> list[dict[str, Any]] | None:
    """Return the rows of lists of cells under `columns`, as pandas' orientation `split` has them."""
    columns, cells = value.get("columns"), value.get("data")
    if not isinstance(columns, list) or not isinstance(cells, list):
        return None
    for number, row in enumerate(cells, 1):
        if not isinstance(row, list) or len(row) != len(columns):
            raise DataError(f"must be a list of {len(columns)} cells", file=file, line=number)
    return [dict(zip(map(str, columns), row, strict=True)) for row in cells]


def _rows_of_columns(columns: Mapping[str, Any], file: str) -> list[dict[str, Any]]:
    """Return the rows of columns, which must have the same length."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name}: {length}" for name, length in list(lengths.items())[:6])
        raise DataError(f"columns have different lengths ({shown})", file=file)
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def _indexed_rows(columns: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of columns by row number, as pandas' `to_json` writes them; None for other objects."""
    first = next(iter(columns.values()), None)
    if not isinstance(first, dict) or not first or not all(key.isdecimal() for key in first):
        return None
    if not all(isinstance(c, dict) and c.keys() == first.keys() for c in columns.values()):
        return None
    return [{name: column[key] for name, column in columns.items()} for key in first]
