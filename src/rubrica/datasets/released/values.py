"""Checks of values in released files: each returns the value, or raises an error with the file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rubrica.data.files import read_text_lines
from rubrica.datasets.raw.record import decode_json
from rubrica.errors import DataError


def read_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", file=str(path)) from error


def read_json_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield line numbers and objects; NaN, which is not JSON, becomes null."""
    for number, line in read_text_lines(path):
        if line.strip():
            try:
                record = decode_json(line)
            except (ValueError, RecursionError) as error:
                raise DataError(f"not JSON: {error}", file=str(path), line=number) from error
            yield number, as_mapping(record, path)


def as_mapping(value: Any, path: Path) -> Mapping[Any, Any]:
    """Return an object."""
    if not isinstance(value, Mapping):
        raise DataError(f"expected an object, found {type(value).__name__}", file=str(path))
    return value


def as_number(value: Any, key: str, path: Path, number: int) -> float:
    """Return a number; `key` and `number` say which value of which record it is."""
    try:
        score = float(value)
    except (TypeError, ValueError):
        score = math.inf
    if isinstance(value, bool) or math.isinf(score):
        raise DataError(f"record {number}: {key!r} is not a number: {value!r}", file=str(path))
    return score


def as_text(value: Any, path: Path) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise DataError(f"expected a text, found {type(value).__name__}", file=str(path))
    return value


def as_sentences(value: Any, path: Path) -> list[str]:
    """Return a list of sentences."""
    if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
        raise DataError("expected a list of sentences", file=str(path))
    return value
