"""Sentences of a text that is not divided yet."""

from __future__ import annotations

import re

from rubrica.data.instance import Text
from rubrica.text.abbreviations import ABBREVIATIONS

# An end mark with what closes after it and the blanks that follow; Chinese and Japanese have no blanks.
_END = re.compile(r"(?<![.!?…])([.!?…]++)[\"'”’»)\]]*+\s+|[。！？]+[”’」』）]*\s*|\n+")
_OPENING = "\"'“‘«([¿¡"
_INITIALS = re.compile(r"(?:^|[\s(\"“\[-])(?:[^\W\d_]\.)+$")

# Initials may be several; more than this looks back for nothing.
_LONGEST_ABBREVIATION = 40
_SMALL = frozenset(one.lower() for one in ABBREVIATIONS)


def sentences_of(text: Text) -> list[str]:
    """The sentences of a text: those of a list as they are, those of a string found by rule.

    A sentence ends at a line's end, or at . ! ? before a blank and anything but a small letter (in a
    text all in small letters, those too); not after an abbreviation (`Dr.`, `Calif.`) or initials
    (`J. K.`, `U.S.`). Blank sentences are left out.
    """
    pieces = _split(text) if isinstance(text, str) else text
    return [sentence for piece in pieces if (sentence := piece.strip())]


def _split(text: str) -> list[str]:
    pieces, begin = [], 0
    small = text == text.lower()
    for found in _END.finditer(text):
        if found[1] is None or _ends(text, begin, found, small):
            pieces.append(text[begin : found.end()])
            begin = found.end()
    pieces.append(text[begin:])
    return pieces


def _ends(text: str, begin: int, found: re.Match[str], small: bool) -> bool:
    """Whether the full stop (or mark) that was found ends a sentence."""
    if "\n" in found[0]:
        return True
    following = text[found.end() : found.end() + 3].lstrip(_OPENING)[:1]
    if following.islower() and not (small and found[1] in ".!?"):
        return False
    if found[1] != ".":
        return True
    before = text[max(begin, found.end(1) - _LONGEST_ABBREVIATION) : found.end(1)]
    last = before.rsplit(maxsplit=1)[-1].lstrip(_OPENING)
    return last not in (_SMALL if small else ABBREVIATIONS) and _INITIALS.search(before) is None
