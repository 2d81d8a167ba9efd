"""Summaries in one file, their references in another, joined by `instance_id`."""

from __future__ import annotations

from typing import Any, Literal

from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.row import Row
from rubrica.datasets.readers.split_rows import SplitRowReader


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
        default_summarizer_type: Literal["peer", "reference"] | None = None,
    ) -> None:
        super().__init__(default_summarizer_id, default_summarizer_type)
        self.references = references

    def of_input(self, row: Row) -> list[tuple[str, Any]]:
        """Its references, each with its author's name or an empty one."""
        texts = row.texts("references", "reference")
        if texts is None:
            raise row.missing("references")
        given = row.values.get("references")
        given = [row.values.get("reference")] if given is None else given
        return [
            (str(one.get("summarizer_id") or "") if isinstance(one, dict) else "", text)
            for one, text in zip(given, texts, strict=True)
        ]

    def joined(self, row: Row, ids: tuple[str, str, str], known: Any) -> dict[str, Any]:
        """The references of others than the summary's author."""
        return {"references": [text for name, text in known if not name or name != ids[1]]}
