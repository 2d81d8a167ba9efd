"""CSV files of annotation platforms: columns are checked, and errors give file and line."""

from __future__ import annotations

import ast
import csv
import hashlib
import hmac
import io
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rubrica.data.files import atomic_output, decode, open_binary
from rubrica.data.formats.csv_cells import csv_reader
from rubrica.errors import DataError, DataWarning, ParameterError

# What Mechanical Turk puts before the inputs and answers of an assignment.
_TURK_COLUMNS = (
    "HITId HITTypeId Title Description Keywords Reward CreationTime MaxAssignments "
    "RequesterAnnotation AssignmentDurationInSeconds AutoApprovalDelayInSeconds Expiration "
    "NumberOfSimilarHITs LifetimeInSeconds AssignmentId WorkerId AssignmentStatus AcceptTime "
    "SubmitTime AutoApprovalTime ApprovalTime RejectionTime RequesterFeedback "
    "WorkTimeInSeconds LifetimeApprovalRate Last30DaysApprovalRate Last7DaysApprovalRate"
)
TURK_COLUMNS = _TURK_COLUMNS.split()
BLANK = "BLANK"
# More statements than anybody judges of one summary.
MAX_STATEMENTS = 10_000
# Spreadsheets run cells that begin like this, unless an apostrophe comes first.
_FORMULA = re.compile(r"'*[=+\-@\t\r](?!\d*\.?\d*$)")
_CELL = re.compile(r'(?:"(.*?)"|([^",]*)),')
_QUOTED_FORMULA = re.compile(r"^'(?='*[=+\-@\t\r](?!\d*\.?\d*$))")


def read_sheet(
    path: str | os.PathLike[str], needed: Sequence[str], *, inner_quotes: bool = False
) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """Return the columns of a CSV file, and its rows with their line numbers.

    A missing column, a row of another width (beyond empty cells) and a duplicate column are errors.
    A column without a name, as in hand-made files, is ignored. With `inner_quotes`, quotes inside a
    cell need not be doubled; such rows are reported by a warning.
    """
    file = os.fspath(path)
    with open_binary(path) as stream:
        data = stream.read()
    text = decode(data.removeprefix(b"\xef\xbb\xbf"), file, 1) if b"\0" in data else ""
    try:
        text = text or data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError("not UTF-8; convert the file to UTF-8", file=file, line=line) from error
    lines = io.StringIO(text, newline="").readlines()
    reader = csv_reader(lines)
    try:
        header = next(reader, None)
    except csv.Error as error:
        raise DataError(f"not CSV: {error}", file=file, line=1) from error
    if header is None:
        raise DataError("the file is empty", file=file)
    named = [name for name in header if name.strip()]
    twice = [name for name in named if named.count(name) > 1]
    if twice:
        raise DataError(f"duplicate column {twice[0]!r}", file=file, line=1)
    missing = [name for name in needed if name not in header]
    if missing:
        shown = ", ".join(named[:12]) + (", ..." if len(named) > 12 else "")
        raise DataError(f"no column {missing[0]!r} (found: {shown})", file=file, line=1)
    return header, _rows(reader, header, file, lines if inner_quotes else [])


def _rows(
    reader: Any, header: Sequence[str], file: str, lines: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield rows by line; `lines` are those of the file if quotes inside cells need not be doubled."""
    undoubled: list[int] = []
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            cells = (
                _with_inner_quotes(lines[line - 1]) if reader.line_num == line <= len(lines) else []
            )
            if len(cells) != len(header):
                raise DataError(f"not CSV: {error}", file=file, line=line) from error
            undoubled.append(line)
        if cells is None:
            break
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) < len(header) or any(cell.strip() for cell in cells[len(header) :]):
            raise DataError(
                f"{len(cells)} cells in a table of {len(header)} columns; is a quote missing?",
                file=file,
                line=line,
            )
        yield (
            line,
            {
                name: _QUOTED_FORMULA.sub("", cell)
                for name, cell in zip(header, cells, strict=False)
                if name.strip()
            },
        )
    if undoubled:
        warnings.warn(
            DataWarning(
                f"{file}:{undoubled[0]}: quotes inside a cell are not doubled, as CSV asks; "
                f"read as text in {len(undoubled)} row{'s' * (len(undoubled) > 1)}"
            ),
            stacklevel=2,
        )


def _with_inner_quotes(line: str) -> list[str]:
    """Return the cells of a line whose quoted cells end only before a comma or at the end of the line.

    The list is empty if the line has a quote elsewhere.
    """
    text = line.rstrip("\r\n") + ","
    cells, end = [], 0
    while end < len(text):
        cell = _CELL.match(text, end)
        if cell is None:
            return []
        end = cell.end()
        cells.append(cell[2] if cell[1] is None else cell[1].replace('""', '"'))
    return cells


def write_sheet(
    path: str | os.PathLike[str], columns: Sequence[str], rows: Iterable[Mapping[str, object]]
) -> int:
    """Write a CSV file, quoted where needed, and return the number of rows. Absent cells are empty.

    Texts that a spreadsheet would run as formulas begin with an apostrophe, which `read_sheet` removes.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    count = 0
    for row in rows:
        writer.writerow([quote_formula(row.get(name, "")) for name in columns])
        count += 1
    with atomic_output(path) as stream:
        stream.write(text.getvalue().encode())
    return count


def quote_formula(value: object) -> object:
    """Return a text that looks like a formula with an apostrophe before it; `read_sheet` removes it."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def one_line(text: str) -> str:
    """Replace line ends by blanks, as annotation platforms require."""
    return " ".join(text.split())


def read_id_list(text: str, file: str, line: int) -> list[str]:
    """Parse a list of ids as LitePyramids writes it: `['928', '929']`."""
    try:
        ids = ast.literal_eval(text) if len(text) < 100_000 else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        ids = None
    if not isinstance(ids, list) or not all(isinstance(item, (str, int)) for item in ids):
        raise DataError(f"not a list of ids: {text[:60]!r}", file=file, line=line)
    return [str(item) for item in ids]


def pseudonym(worker: str, secret: bytes) -> str:
    """Return a worker's pseudonym: stable for one secret, and not reversible without it."""
    return "w-" + hmac.new(secret, worker.encode(), hashlib.sha256).hexdigest()[:12]


def check_pad(pad: int) -> None:
    """Refuse a number of statements to fill up to that no task has."""
    if not 0 <= pad <= MAX_STATEMENTS:
        raise ParameterError(
            f"the statements to fill up to must lie between 0 and {MAX_STATEMENTS:,}: {pad}"
        )
