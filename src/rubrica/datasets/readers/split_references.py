"""Summaries in one file, their references in another, joined by `instance_id`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import read_jsonl
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.inputs import join_sides
from rubrica.datasets.readers.row import Row, listed, quoted
from rubrica.datasets.readers.rows import RowReader
from rubrica.errors import MismatchError


@DatasetReader.register("split-reference-based")
class SplitReferenceBasedReader(RowReader):
    """JSON lines: references in one file, summaries in others; all references are held in memory.

    A reference row has the references of the other people: the one that its `summarizer_id` names is
    left out.

    Args:
        references: Files of references. Without it the first input file is the references.
        default_summarizer_id: The system's name for rows without `summarizer_id`.
        default_summarizer_type: `peer` or `reference`, for rows without `summarizer_type`.
    """

    fields = ("summary", "references")

    def __init__(
        self,
        references: list[str] | None = None,
        default_summarizer_id: str | None = None,
        default_summarizer_type: Literal["peer", "reference"] | None = None,
    ) -> None:
        super().__init__(default_summarizer_id, default_summarizer_type)
        self.references = references

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """The rows of the summaries files, in order."""
        sources, summaries = join_sides(
            self.name, files, self.references, first="references", second="summaries"
        )
        known = self._references(sources)
        for file in summaries:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, self.name)
                ids = self.ids(row)
                if ids[0] not in known:
                    raise MismatchError(
                        f"no references for instance {quoted(ids[0])} in {', '.join(sources)}, which "
                        f"has {len(known)} (ids: {listed(known, 3)})",
                        file=file,
                        line=line,
                    )
                others = [text for name, text in known[ids[0]] if not name or name != ids[1]]
                yield row.instance(ids, {"summary": row.text("summary"), "references": others})

    def _references(self, files: Sequence[str]) -> dict[str, list[tuple[str, Any]]]:
        found: dict[str, list[tuple[str, Any]]] = {}
        places: dict[str, str] = {}
        for file in files:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, self.name)
                name = row.identifier("instance_id")
                texts = row.texts("references", "reference")
                if texts is None:
                    raise row.missing("references")
                given = values.get("references")
                given = [values.get("reference")] if given is None else given
                named = [
                    (str(one.get("summarizer_id") or "") if isinstance(one, dict) else "", text)
                    for one, text in zip(given, texts, strict=True)
                ]
                # The same row twice does no harm: people join overlapping files.
                if found.setdefault(name, named) != named:
                    raise MismatchError(
                        f"instance {quoted(name)} has other references at {places[name]}; remove one",
                        file=file,
                        line=line,
                    )
                places.setdefault(name, row.origin)
        return found
