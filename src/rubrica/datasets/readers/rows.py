"""JSON lines of SacreROUGE's schema: one row per summary, its references or documents inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import read_jsonl
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.inputs import input_files
from rubrica.datasets.readers.row import Row

_REMEDY = "; its parameter 'default_{}' sets one for all rows without"


class RowReader(DatasetReader):
    """One instance per row; a subclass says in `fields` which fields a row must have."""

    def __init__(
        self,
        default_summarizer_id: str | None = None,
        default_summarizer_type: Literal["peer", "reference"] | None = None,
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
        for file in input_files(self.name, files):
            for line, values in read_jsonl(file):
                row = Row(values, file, line, self.name)
                yield row.instance(self.ids(row), self.contents(row))

    def ids(self, row: Row) -> tuple[str, str, str]:
        """Instance id, summarizer id and summarizer type of a row."""
        return (
            row.identifier("instance_id"),
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
        found: dict[str, Any] = {"summary": row.text("summary")}
        if "references" in self.fields:
            found["references"] = references(row)
        if "documents" in self.fields:
            found["documents"] = documents(row)
        return found


def references(row: Row) -> list[Any]:
    """The required references of a row, from `references` or `reference`."""
    found = row.texts("references", "reference")
    if found is None:
        raise row.missing("references")
    return found


def documents(row: Row) -> list[Any]:
    """The required documents of a row, from `documents` or `document`; paragraphs are joined."""
    found = row.texts("documents", "document", nested=True)
    if found is None:
        raise row.missing("documents" if "documents" in row.values else "document")
    return found


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


@DatasetReader.register("summary-only")
class SummaryOnlyReader(RowReader):
    """JSON lines: a summary per row."""

    fields = ("summary",)
