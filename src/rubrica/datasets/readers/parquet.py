"""Parquet tables, read in batches of rows."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from rubrica.data.files import open_binary
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.fields import wanted
from rubrica.datasets.readers.tables import TableReader
from rubrica.errors import DataError, MissingResourceError

ROWS_AT_ONCE = 256


@DatasetReader.register("parquet")
class ParquetReader(TableReader):
    """Parquet, with a mapping of fields to column names; places are row numbers."""

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows of a file, from 1."""
        with _seekable(file) as stream:
            yield from parquet_rows(stream, file, lambda names: wanted(self.mapping, names))


def parquet_rows(
    stream: BinaryIO, file: str, choose: Callable[[list[str]], list[str] | None] = lambda _: None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows, numbered from 1, with the columns that `choose` takes of all names (None: all)."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingResourceError(
            "Parquet files need pyarrow: pip install 'rubrica[parquet]'"
        ) from error
    number = 0
    try:
        table = parquet.ParquetFile(stream)
        columns = choose(table.schema_arrow.names)
        for batch in table.iter_batches(ROWS_AT_ONCE, columns=columns, use_threads=False):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(
            f"not a valid Parquet file: {reason}", file=file, line=number + 1
        ) from error


@contextmanager
def _seekable(file: str) -> Iterator[BinaryIO]:
    """The file itself, or a temporary copy of what cannot be searched: stdin, compressed files."""
    with open_binary(file) as stream:
        if isinstance(getattr(stream, "raw", None), io.FileIO) and stream.seekable():
            yield stream
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            yield cast(BinaryIO, copy)
