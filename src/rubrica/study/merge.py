"""Merging tables of scores: rows of one summary become one; different texts or values are refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rubrica.errors import MismatchError
from rubrica.study.rows import StudyRow


def merge_tables(tables: Sequence[tuple[str, Iterable[StudyRow]]]) -> list[StudyRow]:
    """One row per summary, in order of appearance, with the measures of all tables.

    Two tables that scored different summaries or different references under one name, or that
    give one measure two values, are refused: one of them is of other data.
    """
    merged: dict[tuple[str, str], StudyRow] = {}
    origin: dict[tuple[str, str], str] = {}
    for name, rows in tables:
        seen: set[tuple[str, str]] = set()
        for row in rows:
            if row.key in seen:
                raise MismatchError(f"{_describe(row)} has two rows", file=name)
            seen.add(row.key)
            known = merged.get(row.key)
            if known is None:
                merged[row.key], origin[row.key] = row, name
            else:
                merged[row.key] = _merge_rows(known, row, origin[row.key], name)
    return list(merged.values())


def _merge_rows(row: StudyRow, other: StudyRow, file: str, other_file: str) -> StudyRow:
    for what, name in (("summary", "summary_digest"), ("references", "reference_digest")):
        a, b = getattr(row, name), getattr(other, name)
        if a and b and a != b:
            raise MismatchError(
                f"{_describe(row)}: {file} and {other_file} scored different texts ({what}); "
                "rubrica study audit finds the wrong system"
            )
    try:
        joined = row.merge(other)
    except MismatchError as error:
        raise MismatchError(f"{file} and {other_file}: {error}") from error
    return msgspec.structs.replace(
        joined,
        summary_digest=row.summary_digest or other.summary_digest,
        reference_digest=row.reference_digest or other.reference_digest,
        origin="; ".join(dict.fromkeys(text for text in (row.origin, other.origin) if text)),
        summary=_first(row.summary, other.summary),
        references=_first(row.references, other.references),
        uncertainty={**(row.uncertainty or {}), **(other.uncertainty or {})} or None,
    )


def _first(first: Any, second: Any) -> Any:
    return second if first is None else first


def _describe(row: StudyRow) -> str:
    return f"summary {row.summarizer_id!r} of input {row.instance_id!r}"
