"""Realigning: move a file's lines to the positions of their anchors, by the mapping of `align`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal

from rubrica.data.jsonl import read_json
from rubrica.errors import DataError, MismatchError, ParameterError
from rubrica.text.tags import NO_MATCH

# More lines than any file of summaries has; a larger number in a mapping is a mistake.
MAX_LINES = 100_000_000


def read_mapping(file: str) -> dict[int, int]:
    """Read `{"0": 17, "1": -1, ...}`: text number to anchor number, or -1."""
    raw = read_json(file)
    try:
        mapping = {int(key): value for key, value in dict(raw).items()}
    except (ValueError, TypeError) as error:
        raise DataError(f"not a mapping as `study align` writes it: {error}", file=file) from error
    for key, value in mapping.items():
        if (
            not isinstance(value, int)
            or isinstance(value, bool)
            or not -1 <= value < MAX_LINES
            or key < 0
        ):
            raise DataError(f"text {key} is mapped to {value!r}, not to a line number", file=file)
    return mapping


def record_path(mapping: str) -> str:
    """Return the path of the record that `align` writes beside a mapping."""
    return f"{mapping}.record.json"


def anchor_count(mapping: str) -> int | None:
    """Return the number of anchors by the record beside a mapping; None without a record."""
    file = record_path(mapping)
    if not os.path.exists(file):
        return None
    record = read_json(file)
    count = record.get("anchors") if isinstance(record, dict) else None
    if type(count) is not int or not 0 <= count < MAX_LINES:
        raise DataError("no number of anchors; align again", file=file)
    return count


def realign(
    lines: Sequence[str],
    mapping: Mapping[int, int],
    *,
    length: int | None = None,
    collisions: Literal["refuse", "last"] = "refuse",
) -> list[str]:
    """Return the lines in the anchors' order; `### NO MATCH FOUND ###` where no line belongs.

    `length` is the number of anchors. Without it the result has as many lines as the input, and
    more if an anchor stands further down (the original lost those). Two lines of one anchor are
    refused, or the last one stays, as in the original. The mapping must have every line.
    """
    if sorted(mapping) != list(range(len(lines))):
        raise MismatchError(
            f"the mapping is of {len(mapping)} texts and the file has {len(lines)} lines; it was "
            "made for another file"
        )
    if length is not None and not 0 <= length <= MAX_LINES:
        raise ParameterError(f"the number of lines must lie between 0 and {MAX_LINES:,}: {length}")
    last = max(mapping.values(), default=-1) + 1
    if length is not None and last > length:
        raise MismatchError(f"a line belongs to line {last}, beyond the {length} asked for")
    result = [NO_MATCH] * (max(len(lines), last) if length is None else length)
    owner: dict[int, int] = {}
    for number, line in enumerate(lines):
        target = mapping[number]
        if target < 0:
            continue
        if target in owner and collisions == "refuse":
            raise MismatchError(
                f"lines {owner[target] + 1} and {number + 1} both belong to line {target + 1}; "
                "align without chance, or keep the last with --collisions last"
            )
        owner[target] = number
        result[target] = line
    return result
