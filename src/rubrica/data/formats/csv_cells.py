"""Cells of CSV, strictly read and as long as a line may be."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any, Literal

from rubrica.data.files import LONGEST_LINE


def csv_reader(lines: Iterable[str], *, delimiter: str = ",", quotes: bool = True) -> Any:
    """A `csv.reader` of lines with their ends; a quote out of place is a `csv.Error`."""
    # The limit is one for the whole process, and its default of 128 KiB is less than a document.
    csv.field_size_limit(max(LONGEST_LINE, csv.field_size_limit()))
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    return csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)


def guess_delimiter(path: str, header: str) -> str:
    """Return what separates the cells of a file: a tab by its ending, or a comma, unless its header has none."""
    if path.lower().endswith((".tsv", ".tab")):
        return "\t"
    return next((mark for mark in ",;\t|" if mark in header), ",")
