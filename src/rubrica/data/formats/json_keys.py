"""Find repeated keys in JSON objects, of which parsers silently keep the last value."""

from __future__ import annotations

import json
import re
from typing import Any

from rubrica.errors import DataError

# A key and its colon that do not touch.
_SPACED = re.compile(rb'"\s+:')


def check_keys(line: bytes, value: Any, file: str, number: int | None) -> None:
    """Raise a `DataError` if an object in JSON text has a key twice; `value` is the decoded text."""
    # The decoded value has fewer keys than the text. Texts with quotes and colons need a closer look.
    if line.count(b'":') != count_keys(value) or _SPACED.search(line):
        find_repeated(line, file, number)


def count_keys(value: Any) -> int:
    """Return the number of keys in a value, at all depths."""
    count = 0
    # No recursion: values can be nested more deeply than calls.
    unread = [value]
    while unread:
        inner = unread.pop()
        if isinstance(inner, dict):
            count += len(inner)
            unread += inner.values()
        elif isinstance(inner, list):
            unread += inner
    return count


def find_repeated(line: bytes, file: str, number: int | None) -> None:
    """Raise a `DataError` if an object has a key twice, by reading the text once more."""

    def check(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            key = next(key for at, key in enumerate(keys) if key in keys[:at])
            raise DataError(
                f"the key {key!r} appears twice in one object; remove one", file=file, line=number
            )

    # Only keys matter here: numbers stay texts, of any length.
    json.loads(line.decode("utf-8-sig"), object_pairs_hook=check, parse_int=str, parse_float=str)


class KeyCheck:
    """Finds repeated keys in the lines of one file; lines of a known shape are not parsed again."""

    def __init__(self, file: str) -> None:
        self._file = file
        # Numbers of keys of checked lines; a line with another number is checked.
        self._counts: set[int] = set()

    def check(self, line: bytes, number: int) -> None:
        """Raise a `DataError` if an object in the line has a key twice."""
        count = line.count(b'":')
        if count in self._counts and not _SPACED.search(line):
            return
        find_repeated(line, self._file, number)
        self._counts.add(count)
