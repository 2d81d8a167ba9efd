"""Evaluation tables of MLflow: `eval_results_table.json`, an object of `columns` and `data`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rubrica.data.logs.rows import canonical_json
from rubrica.errors import DataError

# Columns of what was scored; with numbers in them (labels, for example) they still are not scores.
_INPUTS = {"inputs", "input", "targets", "target", "predictions", "prediction", "outputs", "output"}
_IDS = {"id", "instance_id", "example_id", "doc_id", "request_id"}


def matches(document: Any) -> bool:
    """Return whether a JSON document is a table of columns and data."""
    return isinstance(document, dict) and all(
        isinstance(document.get(name), list) for name in ("columns", "data")
    )


def records(document: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
    """Return the table's rows: ids and scores (`METRIC/score`, or all columns of numbers)."""
    columns = [str(name) for name in document["columns"]]
    scores = {name for name in columns if name.endswith("/score")}
    chosen = [
        name
        for name in columns
        if name not in _INPUTS and (not scores or name in scores or name in _IDS)
    ]
    if len(set(columns)) < len(columns):
        raise DataError(f"a column name occurs twice: {', '.join(columns)}", file=path)
    rows = []
    for number, cells in enumerate(document["data"], 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            raise DataError(
                f"a row must be a list of {len(columns)} values", file=path, line=number
            )
        row = dict(zip(columns, cells, strict=True))
        rows.append({name: _plain(row[name]) for name in chosen})
    return rows


def questions(document: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the id (or the number) and the input of each row; nothing if the table has no inputs."""
    columns = [str(name) for name in document["columns"]]
    inputs = next((name for name in ("inputs", "input") if name in columns), None)
    id_column = next((name for name in columns if name in _IDS), None)
    if inputs is None:
        return
    for number, cells in enumerate(document["data"], 1):
        row = dict(zip(columns, cells, strict=True))
        yield str(row[id_column] if id_column else number), canonical_json(row[inputs])


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value
