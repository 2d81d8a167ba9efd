"""Parquet tables, read in batches of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from rubrica.data.formats.parquet import import_parquet, open_seekable
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.fields import possible_columns
from rubrica.datasets.readers.tables import TableReader
from rubrica.errors import DataError

ROWS_AT_ONCE = 256


@DatasetReader.register("parquet")
class ParquetReader(TableReader):
    """Parquet, with a mapping of fields to column names; errors give row numbers."""

    # Whether `rows` yields columns that hold no field, too.
    all_columns = False

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows of a file, from 1."""
        with open_seekable(file) as stream:
            columns = None if self.systems or self.all_columns else self.mapping
            yield from parquet_rows(
                stream,
                file,
                lambda names: None if columns is None else possible_columns(columns, names),
            )


def parquet_rows(
    stream: BinaryIO, file: str, choose: Callable[[list[str]], list[str] | None] = lambda _: None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows, numbered from 1, with the columns that `choose` takes of all names (None: all)."""
    pyarrow, parquet = import_parquet()
    number = 0
    try:
        table = parquet.ParquetFile(stream)
        columns = choose(table.schema_arrow.names)
        for batch in table.iter_batches(ROWS_AT_ONCE, columns=columns, use_threads=False):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(
            f"not a valid Parquet file: {reason}", file=file, line=number + 1
        ) from error
