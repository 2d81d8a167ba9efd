"""Results of models, kept in memory for a run and in files between runs: a matrix per request.

A folder belongs to one model and one way of using it. Every flush writes one more file (a shard) under
a name of its own, atomically; files are never changed. So several processes can share a folder: at
worst two of them compute the same thing. When all folders together pass their bound, the files used
longest ago are removed.
"""

from __future__ import annotations

import atexit
import os
import sys
import uuid
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataWarning

Matrix = NDArray[np.float32]
KEY_BYTES = 16
MEMORY_BYTES = 1 << 29
DISK_BYTES = 4 << 30
FLUSH_BYTES = 1 << 22
_SUFFIX = ".safetensors"


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
        self._memory: OrderedDict[bytes, Matrix] = OrderedDict()
        self._memory_bytes, self._disk_bytes = memory_bytes, disk_bytes
        self._held = 0
        self._shards: dict[str, Any] = {}
        self._known: set[str] = set()
        self._index: dict[bytes, tuple[str, int, int]] = {}
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
            if any(key not in self._index for key in absent):
                self._look_for_shards()
            for key in absent:
                matrix = self._read(key)
                if matrix is not None:
                    found[key] = matrix
                    self._remember(key, matrix)
        return found

    def put(self, key: bytes, matrix: Matrix) -> None:
        """Keep a result; it reaches the disk with the next flush."""
        self._remember(key, matrix)
        # What is empty costs nothing to make again, and files have no room for it.
        if self._folder is not None and matrix.size:
            self._pending[key] = matrix

    def flush(self, *, least: int = 1) -> None:
        """Write what is pending, if it is at least so many bytes; then keep the bound."""
        if self._folder is None or not self._pending:
            return
        if sum(matrix.nbytes for matrix in self._pending.values()) < least:
            return
        try:
            self._write(self._folder)
            self._touch()
            self._keep_bound()
        except OSError as error:
            # A full or read-only disk costs the cache, not the scores.
            warnings.warn(
                f"{self._folder}: results cannot be kept for later runs: {error.strerror or error}; "
                "another place: --cache-dir FOLDER, none: --cache-dir off",
                DataWarning,
                stacklevel=2,
            )
            self._folder = None
        self._pending.clear()

    def clear(self) -> None:
        """Write what is pending and drop what is held in memory."""
        self.flush()
        self._memory.clear()
        self._held = 0
        self._shards.clear()
        self._known.clear()
        self._index.clear()

    def _remember(self, key: bytes, matrix: Matrix) -> None:
        if key in self._memory:
            return
        self._memory[key] = matrix
        self._held += matrix.nbytes
        while self._held > self._memory_bytes and len(self._memory) > 1:
            _, dropped = self._memory.popitem(last=False)
            self._held -= dropped.nbytes

    def _look_for_shards(self) -> None:
        assert self._folder is not None
        try:
            names = sorted(os.listdir(self._folder))
        except OSError:
            return
        for name in names:
            if name in self._known or not name.endswith(_SUFFIX) or name.startswith("."):
                continue
            self._known.add(name)
            self._open(name)

    def _open(self, name: str) -> None:
        from safetensors import SafetensorError, safe_open

        assert self._folder is not None
        path = self._folder / name
        try:
            shard: Any = safe_open(path, framework="numpy")
            keys, shapes = shard.get_tensor("keys"), shard.get_tensor("shapes")
            total = shard.get_slice("values").get_shape()[0]
            sizes = shapes.prod(axis=1)
            if (
                keys.shape != (len(shapes), KEY_BYTES)
                or shapes.min(initial=0) < 0
                or sizes.sum() != total
            ):
                raise ValueError("sizes do not fit")
        except FileNotFoundError:
            # Another process made room.
            return
        except (SafetensorError, ValueError, KeyError, OSError, AttributeError) as error:
            warnings.warn(
                f"{path}: not a file of this cache ({error}); it is not used. Delete it",
                DataWarning,
                stacklevel=2,
            )
            return
        self._shards[name] = shard
        start = 0
        for key, (rows, columns) in zip(keys, shapes.tolist(), strict=True):
            self._index.setdefault(key.tobytes(), (name, start, int(rows) << 32 | int(columns)))
            start += rows * columns

    def _read(self, key: bytes) -> Matrix | None:
        place = self._index.get(key)
        if place is None:
            return None
        name, start, shape = place
        rows, columns = shape >> 32, shape & (1 << 32) - 1
        values = self._shards[name].get_slice("values")[start : start + rows * columns]
        self._used.add(name)
        return np.asarray(values, dtype=np.float32).reshape(rows, columns)

    def _write(self, folder: Path) -> None:
        from safetensors.numpy import save_file

        folder.mkdir(parents=True, exist_ok=True)
        matrices = list(self._pending.values())
        tensors: dict[str, NDArray[Any]] = {
            "keys": np.frombuffer(b"".join(self._pending), dtype=np.uint8).reshape(-1, KEY_BYTES),
            "shapes": np.array([matrix.shape for matrix in matrices], dtype=np.int64),
            "values": np.concatenate([matrix.ravel() for matrix in matrices]),
        }
        name = uuid.uuid4().hex + _SUFFIX
        temporary = folder / f".{name}"
        try:
            save_file(tensors, temporary)
            os.replace(temporary, folder / name)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def _touch(self) -> None:
        """Files in use count as new ones when room is made."""
        assert self._folder is not None
        for name in self._used:
            try:
                os.utime(self._folder / name)
            except OSError:
                continue
        self._used.clear()

    def _keep_bound(self) -> None:
        assert self._root is not None
        files = []
        for path in self._root.glob(f"*/*{_SUFFIX}"):
            try:
                there = path.stat()
            except OSError:
                continue
            files.append((there.st_mtime, there.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._disk_bytes:
                return
            # Windows does not remove a file that another process reads: it is tried again later.
            try:
                path.unlink(missing_ok=True)
            except OSError:
                continue
            total -= size


def _flush_if_alive(reference: weakref.ref[ResultCache]) -> None:
    cache = reference()
    if cache is not None:
        cache.flush()
