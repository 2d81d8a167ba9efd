"""Summaries in the file formats of ROUGE-1.5.5: SPL, SEE, ISI, and SIMPLE for basic elements."""

from __future__ import annotations

import re
from pathlib import Path

from rubrica.cli.rouge155.options import StopError
from rubrica.core.rouge_words import wordnet_exceptions
from rubrica.text.stem import stem_function

_ISI = re.compile(rb'<S SNTNO="[0-9a-z,]+">([^<]+)</S>')
_SEE = re.compile(
    rb'<a (?:size="[0-9]+" )?name="[0-9]+">\[[0-9]+\]</a>[ \t\n\v\f\r]+<a href="#[0-9]+" id=[0-9]+>([^<]+)'
)
# The official program reads bytes, and every byte beyond ASCII separates words. DEL does so too and
# is one byte long in any encoding, so that limits count alike.
_TO_ASCII = bytes(byte if byte < 0x80 else 0x7F for byte in range(256))

Element = tuple[bytes, bytes, bytes]


def read_units(path: str, kind: str) -> list[str]:
    """The units of a summary file; bytes beyond ASCII are replaced, one for one."""
    lines = _lines(path)
    if kind == "SPL":
        units = [line for line in lines if line]
    elif kind in ("ISI", "SEE"):
        found = map((_ISI if kind == "ISI" else _SEE).match, lines)
        units = [match[1] for match in found if match]
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
        fields = line.lower().split(b"|")
        while fields and not fields[-1]:
            fields.pop()
        if len(fields) != 3:
            shown = line.decode("utf-8", "replace")
            raise StopError(
                f"Basic Element (BE) input file is invalid: *{shown}*\n"
                "A BE file has to be in this format per line: HEAD|MODIFIER|RELATION"
            )
        item = _item((fields[0], fields[1], fields[2]), mode, stem)
        if item is not None:
            items.append(item.decode("latin-1"))
    return items


def _item(element: Element, mode: str, stem: bool) -> bytes | None:
    plain_modifier, relation = element[1], element[2]
    head, modifier = (_stem(part) if stem else part for part in element[:2])
    pair, triple = head + b"|" + modifier, head + b"|" + modifier + b"|" + relation
    wanted = {
        "H": head if modifier == b"nil" else None,
        "HM": pair if modifier != b"nil" else None,
        "HMR": triple if relation != b"nil" else None,
        "HM1": pair,
        "HMR1": triple if plain_modifier != b"nil" else None,
        "HMR2": triple,
    }
    return wanted.get(mode)


def _stem(part: bytes) -> bytes:
    """Each word with a letter or digit stemmed, whatever its length; short parts are left alone."""
    if len(part) <= 3:
        return part
    words = part.decode("latin-1").split(" ")
    stems = []
    for word in filter(None, words):
        if re.search("[a-z0-9]", word):
            word = wordnet_exceptions().get(word) or stem_function("porter-rouge")(word)
        stems.append(word)
    return " ".join(stems).encode("latin-1")


def _lines(path: str) -> list[bytes]:
    # Perl's open strips blanks around a name.
    try:
        content = Path(path.strip()).read_bytes()
    except OSError as error:
        raise StopError(f"Cannot open {path}: {error.strerror}", 2) from error
    lines = content.split(b"\n")
    return lines if lines[-1] else lines[:-1]
