"""A cache of model results, in memory during a run and in files between runs: a matrix per request.

A folder belongs to one model and one way of using it. Every flush writes a new file (a shard)
atomically; files never change. Several processes can therefore share a folder: at worst two of them
compute the same result. When all folders together exceed their limit, the least recently used files are
removed.
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
# Approximate size limit of a file, so that making room does not delete everything at once.
_SHARD_BYTES = 1 << 26
# A file that is still being written after so many seconds belongs to a dead process.
_ABANDONED = 3600
# The user chooses the folder, so only files with our names are ever removed.
_OURS = re.compile(rf"\.?[0-9a-f]{{32}}{re.escape(SUFFIX)}")


class ResultCache:
    """Float32 matrices by 16-byte keys: the latest in memory, all (up to a limit) on disk.

    `root` is the folder of all caches (None: memory only); `folder` is the name of this one in it.
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
        self._writes_files = root is not None
        self._memory: OrderedDict[bytes, Matrix] = OrderedDict()
        self._memory_bytes, self._disk_bytes = memory_bytes, disk_bytes
        self._held = 0
        self._names: list[str] = []
        self._known: set[str] = set()
        self._index = ShardIndex()
        self._pending: dict[bytes, Matrix] = {}
        self._used: set[str] = set()
        # Write pending results at the end of the program.
        at_exit = partial(_flush_if_alive, weakref.ref(self))
        atexit.register(at_exit)
        # Not at exit, where it would run first.
        weakref.finalize(self, atexit.unregister, at_exit).atexit = False

    def __del__(self) -> None:
        """Write pending results when the cache goes out of use before the program ends."""
        if getattr(self, "_pending", None) and not sys.is_finalizing():
            self.flush()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Matrix]:
        """Return the cached matrices of these keys."""
        matrices: dict[bytes, Matrix] = {}
        absent = []
        for key in keys:
            matrix = self._memory.get(key)
            if matrix is None:
                absent.append(key)
            else:
                self._memory.move_to_end(key)
                matrices[key] = matrix
        if absent and self._folder is not None:
            places = self._index.find(absent)
            if len(places) < len(absent):
                self._look_for_shards(self._folder)
                places = self._index.find(absent)
            for key, matrix in self._read(self._folder, places).items():
                matrices[key] = matrix
                self._remember(key, matrix)
        return matrices

    def put(self, key: bytes, matrix: Matrix) -> None:
        """Add a result; the next flush writes it to disk."""
        self._remember(key, matrix)
        # Empty results are free to recompute, and files cannot hold them.
        if self._writes_files and matrix.size:
            self._pending[key] = matrix

    def flush(self, *, least: int = 1) -> None:
        """Write pending results if they have at least `least` bytes; then enforce the size limit."""
        if self._folder is None or not self._pending:
            return
        if sum(matrix.nbytes for matrix in self._pending.values()) < least:
            return
        try:
            self._write(self._folder)
            self._touch(self._folder)
            self._keep_bound()
        except OSError as error:
            # With a full or read-only disk, scoring goes on without new cache files.
            warnings.warn(
                f"{self._folder}: cannot write the cache: {error.strerror or error}; "
                'choose another folder with `cache_dir="FOLDER"`, or none with `cache_dir="off"`',
                DataWarning,
                stacklevel=2,
            )
            self._writes_files = False
        self._pending.clear()

    def clear(self) -> None:
        """Write pending results and free the memory."""
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
            _, oldest = self._memory.popitem(last=False)
            self._held -= oldest.nbytes

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
                _warn_damaged(folder / name, error)
                continue
            self._names.append(name)
            if len(keys):
                self._index.add(keys, places)

    def _read(self, folder: Path, places: dict[bytes, Any]) -> dict[bytes, Matrix]:
        by_shard: dict[int, dict[bytes, Any]] = defaultdict(dict)
        # In file order.
        for key, place in sorted(places.items(), key=lambda item: int(item[1]["start"])):
            by_shard[int(place["shard"])][key] = place
        matrices: dict[bytes, Matrix] = {}
        for shard, inside in by_shard.items():
            path = folder / self._names[shard]
            try:
                matrices |= dict(read_matrices(path, inside))
                self._used.add(path.name)
            except (OSError, DamagedShard) as error:
                # Removed or damaged results are computed again.
                if not isinstance(error, FileNotFoundError):
                    _warn_damaged(path, error)
                self._index.forget(shard)
        return matrices

    def _write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        waiting = iter(self._pending.items())
        for count in _parts([matrix.nbytes for matrix in self._pending.values()]):
            write_shard(folder / (uuid.uuid4().hex + SUFFIX), dict(islice(waiting, count)))

    def _touch(self, folder: Path) -> None:
        """Update the times of used files, so that they are removed last."""
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
                status = path.stat()
            except OSError:
                continue
            # Another process may be writing a hidden file.
            if not path.name.startswith("."):
                files.append((status.st_mtime, status.st_size, path))
            elif status.st_mtime < time.time() - _ABANDONED:
                _remove(path)
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._disk_bytes:
                return
            if _remove(path):
                total -= size


def _parts(sizes: list[int]) -> list[int]:
    """Return the number of matrices of each file."""
    counts, size_so_far = [0], 0
    for size in sizes:
        if counts[-1] and size_so_far + size > _SHARD_BYTES:
            counts.append(0)
            size_so_far = 0
        counts[-1] += 1
        size_so_far += size
    return counts


def _remove(path: Path) -> bool:
    # Windows does not remove a file that another process reads; a later run tries again.
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _warn_damaged(path: Path, error: Exception) -> None:
    warnings.warn(
        f"{path}: damaged, or not a cache file ({error}); ignored. Delete it",
        DataWarning,
        stacklevel=4,
    )


def _flush_if_alive(reference: weakref.ref[ResultCache]) -> None:
    cache = reference()
    if cache is not None:
        cache.flush()
