"""CSV and TSV files with a header line."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from rubrica.data.files import read_text_lines
from rubrica.data.formats.csv_cells import csv_reader, guess_delimiter
from rubrica.data.instance import SummarizerType
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.inputs import extension
from rubrica.datasets.readers.row import listed
from rubrica.datasets.readers.tables import TableReader
from rubrica.errors import DataError, ParameterError


@DatasetReader.register("csv")
class CsvReader(TableReader):
    """CSV or TSV with a header line, with a mapping of fields to column names.

    Args:
        fields: Which column holds which field: `summary=pred references=ref1,ref2`. The fields are
            instance_id, summarizer_id, summarizer_type, summary, references and documents; other
            columns are recognised by their usual names.
        delimiter: What separates cells: one character, or `tab`; null is a tab for .tsv and .tab
            files, for others a comma, or the separator that the header uses (semicolons, tabs).
        quotes: Whether `"` quotes a cell; false for files that use it as plain text.
        systems: Systems: one column per system as NAME=COLUMN, such as bart=colA t5=colB; a name
            alone if the column has the same name.
        default_summarizer_id: The system's name if no column has it; null is the file's name
            without folder and extension.
        default_summarizer_type: Type of summaries if no column has it: `peer` or `reference`.
    """

    def __init__(
        self,
        fields: dict[str, str | list[str]] | None = None,
        delimiter: str | None = None,
        quotes: bool = True,
        systems: dict[str, str] | None = None,
        default_summarizer_id: str | None = None,
        default_summarizer_type: SummarizerType = "peer",
    ) -> None:
        super().__init__(fields, systems, default_summarizer_id, default_summarizer_type)
        self.delimiter = {"tab": "\t", r"\t": "\t"}.get(delimiter or "", delimiter)
        if self.delimiter not in (None, "\t") and not _may_separate(str(self.delimiter)):
            raise ParameterError(f"delimiter must be one character or 'tab', not {delimiter!r}")
        self.quotes = quotes

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The records under the header; a record's line is that on which it starts."""
        lines = (line for _, line in read_text_lines(file))
        header = next(lines, "")
        yield from delimited_rows(
            chain([header], lines),
            file,
            delimiter=self.delimiter or guess_delimiter(extension(file), header),
            quotes=self.quotes,
        )


def delimited_rows(
    lines: Iterable[str],
    file: str,
    *,
    delimiter: str = ",",
    quotes: bool = True,
    note: Callable[[DataError], None] | None = None,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records under a header line as mappings, each with the line on which it starts.

    A record with too many or too few cells is an error; `note`, where it is given, may pass over it.
    """
    records = _records(lines, file, delimiter, quotes)
    _, header = next(records, (0, []))
    if not header:
        raise DataError("no header line with the names of the columns", file=file)
    if len(set(header)) < len(header):
        raise DataError(f"a column name occurs twice: {listed(header)}", file=file, line=1)
    for line, cells in records:
        if len(cells) != len(header):
            error = DataError(
                f"{len(cells)} cells under a header of {len(header)}; is a delimiter or quote missing?",
                file=file,
                line=line,
            )
            if note is None:
                raise error
            note(error)
            continue
        yield line, dict(zip(header, cells, strict=True))


def _records(
    lines: Iterable[str], file: str, delimiter: str, quotes: bool
) -> Iterator[tuple[int, list[str]]]:
    reader = csv_reader((line + "\n" for line in lines), delimiter=delimiter, quotes=quotes)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        remedy = "; quotes=false takes quotation marks as text" if quotes else ""
        raise DataError(f"not valid CSV: {error}{remedy}", file=file, line=line) from error


def _may_separate(text: str) -> bool:
    return len(text) == 1 and text.isprintable() and text != '"'
