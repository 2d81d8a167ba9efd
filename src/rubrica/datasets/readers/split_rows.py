"""Summaries in some files, what belongs to their inputs in others, joined by `instance_id`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import read_jsonl
from rubrica.datasets.readers.inputs import join_sides
from rubrica.datasets.readers.row import Row, listed, quoted
from rubrica.datasets.readers.rows import RowReader
from rubrica.errors import MismatchError


class SplitRowReader(RowReader):
    """A subclass names the other side, which is also its parameter of files, and reads a row of it."""

    side: ClassVar[str]

    @abstractmethod
    def of_input(self, row: Row) -> Any:
        """What a row of the other side says about its input."""

    @abstractmethod
    def joined(self, row: Row, ids: tuple[str, str, str], known: Any) -> EvalInstance:
        """The instance of a summary's row, given what is known of its input."""

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """The rows of the summaries files, in order."""
        sources, summaries = join_sides(
            self.name, files, getattr(self, self.side), first=self.side, second="summaries"
        )
        known = self.read_sources(sources)
        for file in summaries:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, self.name)
                ids = self.ids(row)
                if ids[0] not in known:
                    raise MismatchError(
                        f"no {self.side} for instance {quoted(ids[0])} in {', '.join(sources)}, which "
                        f"has {len(known)} (ids: {listed(known, 3)})",
                        file=file,
                        line=line,
                    )
                yield self.joined(row, ids, known[ids[0]])

    def read_sources(self, files: Sequence[str]) -> dict[str, Any]:
        """The other side's values, by input."""
        known: dict[str, Any] = {}
        places: dict[str, str] = {}
        for file in files:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, self.name)
                name, value = row.identifier("instance_id"), self.of_input(row)
                # The same row twice does no harm: people join overlapping files.
                if known.setdefault(name, value) != value:
                    raise MismatchError(
                        f"instance {quoted(name)} has other {self.side} at {places[name]}; remove one",
                        file=file,
                        line=line,
                    )
                places.setdefault(name, row.origin)
        return known
