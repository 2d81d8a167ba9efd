"""Summaries in one file, their references in another, joined by `instance_id`."""

from __future__ import annotations

from typing import Any, NamedTuple

from rubrica.data.instance import EvalInstance, SummarizerType, Text
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.row import Row
from rubrica.datasets.readers.split_rows import SplitRowReader


class _Reference(NamedTuple):
    author: str
    text: Text
    language: str


@DatasetReader.register("split-reference-based")
class SplitReferenceBasedReader(SplitRowReader):
    """JSON lines: references in one file, summaries in others; all references are held in memory.

    A reference row has the references of the other people: the one that its `summarizer_id` names is
    left out.

    Args:
        references: Files of references. Without it the first input file is the references.
        default_summarizer_id: The system's name for rows without `summarizer_id`.
        default_summarizer_type: `peer` or `reference`, for rows without `summarizer_type`.
    """

    side = "references"
    fields = ("summary", "references")

    def __init__(
        self,
        references: list[str] | None = None,
        default_summarizer_id: str | None = None,
        default_summarizer_type: SummarizerType | None = None,
    ) -> None:
        super().__init__(default_summarizer_id, default_summarizer_type)
        self.references = references

    def of_input(self, row: Row) -> list[_Reference]:
        """Its references, each with its author's name or an empty one."""
        texts = row.required_texts("references")
        values = row.values.get("references")
        values = [row.values.get("reference")] if values is None else values
        return [
            _Reference(
                str(value.get("summarizer_id") or "") if isinstance(value, dict) else "",
                text,
                language,
            )
            for value, text, language in zip(
                values, texts, row.languages_of_references(), strict=True
            )
        ]

    def joined(self, row: Row, ids: tuple[str, str, str], known: Any) -> EvalInstance:
        """With the references of others than the summary's author."""
        others = [
            reference for reference in known if not reference.author or reference.author != ids[1]
        ]
        fields = {
            "summary": row.text("summary"),
            "references": [reference.text for reference in others],
        }
        return row.instance(ids, fields, [reference.language for reference in others])
