"""A table of a study: one row per summary, with scores, where its text came from, and its hash.

Rows are JSON lines that `rubrica meta-evaluate` and its kin read as they are, or Parquet.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from rubrica.data.files import atomic_output
from rubrica.data.jsonl import convert, read_jsonl, write_jsonl
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError, MissingResourceError


class StudyRow(msgspec.Struct, kw_only=True):
    """The scores of one summary.

    `summary_digest` and `reference_digest` are `text_digest`s of what was scored. `uncertainty`
    holds, for human scores, their standard error and bounds; it is no measure.
    """

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    metrics: dict[str, Any]
    summary_digest: str = ""
    reference_digest: str = ""
    signatures: list[str] = []
    origin: str = ""
    summary: list[str] | None = None
    references: list[list[str]] | None = None
    uncertainty: dict[str, Any] | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the summary."""
        return self.instance_id, self.summarizer_id

    def values(self) -> dict[str, float]:
        """Every number by its dotted name; lists, as their mean."""
        leaves = MetricsDict(self.metrics).average_values().leaves()
        return {".".join(path): value for path, value in leaves if value is not None}

    def to_dict(self) -> dict[str, Any]:
        """As written: what is empty is left out."""
        row = msgspec.structs.asdict(self)
        first = ("instance_id", "summarizer_id", "summarizer_type", "metrics")
        return {k: v for k, v in row.items() if k in first or v not in ("", None, [])}


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """By the name."""
    return os.fspath(path).endswith(".parquet")


def read_table(path: str | os.PathLike[str]) -> Iterator[StudyRow]:
    """The rows of a table; keys that a row of a study does not have are passed over."""
    if is_parquet(path):
        yield from _read_parquet(os.fspath(path))
        return
    for number, row in read_jsonl(path):
        yield convert(row, StudyRow, os.fspath(path), number)


def write_table(path: str | os.PathLike[str], rows: Iterable[StudyRow]) -> int:
    """Write a table, JSON lines or Parquet by its name; the number of rows."""
    if is_parquet(path):
        return _write_parquet(path, list(rows))
    count = 0

    def counted() -> Iterator[dict[str, Any]]:
        nonlocal count
        for row in rows:
            count += 1
            yield row.to_dict()

    write_jsonl(path, counted())
    return count


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as missing:
        raise MissingResourceError(
            "Parquet needs pyarrow; pip install 'rubrica[parquet]'"
        ) from missing
    return pyarrow


def _write_parquet(path: str | os.PathLike[str], rows: list[StudyRow]) -> int:
    """Ids and hashes as text, every measure as a column of doubles named `metrics.NAME`."""
    pa = _pyarrow()
    text, texts = pa.string(), pa.list_(pa.string())
    columns: dict[str, tuple[Any, list[Any]]] = {
        name: (text, [getattr(row, name) for row in rows])
        for name in ("instance_id", "summarizer_id", "summarizer_type", "summary_digest",
                     "reference_digest", "origin")
    }  # fmt: skip
    values = [row.values() for row in rows]
    measures = dict.fromkeys(name for row in values for name in row)
    columns |= {
        f"metrics.{name}": (pa.float64(), [row.get(name) for row in values]) for name in measures
    }
    columns["signatures"] = texts, [row.signatures for row in rows]
    columns["summary"] = texts, [row.summary for row in rows]
    columns["references"] = pa.list_(texts), [row.references for row in rows]
    table = pa.table(
        {name: pa.array(values, type=kind) for name, (kind, values) in columns.items()}
    )
    with atomic_output(path) as stream:
        pa.parquet.write_table(table, stream)
    return len(rows)


def _read_parquet(path: str) -> Iterator[StudyRow]:
    pa = _pyarrow()
    try:
        table = pa.parquet.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(f"cannot be read as Parquet: {error}", file=path) from error
    for batch in table.iter_batches():
        for number, cells in enumerate(batch.to_pylist(), 1):
            measures = {
                k: v for k, v in cells.items() if k.startswith("metrics.") and v is not None
            }
            nested = MetricsDict()
            for name, value in measures.items():
                part: Any = value
                for key in reversed(name.split(".")[1:]):
                    part = {key: part}
                nested.update(part)
            rest = {
                k: v for k, v in cells.items() if not k.startswith("metrics.") and v is not None
            }
            yield convert(rest | {"metrics": nested}, StudyRow, path, number)
