"""Locks on the files of a run; a lock ends with its process."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from rubrica.errors import OutputError

_BUFFER_BYTES = 1 << 17
"""The same with every Python: the default grew from 8 KiB to 128 KiB in Python 3.14."""


def lock(stream: BinaryIO | int, path: Path) -> None:
    """Lock an open file or folder; raise an `OutputError` about `path` if another run holds the lock."""
    try:
        import fcntl
    except ImportError:
        # Windows: there an open file cannot be replaced anyway.
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise OutputError(path, "another run is writing it") from error
    except OSError:
        # A file system without locks: better unlocked than not at all.
        return


def _open_regular(path: str, flags: int) -> int:
    """Open a file whose name anyone can guess: no link leads elsewhere, no pipe waits for a reader."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)


def open_locked(path: Path, owner: Path | None = None) -> BinaryIO:
    """Open a file for appending, locked. An error names `owner`, the file that the user asked for."""
    while True:
        stream = open(path, "ab", _BUFFER_BYTES, opener=_open_regular)  # noqa: SIM115 (the caller closes it)
        try:
            lock(stream, owner or path)
            # The run that held the lock may have renamed or removed the file meanwhile.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(stream.fileno()), os.stat(path)):
                    return stream
        except BaseException:
            stream.close()
            raise
        stream.close()


def remove_abandoned(folder: Path, prefix: str) -> None:
    """Remove unlocked temporary files with this prefix, which killed processes left."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not (entry.name.startswith(prefix) and entry.name.endswith(".tmp")):
                continue
            with (
                suppress(OSError, OutputError),
                open(entry.path, "ab", opener=_open_regular) as stream,
            ):
                lock(stream, folder)
                os.unlink(entry.path)
