"""Score tables from anything that holds scores: files, rows, data frames, or several of these."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from rubrica.data.jsonl import convert
from rubrica.data.metrics import Metrics
from rubrica.data.scores.rows import read_score_rows
from rubrica.data.scores.tables import read_columns
from rubrica.data.table import ScoreTable
from rubrica.datasets.readers.memory import is_table, numbered_rows
from rubrica.errors import DataError
from rubrica.meta.join import SummarizerType
from rubrica.metrics.base.measures import Measures


class Frame(Protocol):
    """A table of named columns, such as a frame of pandas or polars."""

    @property
    def columns(self) -> Any:
        """The columns, or their names."""


# A file, rows, or a table.
ScorePart: TypeAlias = (
    str
    | os.PathLike[str]
    | Frame
    | Mapping[str, Sequence[Any]]
    | Iterable[Metrics]
    | Iterable[Mapping[str, Any]]
)
Scores: TypeAlias = ScoreTable | ScorePart | Iterable[ScorePart]


def score_table(scores: Scores, summarizer_type: SummarizerType = "all") -> ScoreTable:
    """Return a table of all measures of files, rows or data frames; rows of one summary are joined.

    `scores` is a table, a file of scores, rows, or several of these; of a table, all summaries are used. Systems and inputs are in the order of their ids.
    """
    if isinstance(scores, ScoreTable):
        return scores
    merged: dict[tuple[str, str], Metrics] = {}
    known = Measures()
    for row in rows_of_scores(scores):
        if summarizer_type not in ("all", row.summarizer_type):
            continue
        known.add(row)
        there = merged.get(row.key)
        merged[row.key] = row if there is None else there.merge(row)
    if not merged:
        kind = "" if summarizer_type == "all" else f" of summaries of type {summarizer_type!r}"
        raise DataError(f"no rows of scores{kind}")
    table = ScoreTable.from_metrics(merged.values())
    paths = {".".join(path): path for row in merged.values() for path, _ in row.metrics.leaves()}
    lower = {name for name, path in paths.items() if known.group(path).direction == "lower"}
    systems, inputs = (
        sorted(range(len(ids)), key=ids.__getitem__) for ids in (table.systems, table.inputs)
    )
    return ScoreTable(
        tuple(table.systems[at] for at in systems),
        tuple(table.inputs[at] for at in inputs),
        table.measures,
        table.values[np.ix_(systems, inputs)],
        lower.intersection(table.measures),
    )


def rows_of_scores(scores: Any) -> Iterator[Metrics]:
    """Yield the rows of a file of scores, of rows, of a table in memory, or of several of these."""
    if isinstance(scores, Metrics):
        yield scores
    elif isinstance(scores, (str, os.PathLike)):
        for _, row in read_score_rows(scores, Metrics):
            yield row
    elif is_table(scores):
        yield from _rows_of_table(list(numbered_rows(scores)))
    else:
        for part in scores:
            yield from rows_of_scores(part)


def _rows_of_table(table: list[tuple[int, dict[str, Any]]]) -> Iterator[Metrics]:
    name = "data"
    nested = bool(table) and isinstance(table[0][1].get("metrics"), Mapping)
    for number, row in table if nested else read_columns(table, name):
        yield convert(row, Metrics, name, number)
