"""Temporary files in memory, where there is room: a file on a busy disk takes ten times as long to create."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MEMORY = Path("/dev/shm")
PREFIX = "rubrica-temporary-"
# A run of all tests writes about 300 MB.
ROOM = 2 << 30


class MemoryFolder:
    """A folder in memory for one run. Its lock says that the run goes on; the next run removes what has no owner."""

    def __init__(self, memory: Path) -> None:
        for leftover in memory.glob(f"{PREFIX}*"):
            lock = _lock(leftover / "lock")
            if lock is not None:
                shutil.rmtree(leftover, ignore_errors=True)
                os.close(lock)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=memory))
        self.keep = False
        new = self.path / "new"
        new.touch()
        self._lock = _lock(new)
        new.rename(self.path / "lock")

    def close(self) -> None:
        """Remove the files; those of a run that failed stay for the next run to remove."""
        if not self.keep:
            shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)


def use_memory() -> MemoryFolder | None:
    """Let this process and all that it starts have their temporary files in memory, unless TMPDIR says where."""
    if fcntl is None or "TMPDIR" in os.environ or not _is_usable(MEMORY):
        return None
    folder = MemoryFolder(MEMORY)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder.path)
    atexit.register(folder.close)
    return folder


def _is_usable(memory: Path) -> bool:
    """Return whether there is room, and whether programs that tests write there can run."""
    if not os.access(memory, os.W_OK | os.X_OK):
        return False
    facts = os.statvfs(memory)
    return not facts.f_flag & os.ST_NOEXEC and facts.f_bavail * facts.f_frsize > ROOM


def _lock(path: Path) -> int | None:
    """Lock a file that exists and return its descriptor, or None if another process holds it."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
