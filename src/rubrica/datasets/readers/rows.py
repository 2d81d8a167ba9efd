"""Temporary; replaced by the readers branch."""

from __future__ import annotations

from collections.abc import Iterator

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.jsonl import read_jsonl
from rubrica.datasets.readers.base import DatasetReader


@DatasetReader.register("reference-based")
class ReferenceBasedReader(DatasetReader):
    """Rows with a summary and its references."""

    fields = ("summary", "references")

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """The instances of all files, in order."""
        for file in files:
            for line, row in read_jsonl(file):
                fields = Fields(
                    summary=row["summary"]["text"],
                    references=[one["text"] for one in row["references"]],
                )
                yield EvalInstance(
                    row["instance_id"],
                    row["summarizer_id"],
                    row["summarizer_type"],
                    fields,
                    f"{file}:{line}",
                )
