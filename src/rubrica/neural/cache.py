"""Results of models, kept in memory for a run and in files between runs: a matrix per request.

A folder belongs to one model and one way of using it. Every flush writes one more file (a shard) under
a name of its own, atomically; files are never changed. So several processes can share a folder: at
worst two of them compute the same thing. When all folders together pass their bound, the files used
longest ago are removed.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
import time
import uuid
import warnings
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from rubrica.errors import DataWarning
from rubrica.neural.shards import (
    KEY_BYTES,
    SUFFIX,
    DamagedShard,
    Matrix,
    ShardIndex,
    read_index,
    read_matrices,
    write_shard,
)

__all__ = ["DISK_BYTES", "FLUSH_BYTES", "KEY_BYTES", "MEMORY_BYTES", "Matrix", "ResultCache"]

MEMORY_BYTES = 1 << 29
DISK_BYTES = 4 << 30
FLUSH_BYTES = 1 << 22
# A file holds at most about so much, so that making room does not throw away everything at once.
_SHARD_BYTES = 1 << 26
# A file that is still being written after so many seconds belongs to a process that is no more.
_ABANDONED = 3600
# The folder is the user's choice: only files with names of ours are ever removed from it.
_OURS = re.compile(rf"\.?[0-9a-f]{{32}}{re.escape(SUFFIX)}")


class ResultCache:
    """Float32 matrices by 16-byte keys: the latest in memory, all (up to a bound) on disk.

    `root` is the folder of all caches, None for none; `folder` names this one below it.
    """

    def __init__(
        self,
        root: Path | None,
        folder: str,
        *,
        memory_bytes: int = MEMORY_BYTES,
        disk_bytes: int = DISK_BYTES,
    ) -> None:
        self._root, self._folder = root, root / folder if root is not None else None
        self._keeps = root is not None
        self._memory: OrderedDict[bytes, Matrix] = OrderedDict()
        self._memory_bytes, self._disk_bytes = memory_bytes, disk_bytes
        self._held = 0
        self._names: list[str] = []
        self._known: set[str] = set()
        self._index = ShardIndex()
        self._pending: dict[bytes, Matrix] = {}
        self._used: set[str] = set()
        # What is pending at the end of the program is still written.
        at_exit = partial(_flush_if_alive, weakref.ref(self))
        atexit.register(at_exit)
        # Not at the exit itself, where it would come first.
        weakref.finalize(self, atexit.unregister, at_exit).atexit = False

    def __del__(self) -> None:
        """Also what is pending when the metric goes out of use before the program ends."""
        if getattr(self, "_pending", None) and not sys.is_finalizing():
            self.flush()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Matrix]:
        """What is there of these keys."""
        found: dict[bytes, Matrix] = {}
        absent = []
        for key in keys:
            kept = self._memory.get(key)
            if kept is None:
                absent.append(key)
            else:
                self._memory.move_to_end(key)
                found[key] = kept
        if absent and self._folder is not None:
            places = self._index.find(absent)
            if len(places) < len(absent):
                self._look_for_shards(self._folder)
                places = self._index.find(absent)
            for key, matrix in self._read(self._folder, places).items():
                found[key] = matrix
                self._remember(key, matrix)
        return found

    def put(self, key: bytes, matrix: Matrix) -> None:
        """Keep a result; it reaches the disk with the next flush."""
        self._remember(key, matrix)
        # What is empty costs nothing to make again, and files have no room for it.
        if self._keeps and matrix.size:
            self._pending[key] = matrix

    def flush(self, *, least: int = 1) -> None:
        """Write what is pending, if it is at least so many bytes; then keep the bound."""
        if self._folder is None or not self._pending:
            return
        if sum(matrix.nbytes for matrix in self._pending.values()) < least:
            return
        try:
            self._write(self._folder)
            self._touch(self._folder)
            self._keep_bound()
        except OSError as error:
            # A full or read-only disk costs the cache, not the scores; what is there is still read.
            warnings.warn(
                f"{self._folder}: results cannot be kept for later runs: {error.strerror or error}; "
                "another place: --cache-dir FOLDER, none: --cache-dir off",
                DataWarning,
                stacklevel=2,
            )
            self._keeps = False
        self._pending.clear()

    def clear(self) -> None:
        """Write what is pending and drop what is held in memory."""
        self.flush()
        self._memory.clear()
        self._held = 0
        self._names.clear()
        self._known.clear()
        self._index = ShardIndex()

    def _remember(self, key: bytes, matrix: Matrix) -> None:
        if key in self._memory:
            return
        self._memory[key] = matrix
        self._held += matrix.nbytes
        while self._held > self._memory_bytes and len(self._memory) > 1:
            _, dropped = self._memory.popitem(last=False)
            self._held -= dropped.nbytes

    def _look_for_shards(self, folder: Path) -> None:
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            return
        for name in names:
            if name in self._known or not name.endswith(SUFFIX) or name.startswith("."):
                continue
            self._known.add(name)
            try:
                keys, places = read_index(folder / name, len(self._names))
            except FileNotFoundError:
                # Another process made room.
                continue
            except (OSError, DamagedShard) as error:
                _tell_damaged(folder / name, error)
                continue
            self._names.append(name)
            if len(keys):
                self._index.add(keys, places)

    def _read(self, folder: Path, places: dict[bytes, Any]) -> dict[bytes, Matrix]:
        by_shard: dict[int, dict[bytes, Any]] = defaultdict(dict)
        # In the order in which they stand in the files.
        for key, place in sorted(places.items(), key=lambda one: int(one[1]["start"])):
            by_shard[int(place["shard"])][key] = place
        found: dict[bytes, Matrix] = {}
        for shard, inside in by_shard.items():
            path = folder / self._names[shard]
            try:
                found |= dict(read_matrices(path, inside))
                self._used.add(path.name)
            except (OSError, DamagedShard) as error:
                # What another process removed, or something damaged, is computed again.
                if not isinstance(error, FileNotFoundError):
                    _tell_damaged(path, error)
                self._index.forget(shard)
        return found

    def _write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        waiting = iter(self._pending.items())
        for count in _parts([matrix.nbytes for matrix in self._pending.values()]):
            write_shard(folder / (uuid.uuid4().hex + SUFFIX), dict(islice(waiting, count)))

    def _touch(self, folder: Path) -> None:
        """Files in use count as new ones when room is made."""
        for name in self._used:
            try:
                os.utime(folder / name)
            except OSError:
                continue
        self._used.clear()

    def _keep_bound(self) -> None:
        assert self._root is not None
        files = []
        for path in self._root.glob(f"*/*{SUFFIX}"):
            if not _OURS.fullmatch(path.name):
                continue
            try:
                there = path.stat()
            except OSError:
                continue
            # What another process is writing is left to it.
            if not path.name.startswith("."):
                files.append((there.st_mtime, there.st_size, path))
            elif there.st_mtime < time.time() - _ABANDONED:
                _remove(path)
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._disk_bytes:
                return
            if _remove(path):
                total -= size


def _parts(sizes: list[int]) -> list[int]:
    """How many matrices go into each file."""
    counts, held = [0], 0
    for size in sizes:
        if counts[-1] and held + size > _SHARD_BYTES:
            counts.append(0)
            held = 0
        counts[-1] += 1
        held += size
    return counts


def _remove(path: Path) -> bool:
    # Windows does not remove a file that another process reads: it is tried again later.
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _tell_damaged(path: Path, error: Exception) -> None:
    warnings.warn(
        f"{path}: not a file of this cache, or damaged ({error}); it is not used. Delete it",
        DataWarning,
        stacklevel=4,
    )


def _flush_if_alive(reference: weakref.ref[ResultCache]) -> None:
    cache = reference()
    if cache is not None:
        cache.flush()
