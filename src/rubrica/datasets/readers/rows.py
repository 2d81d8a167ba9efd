"""JSON lines of SacreROUGE's schema: one row per summary, its references or documents inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import repeat
from typing import Any

from rubrica.core import kernels
from rubrica.data.columns import ColumnBatch
from rubrica.data.instance import EvalInstance, SummarizerType
from rubrica.data.jsonl import decode_object
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.inputs import input_files
from rubrica.datasets.readers.line_blocks import LineBlock, read_blocks
from rubrica.datasets.readers.plain_rows import PlainRows
from rubrica.datasets.readers.row import SINGULAR_NAMES, Row

ROWS_AT_ONCE = 256

_OTHER_SHAPE = "; rows of another shape: --dataset-reader jsonl"
_REMEDY = "; its parameter 'default_{}' sets one for all rows without"


plain_rows = cache(PlainRows)


class RowReader(DatasetReader):
    """One instance per row; a subclass says in `fields` which fields a row must have."""

    def __init__(
        self,
        default_summarizer_id: str | None = None,
        default_summarizer_type: SummarizerType | None = None,
    ) -> None:
        """Take the defaults.

        Args:
            default_summarizer_id: The system's name for rows without `summarizer_id`.
            default_summarizer_type: `peer` or `reference`, for rows without `summarizer_type`.
        """
        self.default_summarizer_id = default_summarizer_id
        self.default_summarizer_type = default_summarizer_type

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """The rows of all files, in order."""
        for block in self._blocks(files, repeat(ROWS_AT_ONCE)):
            yield from self.read_piece(block)

    def _blocks(self, files: Sequence[str], sizes: Iterator[int]) -> Iterator[LineBlock]:
        for file in input_files(self.name, files):
            yield from read_blocks(file, sizes)

    @property
    def gives_raw_pieces(self) -> bool:
        """Unless a subclass needs more than a row to understand it."""
        return type(self).read is RowReader.read

    def pieces(self, files: Sequence[str], sizes: Iterator[int]) -> Iterator[Any]:
        """Lines as they stand: whoever reads a piece understands them."""
        if not self.gives_raw_pieces:
            yield from super().pieces(files, sizes)
            return
        yield from self._blocks(files, sizes)

    def read_piece(self, piece: Any) -> Iterator[EvalInstance]:
        """The rows of a block of lines."""
        if not isinstance(piece, LineBlock):
            yield from piece
            return
        plain = self._plain() if kernels.has_unique_keys(piece.data) else None
        for number, line in piece.lines():
            instance = plain.instance(line, piece.file, number) if plain is not None else None
            if instance is None:
                if not line.strip():
                    continue
                row = Row(decode_object(line, piece.file, number), piece.file, number, self.name)
                instance = row.instance(self.ids(row), self.contents(row))
            yield instance

    def read_columns(self, piece: Any) -> ColumnBatch | None:
        """The rows of a block of lines as columns, where all of them are plain."""
        plain = self._plain() if isinstance(piece, LineBlock) else None
        return plain.columns(piece) if plain is not None else None

    def _plain(self) -> PlainRows | None:
        """The short way for plain rows, unless a subclass reads them in its own way."""
        cls = type(self)
        if cls.ids is not RowReader.ids or cls.contents is not RowReader.contents:
            return None
        return plain_rows(self.fields)

    def ids(self, row: Row) -> tuple[str, str, str]:
        """Instance id, summarizer id and summarizer type of a row."""
        plain = {"summary", "references", "documents"}.issuperset(self.fields)
        return (
            row.identifier("instance_id", remedy=_OTHER_SHAPE if plain else ""),
            row.identifier(
                "summarizer_id", self.default_summarizer_id, _REMEDY.format("summarizer_id")
            ),
            row.as_type(
                row.required(
                    "summarizer_type",
                    self.default_summarizer_type,
                    _REMEDY.format("summarizer_type"),
                ),
                "summarizer_type",
            ),
        )

    def contents(self, row: Row) -> dict[str, Any]:
        """The fields of a row."""
        fields: dict[str, Any] = {"summary": row.text("summary")}
        return fields | {
            many: row.required_texts(many) for many in SINGULAR_NAMES if many in self.fields
        }


@DatasetReader.register("reference-based")
class ReferenceBasedReader(RowReader):
    """JSON lines: a summary and its references per row."""

    fields = ("summary", "references")


@DatasetReader.register("document-based")
class DocumentBasedReader(RowReader):
    """JSON lines: a summary and the document or documents it summarizes per row."""

    fields = ("summary", "documents")


@DatasetReader.register("reference-document-based")
class ReferenceDocumentBasedReader(RowReader):
    """JSON lines: a summary, its references and its documents per row."""

    fields = ("summary", "references", "documents")


@DatasetReader.register("query-document-based")
class QueryDocumentBasedReader(RowReader):
    """JSON lines: a summary, its documents and the query that it should answer per row."""

    fields = ("summary", "documents", "query")

    def contents(self, row: Row) -> dict[str, Any]:
        """The fields of a row, the query among them."""
        return {**super().contents(row), "query": row.text("query")}


@DatasetReader.register("summary-only")
class SummaryOnlyReader(RowReader):
    """JSON lines: a summary per row."""

    fields = ("summary",)
