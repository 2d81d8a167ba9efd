"""Comparisons of two summaries of one input, read from files: which one people prefer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rubrica.errors import DataError
from rubrica.meta.judges.judgment_files import read_rows, text_at

WORDS = {"first": 1.0, "second": -1.0, "tie": 0.0, "1": 1.0, "-1": -1.0, "0": 0.0}


@dataclass(frozen=True, slots=True)
class Preference:
    """Two systems' summaries of one input, and the choice: 1 the first, -1 the second, 0 neither."""

    instance_id: str
    first: str
    second: str
    preferred: float


def read_comparisons(
    files: Sequence[str | os.PathLike[str]],
    *,
    first: str = "first",
    second: str = "second",
    preferred: str = "preferred",
) -> list[Preference]:
    """Comparisons from tables, JSON or JSON lines; the arguments name the columns.

    The choice is 1, -1 or 0; `first`, `second` or `tie`; or the name of the preferred system.
    """
    out = []
    for path in files:
        file = os.fspath(path)
        for line, row in read_rows(file, (first, second, preferred)):
            instance = text_at(row, "instance_id", file, line, "the input")
            first_system = text_at(row, first, file, line, "the first system")
            two = text_at(row, second, file, line, "the second system")
            if first_system == two:
                raise DataError(
                    f"a comparison of {first_system!r} with itself", file=file, line=line
                )
            choice = _choice(row.get(preferred), first_system, two)
            if choice is None:
                raise DataError(
                    f"{preferred!r} must be 1, -1, 0, first, second, tie, {first_system!r} or {two!r}, "
                    f"not {row.get(preferred)!r}",
                    file=file,
                    line=line,
                )
            out.append(Preference(instance, first_system, two, choice))
    return out


def _choice(value: Any, first: str, second: str) -> float | None:
    if value in (1, -1, 0) and not isinstance(value, str):
        return float(value)
    # A system may be called "first"; its name says what is meant.
    return {first: 1.0, second: -1.0}.get(str(value), WORDS.get(str(value).strip().lower()))
