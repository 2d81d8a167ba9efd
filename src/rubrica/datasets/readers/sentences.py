r"""How one line of plain text holds several sentences: `<t> a </t> <t> b </t>`, `a <q> b`, `a\nb`.

Each kind of mark has a name; `recognise` finds the kind from lines, `split` applies it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from rubrica.data.instance import Text
from rubrica.errors import DataError
from rubrica.text.tags import TAG, has_tags, tag_faults

Marks = Literal["auto", "none", "tags", "q", "x_sep", "newline"]

SEPARATORS = {"q": "<q>", "x_sep": "[X_SEP]", "newline": r"\n"}
SHOWN = {"none": "none", "tags": "<t> </t>", **SEPARATORS}
_REMEDY = "; correct the line, or give sentences=none to read lines as they are"


def mark_of(line: str) -> str:
    r"""The kind of mark a line holds, or `none`; a written `\n` counts only where no other is."""
    if has_tags(line):
        return "tags"
    return next((kind for kind, mark in SEPARATORS.items() if mark in line), "none")


def recognise(lines: Iterable[tuple[int, str]], file: str) -> str:
    """The one kind of mark in these numbered lines; two kinds are a `DataError`."""
    marks: dict[str, int] = {}
    for number, text in lines:
        marks.setdefault(mark_of(text), number)
    marks.pop("none", None)
    if len(marks) > 1:
        # A backslash-n among real marks belongs to the text: paths and formulas have it.
        marks.pop("newline", None)
    if len(marks) > 1:
        (first, at), (second, line) = list(marks.items())[:2]
        raise DataError(
            f"sentences are marked by {SHOWN[second]} here and by {SHOWN[first]} in line {at}; "
            f"say which with sentences={first} or sentences={second}",
            file=file,
            line=line,
        )
    return next(iter(marks), "none")


def split(line: str, kind: str, file: str, number: int) -> Text:
    """The line's sentences; the line itself for the kind `none`; "" for a blank line."""
    if not line.strip():
        return ""
    if kind == "none":
        return line
    pieces = _tagged(line, file, number) if kind == "tags" else line.split(SEPARATORS[kind])
    return [sentence for piece in pieces if (sentence := piece.strip())]


def check(line: str, kind: str, file: str, number: int) -> None:
    r"""Refuse a mark of another kind than was recognised; a written `\n` is let pass as text."""
    mark = mark_of(line)
    if mark not in (kind, "none", "newline"):
        raise DataError(
            f"{SHOWN[mark]} in a file recognised by its first lines as sentences={kind}; "
            f"say which with sentences={kind} or sentences={mark}",
            file=file,
            line=number,
        )


def _tagged(line: str, file: str, number: int) -> list[str]:
    """What stands between `<t>` and `</t>`; every tag has its partner and no text is outside."""
    faults = [fault for fault in tag_faults(line) if fault != "empty sentence"]
    if faults:
        message = f"tags are not in order ({', '.join(faults)}){_REMEDY}"
        raise DataError(message, file=file, line=number)
    return TAG.split(line)
