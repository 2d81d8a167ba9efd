"""Places in a text: Python counts code points, JavaScript counts UTF-16 units."""

from __future__ import annotations


def utf16_places(text: str) -> list[int] | None:
    """For each place in a text (its end included) its place in UTF-16; None where all are the same."""
    if not text or max(text) <= "\uffff":
        return None
    places = [0]
    for character in text:
        places.append(places[-1] + (2 if character > "\uffff" else 1))
    return places
