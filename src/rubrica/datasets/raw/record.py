"""`Record`: one record of raw data, with its place; and the files that hold records."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from rubrica.data.formats.csv_cells import csv_reader
from rubrica.datasets.raw.workbook import workbook_rows
from rubrica.datasets.readers.delimited import delimited_rows
from rubrica.datasets.readers.inputs import extension
from rubrica.datasets.readers.parquet import parquet_rows
from rubrica.datasets.readers.row import Row, quoted
from rubrica.errors import DataError
from rubrica.neural.progress import steps

if TYPE_CHECKING:
    from rubrica.datasets.raw.file import RawFile

T = TypeVar("T")
# Rows of files whose reading is worth a progress bar of its own.
MANY_ROWS = 2_000


class Record(Row):
    """The values of one raw record; a missing field raises an error with file and line."""

    __slots__ = ()

    @property
    def who(self) -> str:
        """Return the name of the data set, for messages."""
        return f"data set {self.reader!r}"

    def string(self, name: str) -> str:
        """Return a required text, unchanged; it may be empty."""
        value = self.required(name)
        if not isinstance(value, str):
            raise self.error(f"field {name!r} must be text, found {quoted(value)}")
        return value

    def strings(self, name: str) -> list[str]:
        """Return a required list of texts."""
        value = self.required(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(f"field {name!r} must be a list of texts, found {quoted(value)}")
        return value

    def number(self, name: str) -> float | int:
        """Return a required number; digits in text (CSV) are converted."""
        return self.as_number(self.required(name), name)

    def numbers(self, name: str) -> list[float | int]:
        """Return a required list of numbers."""
        value = self.required(name)
        if not isinstance(value, list):
            raise self.error(f"field {name!r} must be a list of numbers, found {quoted(value)}")
        return [self.as_number(item, name) for item in value]

    def ratings(self, name: str) -> list[float | int | None]:
        """Return a required list of ratings, one per rater in a fixed order; None if a rater gave none."""
        value = self.required(name)
        if not isinstance(value, list):
            raise self.error(f"field {name!r} must be a list of ratings, found {quoted(value)}")
        return [
            None if item is None or item != item else self.as_number(item, name) for item in value
        ]

    def as_number(self, value: Any, name: str) -> float | int:
        """Return a value as a finite number."""
        if isinstance(value, str):
            value = number_in(value)
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not math.isfinite(value)
        ):
            raise self.error(
                f"field {name!r} must be a number, found {quoted(self.values.get(name))}"
            )
        return value

    def inner(self, name: str) -> Record:
        """Return a required nested object, as a record at the same place."""
        return self.as_record(self.required(name), name)

    def inners(self, name: str) -> list[Record]:
        """Return a required list of nested objects."""
        value = self.required(name)
        if not isinstance(value, list):
            raise self.error(f"field {name!r} must be a list of objects, found {quoted(value)}")
        return [self.as_record(item, name) for item in value]

    def as_record(self, value: Any, name: str) -> Record:
        """Return a value as a record."""
        if not isinstance(value, dict):
            raise self.error(f"field {name!r} must be an object, found {quoted(value)}")
        return Record(value, self.file, self.line, self.reader)


def number_in(word: str) -> float | int | None:
    """Return the finite number that a word spells, or None; `1_0`, which Python accepts, is None."""
    try:
        number = int(word) if word.strip().lstrip("+-").isdecimal() else float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in word else None


def percent(share: float) -> float:
    """Return a share as a percentage, exact in its digits: 0.50459 gives 50.459, unlike times 100."""
    return float(Decimal(repr(share)) * 100)


def records_of(file: RawFile, dataset: str, note: Callable[[DataError], None]) -> Iterator[Record]:
    """Yield the records of a file by its ending; errors of unreadable records go to `note`."""
    ending = extension(file.name)
    if ending == ".xlsx":
        for sheet, line, values in workbook_rows(file, note):
            yield Record(dict(values), f"{file.place}!{sheet}", line, dataset)
        return
    if ending == ".parquet":
        rows = parquet_rows(io.BytesIO(file.bytes()), file.place)
    elif ending in (".csv", ".tsv"):
        delimiter = "\t" if ending == ".tsv" else ","
        # Only line ends separate records: a form feed or a U+2028 belongs to the text.
        lines = file.text().replace("\r\n", "\n").split("\n")
        quotes = ending == ".csv" or not _are_texts(lines)
        read = _reported(f"lines of {file.name}", lines)
        rows = delimited_rows(read, file.place, delimiter=delimiter, quotes=quotes, note=note)
    elif ending == ".json" and file.bytes().lstrip()[:1] == b"[":
        rows = _json_list(file, note)
    else:
        rows = _json_lines(file, note)
    for line, values in rows:
        yield Record(values, file.place, line, dataset)


def _reported(what: str, items: Sequence[T]) -> Iterable[T]:
    """Return the items of a file, of which reading many is reported."""
    return steps(what, items) if len(items) >= MANY_ROWS else items


def _are_texts(lines: list[str]) -> bool:
    """Whether quotation marks in a TSV are text: only then do all rows have the same columns."""
    return not _is_whole(lines, quotes=True) and _is_whole(lines, quotes=False)


def _is_whole(lines: list[str], *, quotes: bool) -> bool:
    try:
        counts = {
            len(cells)
            for cells in csv_reader((f"{line}\n" for line in lines), delimiter="\t", quotes=quotes)
            if cells
        }
    except csv.Error:
        return False
    return len(counts) == 1


def table_rows(table: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a pandas or polars frame, a HuggingFace data set, or any list of mappings.

    Numpy arrays and scalars become lists and numbers; pandas' missing values become None.
    """
    if isinstance(table, Mapping):
        names = ", ".join(map(repr, table))
        raise DataError(f"a mapping of {names}, not a table; give one of its values")
    if hasattr(table, "iter_rows"):
        rows = table.iter_rows(named=True)
    elif hasattr(table, "itertuples"):
        rows = table.to_dict(orient="records")
    else:
        rows = table
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise DataError(f"row {number} is no mapping: {quoted(row)}")
        yield {str(name): _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    # numpy's texts and numbers are Python's too, and cannot be written as JSON.
    if type(value).__module__ == "numpy":
        value = value.tolist()
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    # pandas' NA and NaT, known without pandas.
    return None if type(value).__name__ in ("NAType", "NaTType") else value


def decode_json(text: str) -> Any:
    """Decode JSON; NaN and Infinity, which Python's writer adds, become null."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text, parse_constant=lambda _: None)


def _json_list(
    file: RawFile, note: Callable[[DataError], None]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON list, with their number from 1 as the line."""
    try:
        items = decode_json(file.text())
    except (ValueError, RecursionError) as error:
        raise DataError(f"not valid JSON: {error}", file=file.place) from error
    for number, item in enumerate(_reported(f"records of {file.name}", items), 1):
        if isinstance(item, dict):
            yield number, item
        else:
            note(DataError(f"item {number} is not an object: {quoted(item)}", file=file.place))


def _json_lines(
    file: RawFile, note: Callable[[DataError], None]
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(file.text_lines(), 1):
        if not line.strip():
            continue
        try:
            item = decode_json(line.removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            note(DataError(f"not valid JSON: {error}", file=file.place, line=number))
            continue
        if not isinstance(item, dict):
            note(
                DataError(f"expected an object, found {quoted(item)}", file=file.place, line=number)
            )
            continue
        yield number, item
