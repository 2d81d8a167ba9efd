"""Scores in JSON objects: lists, or a line each; a record per summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rubrica.data.jsonl import read_jsonl
from rubrica.data.metrics import Metrics, MetricsDict, exact_mean
from rubrica.data.table import ScoreTable
from rubrica.datasets.released.values import as_number, read_json
from rubrica.errors import DataError


def read_records(
    paths: Sequence[Path],
    *,
    measures: Mapping[str, str],
    instance: str = "",
    system: str = "",
    where: Mapping[str, Any] | None = None,
    without: Sequence[str] = (),
) -> ScoreTable:
    """Read scores from lists of JSON objects, `without` some systems; names are keys, with dots for keys inside.

    Ratings in a list count as their mean. Without `instance` every record is an input of its own; without `system` there is one system. Several
    files are joined by both.
    """
    by_key: dict[tuple[str, str], dict[str, float]] = {}
    for path in paths:
        for number, record in enumerate(_records(path), 1):
            if any(_value(record, key) != value for key, value in (where or {}).items()):
                continue
            name = str(_required(record, instance, path, number)) if instance else str(number)
            by = str(_required(record, system, path, number)) if system else "all"
            if by in without:
                continue
            scores = by_key.setdefault((name, by), {})
            for measure, key in measures.items():
                if (value := _value(record, key)) is not None:
                    values = value if isinstance(value, list) and value else [value]
                    scores[measure] = exact_mean(
                        [as_number(rating, key, path, number) for rating in values]
                    )
    rows = [Metrics(name, by, "peer", MetricsDict(scores)) for (name, by), scores in by_key.items()]
    if not rows:
        raise DataError("no record has the values that 'where' asks for", file=str(paths[0]))
    return ScoreTable.from_metrics(rows, list(measures))


def _records(path: Path) -> list[dict[str, Any]]:
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return [row for _, row in read_jsonl(str(path))]
    content = read_json(path)
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise DataError("expected a list of JSON objects", file=str(path))
    return content


def _value(record: Mapping[str, Any], key: str) -> Any:
    """Return the value at a key, or at a dotted path; None where there is none."""
    if key in record:
        return record[key]
    value: Any = record
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _required(record: Mapping[str, Any], key: str, path: Path, number: int) -> Any:
    value = _value(record, key)
    if value is None:
        raise DataError(f"record {number} has no {key!r}", file=str(path))
    return value
