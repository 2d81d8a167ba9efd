"""Tables in memory: pandas, polars, Arrow, Hugging Face datasets, lists of dicts, dicts of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rubrica.data.instance import EvalInstance
from rubrica.data.table_files import json_rows
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.tables import TableReader
from rubrica.errors import ParameterError

ROWS_AT_ONCE = 1024


class MemoryReader(TableReader):
    """Reads one object instead of files; its rows are numbered from 1."""

    name = "memory"

    def __init__(self, data: Any, **options: Any) -> None:
        super().__init__(**options)
        self.default_summarizer_id = self.default_summarizer_id or "system"
        self._data = data

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of the object."""
        yield from numbered_rows(self._data)


def numbered_rows(data: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a table as dicts of plain values, numbered from 1."""
    for number, row in enumerate(table_rows(data), 1):
        if not isinstance(row, Mapping):
            raise ParameterError(
                f"row {number} is {type(row).__name__}; rows are dicts, or EvalInstances"
            )
        yield number, {str(key): _plain(value) for key, value in row.items()}


def is_table(data: Any) -> bool:
    """Return whether an object is a table of named columns, or rows of named values."""
    if isinstance(data, (str, bytes, EvalInstance, DatasetReader)):
        return False
    if isinstance(data, Mapping) or _frame_rows(data) is not None:
        return True
    return isinstance(data, (list, tuple)) and bool(data) and isinstance(data[0], Mapping)


def table_rows(data: Any) -> Iterable[Any]:
    """Return the rows of a table as dicts."""
    rows = _frame_rows(data)
    if rows is not None:
        return rows
    if isinstance(data, Mapping):
        check_columns(data)
        columns = {
            str(name): list(column) if not isinstance(column, (str, Mapping)) else column
            for name, column in data.items()
        }
        return json_rows(columns, "data")
    return list(data)


def check_instances(data: Any) -> None:
    """Refuse a list, or an array, of anything else than instances."""
    if isinstance(data, (list, tuple)) or hasattr(data, "dtype"):
        for first in data[:1]:
            if not isinstance(first, EvalInstance):
                raise ParameterError(
                    f"found {type(first).__name__}; pass a path, a data frame, dicts, or EvalInstances"
                )


def check_columns(data: Mapping[str, Any]) -> None:
    """Refuse a mapping of tables, such as the splits of a Hugging Face dataset."""
    tables = [name for name, value in data.items() if _frame_rows(value) is not None]
    if tables:
        raise ParameterError(
            f"several tables (found: {', '.join(map(str, tables))}); pass one, such as data[{tables[0]!r}]"
        )


def _frame_rows(data: Any) -> Iterable[Any] | None:
    """Return the rows of a data frame, without importing the library it comes from."""
    module = type(data).__module__.partition(".")[0]
    rows: Iterable[Any] | None = None
    if module == "pandas" and hasattr(data, "columns"):
        rows = _with_named_index(data).to_dict("records")
    elif module == "polars" and (hasattr(data, "collect") or hasattr(data, "columns")):
        # A lazy frame is collected when its rows are needed.
        rows = (
            row
            for frame in (data,)
            for row in (frame.collect() if hasattr(frame, "collect") else frame).iter_rows(
                named=True
            )
        )
    elif module == "pyarrow" and hasattr(data, "schema"):
        rows = (row for batch in _arrow_batches(data) for row in batch.to_pylist())
    elif module == "datasets" and hasattr(data, "features"):
        rows = iter(data)
    return rows


def _arrow_batches(data: Any) -> Iterable[Any]:
    """Return the record batches of a table, of a reader, or of one batch."""
    if hasattr(data, "to_batches"):
        batches: Iterable[Any] = data.to_batches(ROWS_AT_ONCE)
        return batches
    return [data] if hasattr(data, "to_pylist") else data


def _with_named_index(frame: Any) -> Any:
    """Return a frame of pandas whose index is a column, too, if it has a name that no column has."""
    names = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return frame.reset_index(level=names) if names else frame


def _plain(value: Any) -> Any:
    """Return a value as JSON would have it: numpy and pandas values as Python's own, NaN as missing."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and value != value:
        return None
    return value
