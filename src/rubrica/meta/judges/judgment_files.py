"""Rows of judgments from files of any usual kind: CSV and TSV with a header line, JSON lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from rubrica.data.jsonl import read_jsonl
from rubrica.data.metrics import MetricsDict
from rubrica.datasets.readers.delimited import CsvReader
from rubrica.datasets.readers.inputs import extension
from rubrica.errors import DataError, near_names


def read_rows(file: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and rows, by the file's ending: .csv, .tsv, .tab; JSON lines otherwise."""
    path = os.fspath(file)
    if extension(path) in (".csv", ".tsv", ".tab"):
        yield from CsvReader().rows(path)
    else:
        yield from read_jsonl(path)


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
