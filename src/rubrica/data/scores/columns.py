"""Columns of tables of scores: the usual names of ids, and columns that the user names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rubrica.errors import DataError, UnknownNameError

if TYPE_CHECKING:
    from rubrica.data.table_files import Table

# The usual names of ids, the likeliest first; case, blanks and hyphens do not count.
ID_NAMES = {
    "instance_id": "instance_id id doc_id docid document_id example_id sample_id article_id guid uid",
    "summarizer_id": "summarizer_id system system_id system_name model model_id model_name",
    "summarizer_type": "summarizer_type",
}
# The usual names of the column of annotators, where a row has the scores of one.
ANNOTATOR_NAMES = (
    "annotator",
    "annotator_id",
    "annotator_name",
    "rater",
    "rater_id",
    "worker",
    "worker_id",
)


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Which columns hold ids, and which the scores of a system, where a table has a column per system."""

    fields: Mapping[str, str] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)

    def applied(self, table: Table, path: str) -> Table:
        """Return the table with the usual names of ids, and a row per system with its `score`."""
        for target in self.fields:
            if target not in (*ID_NAMES, "annotator"):
                known = [*ID_NAMES, "annotator"]
                raise UnknownNameError("field of a table of scores", target, known)
        for line, row in table[:1]:
            for name in (*self.fields.values(), *self.systems.values()):
                if name not in row:
                    message = f"no column {name!r} (found: {', '.join(row)})"
                    raise DataError(message, file=path, line=line)
        targets = {name: target for target, name in self.fields.items()}
        renamed = [(line, {targets.get(n, n): v for n, v in row.items()}) for line, row in table]
        if not self.systems:
            return renamed
        usual = {name for names in ID_NAMES.values() for name in names.split()}
        usual.update(ANNOTATOR_NAMES)
        return [
            (line, {**ids, "summarizer_id": system, "score": row[targets.get(name, name)]})
            for line, row in renamed
            for ids in [{n: v for n, v in row.items() if plain_name(n) in usual}]
            for system, name in self.systems.items()
        ]


def plain_name(name: str) -> str:
    """Return the name of a column without case, blanks and hyphens."""
    return str(name).strip().lower().replace(" ", "_").replace("-", "_")


def usual_column(target: str, names: Iterable[str]) -> str | None:
    """Return the column with the likeliest usual name of an id; None without any."""
    by_plain = {plain_name(name): name for name in names}
    return next((by_plain[usual] for usual in ID_NAMES[target].split() if usual in by_plain), None)


def annotator_column(names: Iterable[str]) -> str | None:
    """Return the column with a usual name of annotators; None without any."""
    by_plain = {plain_name(name): name for name in names}
    return next((by_plain[usual] for usual in ANNOTATOR_NAMES if usual in by_plain), None)
