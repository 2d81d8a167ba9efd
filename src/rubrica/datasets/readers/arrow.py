"""Arrow and Feather files, read in batches of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubrica.data.formats.parquet import arrow_batches, import_parquet, open_seekable
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.parquet import ROWS_AT_ONCE
from rubrica.datasets.readers.tables import TableReader
from rubrica.errors import DataError


@DatasetReader.register("arrow")
class ArrowReader(TableReader):
    """Arrow (file or stream) and Feather, with a mapping of fields to column names; errors give row numbers."""

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of a file, numbered from 1."""
        pyarrow, _ = import_parquet()
        number = 0
        with open_seekable(file) as stream:
            try:
                for batch in arrow_batches(stream):
                    for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                        for row in batch.slice(start, ROWS_AT_ONCE).to_pylist():
                            number += 1
                            yield number, row
            except (pyarrow.ArrowException, OSError, ValueError, MemoryError) as error:
                reason = str(error).partition("\n")[0]
                raise DataError(
                    f"not a valid Arrow file: {reason}", file=file, line=number + 1
                ) from error
