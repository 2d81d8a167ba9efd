"""Positions in a text: Python counts code points, JavaScript counts UTF-16 units."""

from __future__ import annotations


def utf16_places(text: str) -> list[int] | None:
    """Return the UTF-16 position of each position in a text and of its end; None if all are equal."""
    if not text or max(text) <= "\uffff":
        return None
    places = [0]
    for character in text:
        places.append(places[-1] + (2 if character > "\uffff" else 1))
    return places
