"""Workbooks: the first sheet as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubrica.data.table_files import workbook_table
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.tables import TableReader


@DatasetReader.register("xlsx")
class WorkbookReader(TableReader):
    """Workbooks (.xlsx): the first sheet, with a mapping of fields to column names. The file is read whole."""

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows under the header, numbered as in the sheet."""
        yield from workbook_table(file)
