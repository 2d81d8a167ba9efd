"""Rows of judgments from files of any usual kind: tables with named columns, JSON, JSON lines."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import Any

from rubrica.data.metrics import MetricsDict
from rubrica.data.scores.columns import ID_NAMES, usual_column
from rubrica.datasets.open import BY_ENDING
from rubrica.datasets.readers.base import READERS
from rubrica.datasets.readers.inputs import extension
from rubrica.datasets.readers.tables import TableReader
from rubrica.errors import DataError, near_names


def read_rows(
    file: str | os.PathLike[str], own_names: Collection[str | None] = ()
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers and rows, by the file's ending: tables and JSON; JSON lines otherwise.

    Columns of ids are recognised by their usual names, and renamed, except for `own_names`.
    """
    path = os.fspath(file)
    name = {".json": "json", ".txt": "jsonl"}.get(extension(path)) or BY_ENDING.get(extension(path))
    reader = READERS.get(name or "jsonl")()
    if not isinstance(reader, TableReader):
        raise TypeError(f"no reader of tables: {reader.name}")
    for line, row in reader.rows(path):
        usual = {target: usual_column(target, row) for target in ID_NAMES}
        renamed = {
            column: target
            for target, column in usual.items()
            if column is not None and target not in row and column not in own_names
        }
        yield line, {renamed.get(column, column): value for column, value in row.items()}


def value_at(row: dict[str, Any], name: str) -> Any:
    """A column, or a measure inside `metrics` (as relevance, rouge-1.f1); None where there is none."""
    if name in row:
        return row[name]
    inside = row.get("metrics")
    if isinstance(inside, dict):
        values = MetricsDict(inside)
        if values.find(name) is not None:
            return values.lookup(name)
    return None


def text_at(row: dict[str, Any], name: str, file: str, line: int, why: str) -> str:
    """A column that must be there, as text."""
    value = row.get(name)
    if value is None or value == "":
        near = near_names(name, list(row))
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        listed = f" (found: {', '.join(map(str, row))})"
        raise DataError(f"no {name!r}, {why}{listed}{hint}", file=file, line=line)
    return str(value)
