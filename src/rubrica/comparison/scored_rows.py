"""Rows of scores of several files or tables, one for each summary: what systems are compared by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rubrica.data.logs.tasks import check_tasks
from rubrica.data.metrics import Metrics
from rubrica.data.scores.columns import TableColumns
from rubrica.data.scores.rows import read_score_rows
from rubrica.datasets.readers.inputs import names as distinct_names
from rubrica.errors import DataError, RubricaError
from rubrica.metrics.base.measures import Measures

Key: TypeAlias = tuple[str, str]


@dataclass(slots=True)
class ScoredRows:
    """Rows of score files; rows of the same summary in several files are merged."""

    rows: dict[Key, Metrics] = field(default_factory=dict)
    signatures: dict[str, None] = field(default_factory=dict)
    measures: Measures = field(default_factory=Measures)
    # What was recognised in tables of other programs, a line each.
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(
        cls,
        files: Sequence[str],
        *,
        name_by_file: bool = False,
        mapping: TableColumns | None = None,
    ) -> ScoredRows:
        """Read rows of scores: of `evaluate` and `score`, tables, logs of harnesses.

        `name_by_file`: where two files have values of the same measure for the same summary, each file holds a
        system of its own, called `system (file)`; otherwise values that differ are an error. `mapping` names columns
        of tables.
        """
        scored = cls()
        by_file = {
            file: list(read_score_rows(file, Metrics, mapping, scored.notes))
            for file in dict.fromkeys(files)
        }
        check_tasks({file: [row.instance_id for _, row in rows] for file, rows in by_file.items()})
        repeated = _repeated_systems(by_file) if name_by_file else set()
        names = dict(zip(by_file, distinct_names(list(by_file)), strict=True))
        for file, numbered in by_file.items():
            for line, row in numbered:
                if row.summarizer_id in repeated:
                    row.summarizer_id = f"{row.summarizer_id} ({names[file]})"
                scored._add(row, file, line)
                scored.signatures.update(dict.fromkeys(row.signatures))
        if not scored.rows:
            raise DataError("no rows of scores in the input")
        return scored

    @classmethod
    def of(cls, rows: Iterable[Metrics]) -> ScoredRows:
        """Return rows in memory; those of the same summary are merged."""
        scored = cls()
        for number, row in enumerate(rows, 1):
            scored._add(row, "data", number)
        return scored

    def systems(self, include_references: bool = False) -> int:
        """Return the number of systems."""
        names = (
            row.summarizer_id
            for row in self.rows.values()
            if include_references or row.summarizer_type != "reference"
        )
        return len(set(names))

    def _add(self, row: Metrics, file: str, line: int) -> None:
        earlier = self.rows.get(row.key)
        try:
            self.measures.add(row)
            self.rows[row.key] = row if earlier is None else earlier.merge(row)
        except RubricaError as error:
            raise DataError(str(error), file=file, line=line) from error


def _repeated_systems(by_file: Mapping[str, Sequence[tuple[int, Metrics]]]) -> set[str]:
    """Return the systems of which two files have the same measure for the same input."""
    owners: dict[tuple[Key, str], str] = {}
    return {
        row.summarizer_id
        for file, numbered in by_file.items()
        for _, row in numbered
        if row.summarizer_type != "reference"
        for name in row.metrics.measure_names()
        if owners.setdefault((row.key, name), file) != file
    }
