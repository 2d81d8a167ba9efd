"""Summaries in one file, their documents in another, joined by `instance_id`."""

from __future__ import annotations

from typing import Any

from rubrica.data.instance import EvalInstance, SummarizerType
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.row import Row
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
        default_summarizer_type: SummarizerType | None = None,
    ) -> None:
        super().__init__(default_summarizer_id, default_summarizer_type)
        self.documents = documents

    def of_input(self, row: Row) -> list[Any]:
        """Its documents."""
        return row.required_texts("documents")

    def joined(self, row: Row, ids: tuple[str, str, str], known: Any) -> EvalInstance:
        """The input's documents, and the row's own references if it has any."""
        fields = {"summary": row.text("summary"), "documents": known}
        references = row.texts("references")
        return row.instance(
            ids, fields if references is None else fields | {"references": references}
        )
