"""Tables: rows whose columns have names of their own choosing; and the plainest, JSON lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rubrica.data.instance import EvalInstance, SummarizerType, Text
from rubrica.data.jsonl import decode_object, read_jsonl
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.fields import FieldMap, check_fields, resolve
from rubrica.datasets.readers.inputs import input_files, stem
from rubrica.datasets.readers.line_blocks import LineBlock, read_blocks
from rubrica.datasets.readers.row import SEVERAL, Row, found


class TableReader(DatasetReader, ABC):
    """Rows of named values; a subclass says how to get them from a file."""

    optional_fields = ("references", "documents")

    def __init__(
        self,
        fields: dict[str, str | list[str]] | None = None,
        default_summarizer_id: str | None = None,
        default_summarizer_type: SummarizerType = "peer",
    ) -> None:
        """Take the mapping and the defaults.

        Args:
            fields: Which column holds which field, such as summary=pred references=ref1,ref2 on the
                command line; the fields are instance_id, summarizer_id, summarizer_type, summary,
                references, documents. Without it usual names are recognised; with it, only for
                ids and the summary.
            default_summarizer_id: The system's name where no column has it; without it, the file's
                name without folder and extension.
            default_summarizer_type: `peer` or `reference`, where no column has it.
        """
        self.mapping = check_fields(fields)
        self.default_summarizer_id = default_summarizer_id
        self.default_summarizer_type = default_summarizer_type
        self._notes: dict[str, None] = {}

    @abstractmethod
    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows of a file with their line (or row) numbers."""

    def describe(self) -> str:
        """Which columns were guessed, or left out because a guess was not safe."""
        return "\n".join(self._notes)

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """The rows of all files, in order."""
        self._notes = {}
        for file in input_files(self.name, files):
            columns: FieldMap | None = None
            keys: Collection[str] = ()
            for number, (line, values) in enumerate(self.rows(file), 1):
                row = Row(values, file, line, self.name)
                if columns is None:
                    columns, keys = self._first(row), values.keys()
                yield self._checked(row, columns, keys, number)

    def _checked(
        self, row: Row, columns: FieldMap, keys: Collection[str], number: int
    ) -> EvalInstance:
        """The instance of a row whose file has these columns; `keys` are those of its first row."""
        if row.values.keys() != keys:
            self._later(row, columns)
        return self._instance(row, columns, number)

    def _first(self, row: Row) -> FieldMap:
        """The columns by the names in the first row; what was guessed is noted."""
        columns = resolve(self.mapping, row.values, row.file, row.line, self.name)
        for target, default in (
            ("instance_id", "the row number"),
            ("summarizer_id", self._system(row.file)),
        ):
            if target not in columns.names:
                columns.notes.append(f"{target}: no column, so {default}")
        self._notes.update(dict.fromkeys(f"{row.file}: {note}" for note in columns.notes))
        return columns.names

    def _later(self, row: Row, names: FieldMap) -> None:
        """Refuse a row with a field that the first row lacks: it would be dropped in silence."""
        here = resolve(self.mapping, row.values, row.file, row.line, self.name).names
        for target in [target for target in here if target not in names]:
            column = here[target] if isinstance(here[target], str) else here[target][0]
            raise row.error(
                f"column {column!r} looks like {target}, and the first row has none; "
                f"if it is meant, map it with --fields {target}={column}"
            )

    def _system(self, file: str) -> str:
        return self.default_summarizer_id or stem(file)

    def _instance(self, row: Row, names: FieldMap, number: int) -> EvalInstance:
        ids = [str(number), self._system(row.file), self.default_summarizer_type]
        for place, target in enumerate(("instance_id", "summarizer_id")):
            if target in names:
                name = str(names[target])
                ids[place] = row.as_identifier(_value(row, name), name)
        if "summarizer_type" in names:
            name = str(names["summarizer_type"])
            ids[2] = row.as_type(_value(row, name), name)
        summary = str(names["summary"])
        fields: dict[str, Any] = {"summary": row.as_text(_value(row, summary), summary)}
        for target in SEVERAL:
            if target in names:
                fields[target] = _texts(row, names[target], nested=target == "documents")
        return row.instance((ids[0], ids[1], ids[2]), fields)


def _texts(row: Row, names: str | list[str], *, nested: bool) -> list[Text]:
    """A column: a text, or a list of texts. A list of columns: a text each.

    Of several columns the empty ones are left out: that is how tables show fewer references.
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
    """The value of a column or of a dotted path; a key that has the dots itself comes first."""
    value: Any = row.values.get(name)
    if name not in row.values:
        value = row.values
        for key in name.split("."):
            if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            elif isinstance(value, dict) and key in value:
                value = value[key]
            else:
                raise row.error(
                    f"no column {name!r} ({found(name, row.values)}); reader {row.reader!r} reads it"
                )
    if value is None and not optional:
        raise row.error(f"column {name!r} is null; reader {row.reader!r} reads it")
    return value


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of a file as they stand, and what its first row says about them."""

    block: LineBlock
    columns: FieldMap
    keys: frozenset[str]
    # How many rows come before; not counted where rows have ids of their own.
    before: int


@DatasetReader.register("jsonl")
class JsonlReader(TableReader):
    """JSON lines of any shape, with a mapping of fields; keys may be dotted paths (`info.id`)."""

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The JSON objects of a file."""
        return read_jsonl(file)

    @property
    def gives_raw_pieces(self) -> bool:
        """Unless a subclass has its own way of reading."""
        return type(self).read is TableReader.read and type(self).rows is JsonlReader.rows

    def pieces(self, files: Sequence[str], sizes: Iterator[int]) -> Iterator[Any]:
        """Lines as they stand; only the first row of a file is understood here."""
        if not self.gives_raw_pieces:
            yield from super().pieces(files, sizes)
            return
        self._notes = {}
        for file in input_files(self.name, files):
            columns: FieldMap | None = None
            keys: frozenset[str] = frozenset()
            before = 0
            for block in read_blocks(file, sizes):
                if columns is None:
                    first = next((one for one in block.lines() if one[1].strip()), None)
                    if first is None:
                        continue
                    values = decode_object(first[1], file, first[0])
                    columns = self._first(Row(values, file, first[0], self.name))
                    keys = frozenset(values)
                yield _Lines(block, columns, keys, before)
                if "instance_id" not in columns:
                    before += sum(1 for _, line in block.lines() if line.strip())

    def read_piece(self, piece: Any) -> Iterator[EvalInstance]:
        """The rows of a piece."""
        if not isinstance(piece, _Lines):
            yield from piece
            return
        number, file = piece.before, piece.block.file
        for line, text in piece.block.lines():
            if text.strip():
                number += 1
                row = Row(decode_object(text, file, line), file, line, self.name)
                yield self._checked(row, piece.columns, piece.keys, number)
