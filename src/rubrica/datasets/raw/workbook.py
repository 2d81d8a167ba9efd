"""Workbooks (.xlsx): the rows of every sheet, named by its first row, without macros, formulas or links.

A workbook is a zip of XML. Both are read like any untrusted archive and XML: sizes are bounded, entities are refused, and
a faulty row is named and can be skipped. openpyxl, which reads users' own tables, does none of the three.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from rubrica.errors import DataError

if TYPE_CHECKING:
    from rubrica.datasets.raw.file import RawFile
    from rubrica.datasets.raw.tree import Raw

# Excel's own limit; a cell further right is made to fill the memory.
MAX_COLUMNS = 16_384
_REFERENCE = re.compile(r"([A-Z]{1,3})\d+")
# How characters that XML has no place for are written.
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_Values = dict[str, str | float]


def workbook_rows(
    file: RawFile, note: Callable[[DataError], None]
) -> Iterator[tuple[str, int, _Values]]:
    """Yield each row below a sheet's header: the sheet's name, the row's number, its values by column.

    Empty cells and empty rows are left out. A formula has the value stored with it. Errors of
    unreadable rows go to `note`.
    """
    tree = file.archive()
    shared = _shared(tree)
    for name, sheet in _sheets(file, tree):
        header: dict[int, str] = {}
        number = 0
        for row in _all(sheet, "row"):
            stated = row.get("r", "")
            number = int(stated) if stated.isdecimal() else number + 1
            try:
                cells = _cells(row, shared)
                if lost := sorted(set(cells) - set(header)) if header else []:
                    raise ValueError(f"a value in column {lost[0] + 1}, which has no name")
            except ValueError as error:
                note(DataError(str(error), file=f"{file.place}!{name}", line=number))
                continue
            if not header:
                header = {column: str(value) for column, value in cells.items()}
            elif cells:
                yield name, number, {header[column]: value for column, value in cells.items()}


def _sheets(file: RawFile, tree: Raw) -> Iterator[tuple[str, Element]]:
    """Yield the sheets in order; a second file maps each to a part of the zip."""
    parts = {
        relation.get("Id", ""): relation.get("Target", "")
        for relation in _all(tree.one("xl/_rels/workbook.xml.rels").xml(), "Relationship")
    }
    for sheet in _all(tree.one("xl/workbook.xml").xml(), "sheet"):
        relation = next((v for k, v in sheet.attrib.items() if k.rpartition(":")[2] == "id"), "")
        target = parts.get(relation, "")
        # From the top, or from the workbook's folder.
        path = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        part = tree.maybe(path) if target else None
        if part is None:
            raise file.error(f"sheet {sheet.get('name', '')!r} is not in the file")
        yield sheet.get("name", ""), part.xml()


def _shared(tree: Raw) -> list[str]:
    table = tree.maybe("xl/sharedStrings.xml")
    return [] if table is None else [_text(item) for item in _all(table.xml(), "si")]


def _cells(row: Element, shared: list[str]) -> dict[int, str | float]:
    cells: dict[int, str | float] = {}
    column = -1
    for cell in _all(row, "c"):
        match = _REFERENCE.fullmatch(cell.get("r", ""))
        column = _column(match[1]) if match else column + 1
        if column >= MAX_COLUMNS:
            raise ValueError(f"a cell in column {column + 1:,}")
        try:
            value = _value(cell, shared)
        except (ValueError, IndexError):
            kind = cell.get("t", "n")
            raise ValueError(
                f"cell {cell.get('r', '')} has no value of its type {kind!r}"
            ) from None
        if value not in (None, ""):
            cells[column] = value
    return cells


def _value(cell: Element, shared: list[str]) -> str | float | None:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(_text(item) for item in _all(cell, "is"))
    stored = next(_all(cell, "v"), None)
    if stored is None or not stored.text:
        return None
    if kind == "s":
        at = int(stored.text)
        if at < 0:
            raise IndexError(at)
        return shared[at]
    if kind in ("n", "b"):
        return int(stored.text) if stored.text.isdecimal() else float(stored.text)
    return _unescaped(stored.text)


def _text(element: Element) -> str:
    """Return the text of a cell, plain or in runs, without its pronunciation (`rPh`)."""
    pieces = []
    for child in element:
        tag = child.tag.rpartition(":")[2]
        if tag == "t":
            pieces.append(child.text or "")
        elif tag == "r":
            pieces.append("".join(run.text or "" for run in _all(child, "t")))
    return _unescaped("".join(pieces))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _column(letters: str) -> int:
    """Return the number of a column: `A` is 0, `Z` 25, `AA` 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _all(element: Element, name: str) -> Iterator[Element]:
    """Yield the elements of that name below, whatever their namespace prefix."""
    return (child for child in element.iter() if child.tag.rpartition(":")[2] == name)
