"""Flags and notes on summaries: JSON lines that the viewer writes and studies read."""

from __future__ import annotations

import os

import msgspec

from rubrica.data.jsonl import convert, read_jsonl, write_jsonl
from rubrica.errors import DataError


class Flag(msgspec.Struct, frozen=True):
    """What somebody noted about a summary."""

    instance_id: str
    summarizer_id: str
    flagged: bool
    note: str = ""


def read_flags(path: str | os.PathLike[str]) -> list[Flag]:
    """Return the flags and notes of a file, one for each summary.

    Raises:
        DataError: A row is not a flag, or a summary has two.
    """
    flags: dict[tuple[str, str], Flag] = {}
    for line, values in read_jsonl(path):
        flag = convert(values, Flag, os.fspath(path), line)
        key = flag.instance_id, flag.summarizer_id
        if key in flags:
            raise DataError(
                f"a second row for {key[1]!r} on {key[0]!r}; remove one", file=str(path), line=line
            )
        flags[key] = flag
    return list(flags.values())


class FlagFile:
    """A file of flags, written anew and atomically with every change."""

    def __init__(self, path: str) -> None:
        self.path = path
        flags = read_flags(path) if os.path.exists(path) else []
        self._flags = {(flag.instance_id, flag.summarizer_id): flag for flag in flags}

    def all(self) -> list[Flag]:
        """Return all flags and notes."""
        return list(self._flags.values())

    def get(self, instance: str, system: str) -> Flag:
        """Return the flag of a summary; one without flag and note if it has none."""
        return self._flags.get((instance, system)) or Flag(instance, system, False)

    def set(self, flag: Flag) -> None:
        """Store a flag; one without flag and note removes the row."""
        flags = dict(self._flags)
        key = flag.instance_id, flag.summarizer_id
        if flag.flagged or flag.note:
            flags[key] = flag
        else:
            flags.pop(key, None)
        write_jsonl(self.path, flags.values())
        self._flags = flags
