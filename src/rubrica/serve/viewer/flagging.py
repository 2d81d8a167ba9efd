"""Flags and notes in the viewer: stored in a file, and fields of the table to filter by."""

from __future__ import annotations

from threading import Lock

from rubrica.errors import DataError, UsageError
from rubrica.serve.viewer.flags import Flag, FlagFile
from rubrica.serve.viewer.table import Sample, SampleTable

LONGEST_NOTE = 4000
_SHOWN = 80


class Flags:
    """The flags of a table's samples."""

    def __init__(self, path: str, table: SampleTable) -> None:
        self._file, self._table, self._lock = FlagFile(path), table, Lock()
        table.add(
            _sample(flag)
            for flag in self._file.all()
            if table.row(flag.instance_id, flag.summarizer_id) is not None
        )

    def get(self, name: str, system: str) -> Flag:
        """Return the flag of a summary."""
        return self._file.get(name, system)

    def set(self, flag: Flag) -> Flag:
        """Store a flag of a summary of the table.

        Raises:
            DataError: There is no such summary.
            UsageError: The note is too long.
        """
        if len(flag.note) > LONGEST_NOTE:
            raise UsageError(f"a note has at most {LONGEST_NOTE:,} letters")
        if self._table.row(flag.instance_id, flag.summarizer_id) is None:
            raise DataError(f"no summary of {flag.instance_id!r} by {flag.summarizer_id!r} here")
        with self._lock:
            self._file.set(flag)
        self._table.add([_sample(flag)])
        return flag


def _sample(flag: Flag) -> Sample:
    fields = {"flag": "yes" if flag.flagged else "no", "note": flag.note[:_SHOWN]}
    return Sample(flag.instance_id, flag.summarizer_id, fields=fields)
