"""Tables: rows whose columns have names of their own choosing; and the plainest, JSON lines."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rubrica.data.instance import EvalInstance, SummarizerType, Text
from rubrica.data.jsonl import decode_object, read_jsonl
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.fields import Columns, check_fields, resolve
from rubrica.datasets.readers.inputs import input_files, stem
from rubrica.datasets.readers.line_blocks import LineBlock, read_blocks
from rubrica.datasets.readers.row import SINGULAR_NAMES, Row, found_hint
from rubrica.errors import DataError, DataWarning, ParameterError


class TableReader(DatasetReader, ABC):
    """Rows of named values; a subclass says how to get them from a file."""

    optional_fields = ("references", "documents")

    def __init__(
        self,
        fields: dict[str, str | list[str]] | None = None,
        systems: dict[str, str] | None = None,
        default_summarizer_id: str | None = None,
        default_summarizer_type: SummarizerType = "peer",
    ) -> None:
        """Take the mapping and the defaults.

        Args:
            fields: Which column holds which field: `summary=pred references=ref1,ref2`. The fields
                are instance_id, summarizer_id, summarizer_type, summary, references and documents;
                other columns are recognised by their usual names.
            systems: Systems: one column per system as NAME=COLUMN, such as bart=colA t5=colB; a
                name alone if the column has the same name.
            default_summarizer_id: The system's name if no column has it; null is the file's name
                without folder and extension.
            default_summarizer_type: Type of summaries if no column has it: `peer` or `reference`.
        """
        self.mapping, self.systems = check_fields(fields), dict(systems or {})
        if self.systems and {"summary", "summarizer_id"} & set(self.mapping):
            raise ParameterError(
                "systems names a column of summaries per system, so fields cannot map summary or "
                "summarizer_id"
            )
        self.default_summarizer_id = default_summarizer_id
        self.default_summarizer_type = default_summarizer_type
        self._notes: dict[str, list[str]] = {}

    @abstractmethod
    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of a file with their line (or row) numbers."""

    def describe(self) -> str:
        """Return which columns were recognised, or left out because a guess was not safe."""
        return "\n".join(f"{_named(files)}: {note}" for note, files in self._notes.items())

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """Yield the rows of all files, in order."""
        self._notes = {}
        for file in input_files(self.name, files):
            empty = _EmptyTexts(file)
            for row, _, instances in self.records(file):
                for instance in instances:
                    empty.look_at(instance, row.line)
                    yield instance
            empty.warn()

    def records(self, file: str) -> Iterator[tuple[Row, Columns, Iterator[EvalInstance]]]:
        """Yield each row of a file with the columns that were recognised in it and its instances."""
        columns: Columns | None = None
        keys: Collection[str] = ()
        for number, (line, values) in enumerate(self.rows(file), 1):
            row = Row(values, file, line, self.name)
            if columns is None:
                columns, keys = self._first(row), values.keys()
            yield row, columns, self._checked(row, columns, keys, number)

    def identified_rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of a file with line numbers, each with the `instance_id` that its instances have."""
        columns: Columns | None = None
        for number, (line, values) in enumerate(self.rows(file), 1):
            row = Row(values, file, line, self.name)
            columns = columns or self._resolved(row)
            yield line, {**values, "instance_id": self._instance_id(row, columns, number)}

    def _checked(
        self, row: Row, columns: Columns, keys: Collection[str], number: int
    ) -> Iterator[EvalInstance]:
        """Yield the instances of a row whose file has these columns; `keys` are those of its first row."""
        if row.values.keys() != keys:
            self._later(row, columns)
        return self._instances(row, columns, number)

    def _first(self, row: Row) -> Columns:
        """Return the columns by the names in the first row; what was recognised is reported."""
        columns = self._resolved(row)
        for column in self.systems.values():
            try:
                _value(row, column)
            except DataError as error:
                example = f'`systems={{"{column}": "COLUMN"}}`'
                raise DataError(
                    f"{error}; {example} names a column of summaries, not a value in a column"
                ) from error
        parts = ["" if self.systems else columns.recognised(self.mapping)]
        if "instance_id" not in columns.names:
            parts.append("instance_id is the row number")
        if "summarizer_id" not in columns.names and not columns.systems:
            parts.append(f"system {self._system(row.file)!r}")
        self._note(row.file, "; ".join(filter(None, parts)))
        for note in columns.notes:
            self._note(row.file, note)
        return columns

    def _note(self, file: str, note: str) -> None:
        if note:
            self._notes.setdefault(note, []).append(file)

    def _resolved(self, row: Row) -> Columns:
        return resolve(
            self.mapping,
            self.systems,
            row.values,
            file=row.file,
            line=row.line,
            reader=self.name,
        )

    def _later(self, row: Row, columns: Columns) -> None:
        """Refuse a row with a field that the first row lacks: it would be dropped silently."""
        if columns.systems:
            return
        here = self._resolved(row).names
        for target in [target for target in here if target not in columns.names]:
            column = here[target] if isinstance(here[target], str) else here[target][0]
            raise row.error(
                f"column {column!r} looks like {target}, but the first row has none; "
                f'map it with `fields={{"{target}": "{column}"}}`'
            )

    def _system(self, file: str) -> str:
        return self.default_summarizer_id or stem(file)

    def _instance_id(self, row: Row, columns: Columns, number: int) -> str:
        if "instance_id" not in columns.names:
            return str(number)
        name = str(columns.names["instance_id"])
        return row.as_identifier(_value(row, name), name, "instance_id")

    def _instances(self, row: Row, columns: Columns, number: int) -> Iterator[EvalInstance]:
        names = columns.names
        system, kind = self._system(row.file), self.default_summarizer_type
        ids = [self._instance_id(row, columns, number), system, kind]
        if "summarizer_id" in names:
            name = str(names["summarizer_id"])
            ids[1] = row.as_identifier(_value(row, name), name, "summarizer_id")
        if "summarizer_type" in names:
            name = str(names["summarizer_type"])
            ids[2] = row.as_type(_value(row, name), name)
        contexts: dict[str, Any] = {
            target: _texts(row, names[target], nested=target == "documents")
            for target in SINGULAR_NAMES
            if target in names
        }
        by_system = columns.systems or {ids[1]: str(names["summary"])}
        for system, column in by_system.items():
            summary = row.as_text(_value(row, column), column)
            yield row.instance((ids[0], system, ids[2]), {"summary": summary, **contexts})


@dataclass(slots=True)
class _EmptyTexts:
    """The empty cells of a file: they are scored, mostly 0, and may be a fault of the table."""

    file: str
    count: int = 0
    first: str = ""

    def look_at(self, instance: EvalInstance, line: int) -> None:
        for field, value in instance.fields.items():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and not text.strip():
                    self.count += 1
                    self.first = self.first or f"{field}, line {line}"

    def warn(self) -> None:
        if self.count:
            texts = "1 text is" if self.count == 1 else f"{self.count:,} texts are"
            warnings.warn(
                f"{self.file}: {texts} empty and scored as such; the first: {self.first}",
                DataWarning,
                stacklevel=2,
            )


def holds_texts(values: Mapping[str, Any], columns: Columns) -> bool:
    """Return whether the columns taken for summaries hold texts in a row, not numbers."""
    names = [*columns.systems.values()] or [str(columns.names["summary"])]
    return not all(is_number(values.get(name)) for name in names)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number, also one that a table holds as text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return False
    try:
        return math.isfinite(float(value))
    except (ValueError, OverflowError):
        return False


def _named(files: Sequence[str]) -> str:
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1:,} more"


def _texts(row: Row, names: str | list[str], *, nested: bool) -> list[Text]:
    """Return the texts of a column (a text, or a list of texts) or of a list of columns (a text each).

    Empty ones of several columns are left out: that is how tables show fewer references.
    """
    if isinstance(names, str):
        value = _value(row, names)
        if isinstance(value, list):
            return row.as_texts(value, names, nested=nested)
        return [row.as_text(value, names, nested=nested)]
    several = len(names) > 1
    values = [(name, _value(row, name, optional=several)) for name in names]
    if several:
        values = [(name, value) for name, value in values if value is not None and value != ""]
    return [row.as_text(value, name, nested=nested) for name, value in values]


def _value(row: Row, name: str, *, optional: bool = False) -> Any:
    """Return the value of a column or of a dotted path; a key with the dots in its name comes first."""
    value: Any = row.values.get(name)
    if name not in row.values:
        value = row.values
        for key in name.split("."):
            if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            elif isinstance(value, dict) and key in value:
                value = value[key]
            else:
                raise row.error(f"no column {name!r} ({found_hint(name, row.values)})")
    if value is None and not optional:
        raise row.error(f"column {name!r} is null; write an empty text, or remove the row")
    return value


@dataclass(frozen=True, slots=True)
class _Lines:
    """Undecoded lines of a file, and what its first row says about them."""

    block: LineBlock
    columns: Columns
    keys: frozenset[str]
    # How many rows come before; not counted where rows have ids of their own.
    before: int


@DatasetReader.register("jsonl")
class JsonlReader(TableReader):
    """JSON lines of any shape, with a mapping of fields; keys may be dotted paths (`info.id`)."""

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the JSON objects of a file."""
        return read_jsonl(file)

    @property
    def gives_raw_pieces(self) -> bool:
        """Whether pieces are undecoded lines: unless a subclass has its own way of reading."""
        return type(self).read is TableReader.read and type(self).rows is JsonlReader.rows

    def pieces(self, files: Sequence[str], sizes: Iterator[int]) -> Iterator[Any]:
        """Yield undecoded lines; only the first row of a file is decoded here."""
        if not self.gives_raw_pieces:
            yield from super().pieces(files, sizes)
            return
        self._notes = {}
        for file in input_files(self.name, files):
            columns: Columns | None = None
            keys: frozenset[str] = frozenset()
            before = 0
            for block in read_blocks(file, sizes):
                if columns is None:
                    first = next((line for line in block.lines() if line[1].strip()), None)
                    if first is None:
                        continue
                    values = decode_object(first[1], file, first[0])
                    columns = self._first(Row(values, file, first[0], self.name))
                    keys = frozenset(values)
                yield _Lines(block, columns, keys, before)
                if "instance_id" not in columns.names:
                    before += sum(1 for _, line in block.lines() if line.strip())

    def read_piece(self, piece: Any) -> Iterator[EvalInstance]:
        """Yield the instances of a piece."""
        if not isinstance(piece, _Lines):
            yield from piece
            return
        number, file = piece.before, piece.block.file
        for line, text in piece.block.lines():
            if text.strip():
                number += 1
                row = Row(decode_object(text, file, line), file, line, self.name)
                yield from self._checked(row, piece.columns, piece.keys, number)
