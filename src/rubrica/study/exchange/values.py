"""Values from the files of other tools: nothing about their types is taken for granted."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from rubrica.errors import DataError


def as_object(value: Any, what: str, file: str) -> dict[str, Any]:
    """Return a JSON object; a `DataError` names what should be one."""
    if not isinstance(value, dict):
        raise DataError(f"{what} must be an object, found {type(value).__name__}", file=file)
    return value


def as_list(value: Any, what: str, file: str) -> list[Any]:
    """Return a JSON list; null is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise DataError(f"{what} must be a list, found {type(value).__name__}", file=file)
    return value


def as_text(value: Any, what: str, file: str) -> str:
    """Return a text, or a number as one; null is ""."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return str(value)
    raise DataError(f"{what} must be a text or a number, found {type(value).__name__}", file=file)


def as_place(value: Any, what: str, file: str) -> int:
    """Return an offset in a text."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise DataError(f"{what} must be a whole number, found {value!r:.60}", file=file)


def as_time(value: Any) -> float | None:
    """Return a time in seconds since 1970, from seconds or ISO 8601 (UTC unless it says so); else None."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        value = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return round(float(value), 6) if math.isfinite(value) and 0 <= value < 1e11 else None


def time_iso(seconds: float) -> str:
    """Return a time as ISO 8601 in UTC, to the microsecond."""
    return (
        datetime.fromtimestamp(seconds, UTC)
        .isoformat(timespec="microseconds")
        .replace("+00:00", "Z")
    )
