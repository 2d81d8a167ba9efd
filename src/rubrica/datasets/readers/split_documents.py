"""Summaries in one file, their documents in another, joined by `instance_id`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import read_jsonl
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.inputs import join_sides
from rubrica.datasets.readers.row import Row, listed, quoted
from rubrica.datasets.readers.rows import RowReader, documents
from rubrica.errors import MismatchError


@DatasetReader.register("split-document-based")
class SplitDocumentBasedReader(RowReader):
    """JSON lines: documents in one file, summaries in others; all documents are held in memory.

    Args:
        documents: Files of documents. Without it the first input file is the documents.
        default_summarizer_id: The system's name for rows without `summarizer_id`.
        default_summarizer_type: `peer` or `reference`, for rows without `summarizer_type`.
    """

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

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """The rows of the summaries files, in order."""
        sources, summaries = join_sides(
            self.name, files, self.documents, first="documents", second="summaries"
        )
        known = self._documents(sources)
        for file in summaries:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, self.name)
                ids = self.ids(row)
                if ids[0] not in known:
                    raise MismatchError(
                        f"no document for instance {quoted(ids[0])} in {', '.join(sources)}, which has "
                        f"{len(known)} (ids: {listed(known, 3)})",
                        file=file,
                        line=line,
                    )
                found: dict[str, Any] = {"summary": row.text("summary"), "documents": known[ids[0]]}
                references = row.texts("references", "reference")
                if references is not None:
                    found["references"] = references
                yield row.instance(ids, found)

    def _documents(self, files: Sequence[str]) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        places: dict[str, str] = {}
        for file in files:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, self.name)
                name, texts = row.identifier("instance_id"), documents(row)
                # The same row twice does no harm: people join overlapping files.
                if found.setdefault(name, texts) != texts:
                    raise MismatchError(
                        f"instance {quoted(name)} has other documents at {places[name]}; remove one",
                        file=file,
                        line=line,
                    )
                places.setdefault(name, row.origin)
        return found
