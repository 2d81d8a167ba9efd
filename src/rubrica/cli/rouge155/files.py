"""Summaries in the file formats of ROUGE-1.5.5: SPL, SEE, ISI, and SIMPLE for basic elements."""

from __future__ import annotations

import re
from pathlib import Path

from rubrica.cli.rouge155.options import StopError
from rubrica.metrics.rouge.basic_elements import element_item, read_element

_ISI = re.compile(rb'<S SNTNO="[0-9a-z,]+">([^<]+)</S>')
_SEE = re.compile(
    rb'<a (?:size="[0-9]+" )?name="[0-9]+">\[[0-9]+\]</a>[ \t\n\v\f\r]+<a href="#[0-9]+" id=[0-9]+>([^<]+)'
)
# The official program reads bytes, and every byte beyond ASCII separates words. DEL does so too and
# is one byte long in any encoding, so that limits count alike.
_TO_ASCII = bytes(byte if byte < 0x80 else 0x7F for byte in range(256))


def read_units(path: str, kind: str) -> list[str]:
    """The units of a summary file; bytes beyond ASCII are replaced, one for one."""
    lines = _lines(path)
    if kind == "SPL":
        units = [line for line in lines if line]
    elif kind in ("ISI", "SEE"):
        matches = map((_ISI if kind == "ISI" else _SEE).match, lines)
        units = [match[1] for match in matches if match]
    else:
        raise StopError(f"Unknown input format: {kind}", 25)
    return [unit.translate(_TO_ASCII).decode("ascii") for unit in units]


def read_elements(path: str, kind: str, mode: str, *, stem: bool) -> list[str]:
    """The basic elements of a file (head|modifier|relation) that a mode compares."""
    if kind == "ISI":
        return []
    if kind != "SIMPLE":
        raise StopError(f"Unknown input format: {kind}", 25)
    items = []
    for line in _lines(path):
        element = read_element(line)
        if element is None:
            shown = line.decode("utf-8", "replace")
            raise StopError(
                f"Basic Element (BE) input file is invalid: *{shown}*\n"
                "A BE file has to be in this format per line: HEAD|MODIFIER|RELATION"
            )
        item = element_item(element, mode, stem=stem)
        if item is not None:
            items.append(item)
    return items


def _lines(path: str) -> list[bytes]:
    # Perl's open strips blanks around a name.
    try:
        content = Path(path.strip()).read_bytes()
    except OSError as error:
        raise StopError(f"Cannot open {path}: {error.strerror}", 2) from error
    lines = content.split(b"\n")
    return lines if lines[-1] else lines[:-1]
