"""Which files a reader was given: at least one, standard input once, one side of a join or the other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from rubrica.data.files import content_ending, content_stem
from rubrica.errors import ParameterError


def input_files(reader: str, files: Sequence[str], *more: Sequence[str] | None) -> list[str]:
    """The input files, checked; `more` are files that other parameters name."""
    named = [os.fspath(file) for file in files]
    if not named:
        raise ParameterError(f"reader {reader!r} needs at least one input file ('-' is stdin)")
    if [*named, *(file for group in more for file in group or ())].count("-") > 1:
        raise ParameterError(f"reader {reader!r}: standard input ('-') can be read only once")
    return named


def join_sides(
    reader: str, files: Sequence[str], others: Sequence[str] | None, *, first: str, second: str
) -> tuple[list[str], list[str]]:
    """The two sides of a join: `given` and all input files, or the first input file and the rest.

    `first` and `second` are the words for what the sides hold.
    """
    named = input_files(reader, files, others)
    if others:
        return list(others), named
    if len(named) < 2:
        raise ParameterError(
            f"reader {reader!r} needs two input files, {first} then {second}; "
            f"or all {first} in its parameter {first!r}"
        )
    return named[:1], named[1:]


@lru_cache
def stem(file: str) -> str:
    """A name for what a file holds: `runs/lead3.txt.gz` gives `lead3`, `-` gives `stdin`."""
    if file == "-":
        return "stdin"
    return content_stem(file)


def names(files: Sequence[str]) -> list[str]:
    """A name for each file: its stem; of one stem in several folders, with as many folders as it takes."""
    distinct = stems = [stem(file) for file in files]
    folders = [Path(os.path.abspath(file)).parent.parts for file in files]
    for depth in range(1, 1 + max(map(len, folders), default=0)):
        if len(set(distinct)) == len(distinct):
            break
        distinct = [
            name if stems.count(name) == 1 else "/".join([*parts[-depth:], name])
            for name, parts in zip(stems, folders, strict=True)
        ]
    return list(distinct)


def extension(file: str) -> str:
    """The last extension in lower case, that of a compression aside."""
    return content_ending(file)
