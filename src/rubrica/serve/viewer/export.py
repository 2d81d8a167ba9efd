"""The rows that fit a query, as a file: the table as CSV, or whole samples as JSON lines that commands read."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from rubrica.formatting.table import inert
from rubrica.serve.viewer.query import IDS
from rubrica.serve.viewer.table import Rows, SampleTable

_CHUNK = 500


def csv_lines(table: SampleTable, rows: Rows, columns: Sequence[str]) -> Iterator[bytes]:
    """Yield a header and a line per row: input, system, type, then the columns; undefined values are empty."""
    columns = [name for name in columns if name not in IDS]
    yield _csv([[*IDS, *columns]])
    for chunk in _chunks(rows):
        with table.lock:
            cells = [_cells(table, name, chunk) for name in columns]
            lines = [
                [*table.ids(row), *(column[at] for column in cells)] for at, row in enumerate(chunk)
            ]
        yield _csv(lines)


def json_lines(table: SampleTable, rows: Rows) -> Iterator[bytes]:
    """Yield a line of JSON per row: ids, fields, texts and all scores.

    Every line has the same texts, as readers expect. Rows without a summary are left out, unless none has one.
    """
    with table.lock:
        needs_summary = len(table.summaries) > 0
        contexts = [name for name, column in table.contexts.items() if len(column.texts)]
    for chunk in _chunks(rows):
        with table.lock:
            samples = [_sample(table, row, contexts) for row in chunk]
        if needs_summary:
            samples = [sample for sample in samples if "summary" in sample]
        yield b"".join(msgspec.json.encode(sample) + b"\n" for sample in samples)


def _chunks(rows: Rows) -> Iterator[list[int]]:
    for start in range(0, len(rows), _CHUNK):
        yield rows[start : start + _CHUNK].tolist()


def _cells(table: SampleTable, name: str, rows: list[int]) -> list[Any]:
    if name in table.fields:
        return [table.field_of(name, row) for row in rows]
    values = table.numbers_at(name, rows)
    if name == "words":
        return ["" if math.isnan(value) else int(value) for value in values]
    return ["" if math.isnan(value) else value for value in values]


def _csv(lines: Sequence[Sequence[Any]]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for line in lines:
        writer.writerow([inert(cell) if isinstance(cell, str) else cell for cell in line])
    return stream.getvalue().encode()


def _sample(table: SampleTable, row: int, contexts: Sequence[str]) -> dict[str, Any]:
    input_name, system, kind = table.ids(row)
    sample: dict[str, Any] = {
        "instance_id": input_name,
        "summarizer_id": system,
        "summarizer_type": kind,
    }
    if language := table.languages(row).summary:
        sample["language"] = language
    for name in table.fields:
        if (value := table.field_of(name, row)) is not None:
            sample.setdefault(name, value)
    if (summary := table.summary(row)) is not None:
        sample["summary"] = summary
    for name in contexts:
        sample[name] = table.context(name, row)
    metrics = {name: table.numbers_at(name, [row])[0] for name in table.scores}
    metrics = {name: value for name, value in metrics.items() if not math.isnan(value)}
    return sample | ({"metrics": metrics} if metrics else {})
