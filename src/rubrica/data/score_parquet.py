"""Scored rows as a Parquet file: ids, a column of numbers per measure, and a digest of what was scored."""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from rubrica.data.files import atomic_output
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.errors import DataError, MissingResourceError

IDS = ("instance_id", "summarizer_id", "summarizer_type")
_PATH = b"path"
_SIGNATURES = b"rubrica-signatures"
_ROWS_AT_ONCE = 4096
_BYTES_AT_ONCE = 1 << 24


class _Line(msgspec.Struct):
    instance_id: str
    summarizer_id: str
    summarizer_type: str
    metrics: dict[str, Any]
    digest: str
    signatures: msgspec.Raw = msgspec.Raw(b"[]")


class ScoreColumns:
    """Collects rows and writes them; a measure that a row lacks, or that is undefined, is null there."""

    def __init__(self) -> None:
        self._decoder = msgspec.json.Decoder(_Line)
        self._texts: dict[str, list[str]] = {name: [] for name in (*IDS, "digest")}
        self._values: dict[tuple[str, ...], array[float]] = {}
        self._signatures: dict[bytes, None] = {}

    def add(self, lines: bytes) -> None:
        """Rows as JSON lines."""
        for row in self._decoder.decode_lines(lines):
            rows = len(self._texts["digest"])
            self._signatures[bytes(row.signatures)] = None
            for name, texts in self._texts.items():
                texts.append(getattr(row, name))
            for path, value in _numbers(row.metrics):
                column = self._values.get(path)
                if column is None:
                    column = self._values[path] = array("d", [math.nan]) * rows
                elif len(column) < rows:
                    column.extend([math.nan] * (rows - len(column)))
                column.append(math.nan if value is None else value)

    def write(self, stream: BinaryIO, signatures: Sequence[str] = ()) -> None:
        """The file; how the numbers were made stands in its metadata, each line of the rows once.

        `signatures` stand there also if there are no rows.
        """
        pa, parquet = _arrow()
        rows = len(self._texts["digest"])
        fields, columns = [], []
        for name in IDS:
            fields.append(pa.field(name, pa.string()))
            columns.append(pa.array(self._texts[name], pa.string()))
        for path, values in self._values.items():
            values.extend([math.nan] * (rows - len(values)))
            told = {_PATH: msgspec.json.encode(path)}
            fields.append(pa.field(".".join(path), pa.float64(), metadata=told))
            columns.append(pa.array(_numpy(values), pa.float64(), from_pandas=True))
        fields.append(pa.field("digest", pa.string()))
        columns.append(pa.array(self._texts["digest"], pa.string()))
        names = [field.name for field in fields]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(
                f"two columns would be called {twice!r}; rename one, or write JSON lines"
            )
        of_rows = [one for lines in self._signatures for one in msgspec.json.decode(lines)]
        made = {_SIGNATURES: msgspec.json.encode(list(dict.fromkeys([*signatures, *of_rows])))}
        table = pa.table(columns, schema=pa.schema(fields, metadata=made))
        parquet.write_table(table, stream)


def parquet_of_lines(source: Path, target: Path) -> None:
    """A Parquet file of the rows in a file of JSON lines, block by block."""
    columns = ScoreColumns()
    with open(source, "rb") as stream, atomic_output(target) as out:
        while lines := stream.readlines(_BYTES_AT_ONCE):
            columns.add(b"".join(lines))
        columns.write(out)


def check_parquet() -> None:
    """A `MissingResourceError` where Parquet files cannot be written."""
    _arrow()


def read_score_parquet(path: str | os.PathLike[str]) -> Iterator[tuple[Metrics, str]]:
    """The rows of such a file, each with its digest."""
    pa, parquet = _arrow()
    try:
        source = parquet.ParquetFile(os.fspath(path))
        schema = source.schema_arrow
        missing = [name for name in IDS if name not in schema.names]
        if missing:
            raise DataError(f"no column {missing[0]!r}", file=os.fspath(path))
        paths = {
            field.name: tuple(msgspec.json.decode((field.metadata or {}).get(_PATH, b"null")) or [])
            or (field.name,)
            for field in schema
            if pa.types.is_floating(field.type) or pa.types.is_integer(field.type)
        }
        for batch in source.iter_batches(_ROWS_AT_ONCE, use_threads=False):
            for row in batch.to_pylist():
                values = MetricsDict()
                for name, keys in paths.items():
                    if row[name] is not None:
                        _put(values, keys, row[name])
                instance, system, kind = (str(row[name]) for name in IDS)
                yield Metrics(instance, system, kind, values), row.get("digest") or ""
    except (pa.ArrowException, OSError, msgspec.DecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"not a Parquet file of scores: {reason}", file=os.fspath(path)) from error


def _put(values: MetricsDict, keys: tuple[str, ...], number: float) -> None:
    for key in keys[:-1]:
        values = values.setdefault(key, {})
    values[keys[-1]] = number


def _numbers(values: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every number with its path; those of a list by their places."""
    pairs = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in pairs:
        if isinstance(value, (dict, list)):
            yield from _numbers(value, (*above, str(key)))
        else:
            yield (*above, str(key)), value


def _numpy(values: array[float]) -> Any:
    import numpy as np

    return np.frombuffer(values)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingResourceError(
            "Parquet files need pyarrow: pip install 'rubrica[parquet]'"
        ) from error
    return pyarrow, parquet
