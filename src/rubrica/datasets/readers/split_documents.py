"""Summaries in one file, their documents in another, joined by `instance_id`."""

from __future__ import annotations

from typing import Any, Literal

from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.row import Row
from rubrica.datasets.readers.rows import documents
from rubrica.datasets.readers.split_rows import SplitRowReader


@DatasetReader.register("split-document-based")
class SplitDocumentBasedReader(SplitRowReader):
    """JSON lines: documents in one file, summaries in others; all documents are held in memory.

    Args:
        documents: Files of documents. Without it the first input file is the documents.
        default_summarizer_id: The system's name for rows without `summarizer_id`.
        default_summarizer_type: `peer` or `reference`, for rows without `summarizer_type`.
    """

    side = "documents"
    fields = ("summary", "documents")
    optional_fields = ("references",)

    def __init__(
        self,
        documents: list[str] | None = None,
        default_summarizer_id: str | None = None,
        default_summarizer_type: Literal["peer", "reference"] | None = None,
    ) -> None:
        super().__init__(default_summarizer_id, default_summarizer_type)
        self.documents = documents

    def of_input(self, row: Row) -> list[Any]:
        """Its documents."""
        return documents(row)

    def joined(self, row: Row, ids: tuple[str, str, str], known: Any) -> dict[str, Any]:
        """The input's documents, and the row's own references if it has any."""
        references = row.texts("references", "reference")
        return {"documents": known} | ({} if references is None else {"references": references})
