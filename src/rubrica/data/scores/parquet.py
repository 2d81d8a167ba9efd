"""Rows of scores as Parquet: ids, a column of numbers per measure, and a digest of what was scored.

Signatures and measures are in the metadata of the schema, once for all rows.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, BinaryIO, TypeVar

import msgspec

from rubrica.data.formats.parquet import import_parquet, open_seekable
from rubrica.data.jsonl import convert
from rubrica.data.measures import MeasureGroup
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.errors import DataError

IDS = ("instance_id", "summarizer_id", "summarizer_type")
_PATH = b"path"
_SIGNATURES, _MEASURES = b"rubrica-signatures", b"rubrica-measures"
_OF_ALL_ROWS = ("metrics", "signatures", "measures")
_ROWS_AT_ONCE = 4096

Row = TypeVar("Row", bound=Metrics)


class ScoreColumns:
    """Collects rows and writes them; a measure that a row lacks, or that is undefined, is null there."""

    def __init__(self) -> None:
        self._others: dict[str, list[Any]] = {name: [] for name in (*IDS, "digest")}
        self._values: dict[tuple[str, ...], array[float]] = {}
        self._signatures: dict[str, None] = {}
        self._measures: dict[MeasureGroup, None] = {}
        self._rows = 0

    def add(self, rows: Iterable[Metrics]) -> None:
        """Add rows, all of one kind; other fields than numbers get their own columns."""
        for row in rows:
            if not self._rows:
                names = [name for name in row.__struct_fields__ if name not in _OF_ALL_ROWS]
                self._others = {name: [] for name in names}
            self._signatures |= dict.fromkeys(row.signatures)
            self._measures |= dict.fromkeys(row.measures)
            for name, values in self._others.items():
                values.append(getattr(row, name))
            for path, value in _numbers(row.metrics):
                column = self._values.get(path)
                if column is None:
                    column = self._values[path] = array("d", [math.nan]) * self._rows
                elif len(column) < self._rows:
                    column.extend([math.nan] * (self._rows - len(column)))
                column.append(math.nan if value is None else value)
            self._rows += 1

    def write(self, stream: BinaryIO, signatures: Sequence[str] = ()) -> None:
        """Write the file. `signatures` are in its metadata also if there are no rows."""
        pa, parquet = import_parquet()
        fields, columns = [], []

        def put(name: str, values: Any, **about: Any) -> None:
            fields.append(pa.field(name, values.type, **about))
            columns.append(values)

        for name in IDS:
            put(name, pa.array(self._others.pop(name), pa.string()))
        for path, values in self._values.items():
            values.extend([math.nan] * (self._rows - len(values)))
            numbers = pa.array(_numpy(values), pa.float64(), from_pandas=True)
            put(".".join(path), numbers, metadata={_PATH: msgspec.json.encode(path)})
        put("digest", pa.array(self._others.pop("digest"), pa.string()))
        for name, others in self._others.items():
            if any(others):
                put(name, pa.array(others))
        names = [field.name for field in fields]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(
                f"two columns would be called {twice!r}; rename one, or write JSON lines"
            )
        about = {
            _SIGNATURES: msgspec.json.encode([*dict.fromkeys([*signatures, *self._signatures])]),
            _MEASURES: msgspec.json.encode([*self._measures]),
        }
        parquet.write_table(pa.table(columns, schema=pa.schema(fields, metadata=about)), stream)


def has_ids(path: str) -> bool:
    """Return whether a Parquet file has the columns of ids that rows of scores have."""
    pa, parquet = import_parquet()
    try:
        with open_seekable(path) as stream:
            return set(IDS) <= set(parquet.ParquetFile(stream).schema_arrow.names)
    except (pa.ArrowException, OSError) as error:
        raise _not_scores(path, error) from error


def read_parquet(path: str, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a Parquet file of scores, numbered from 1. Every column of numbers is a measure."""
    pa, parquet = import_parquet()
    try:
        with open_seekable(path) as stream:
            yield from _rows(pa, parquet.ParquetFile(stream), path, kind)
    except (
        pa.ArrowException,
        OSError,
        UnicodeDecodeError,
        RecursionError,
        msgspec.DecodeError,
    ) as error:
        raise _not_scores(path, error) from error


def _not_scores(path: str, error: Exception) -> DataError:
    reason = str(error).partition("\n")[0]
    return DataError(f"not a Parquet file of scores: {reason}", file=path)


def _rows(pa: Any, source: Any, path: str, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    schema = source.schema_arrow
    about = schema.metadata or {}
    shared = {
        "signatures": msgspec.json.decode(about.get(_SIGNATURES, b"[]")),
        "measures": msgspec.json.decode(about.get(_MEASURES, b"[]")),
    }
    paths = {
        field.name: _path(field)
        for field in schema
        if field.name not in IDS
        and (pa.types.is_floating(field.type) or pa.types.is_integer(field.type))
    }
    batches = source.iter_batches(_ROWS_AT_ONCE, use_threads=False)
    for number, cells in enumerate(chain.from_iterable(b.to_pylist() for b in batches), 1):
        values = MetricsDict()
        for name, keys in paths.items():
            if (value := cells.pop(name)) is not None:
                _put(values, keys, value)
        others = {name: value for name, value in cells.items() if value is not None}
        row = {**shared, **others, "metrics": values}
        yield number, convert(row, kind, path, number)


def _path(field: Any) -> tuple[str, ...]:
    """Return the keys that lead to the measure of a column."""
    if path := (field.metadata or {}).get(_PATH):
        return tuple(msgspec.json.decode(path))
    # As tables of studies once named them.
    return (
        tuple(field.name.removeprefix("metrics.").split("."))
        if field.name.startswith("metrics.")
        else (field.name,)
    )


def _put(values: MetricsDict, keys: tuple[str, ...], number: float) -> None:
    for key in keys[:-1]:
        values = values.setdefault(key, {})
    values[keys[-1]] = number


def _numbers(values: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every number with its path; list items are numbered."""
    pairs = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in pairs:
        if isinstance(value, (dict, list)):
            yield from _numbers(value, (*above, str(key)))
        else:
            yield (*above, str(key)), value


def _numpy(values: array[float]) -> Any:
    import numpy as np

    return np.frombuffer(values)
