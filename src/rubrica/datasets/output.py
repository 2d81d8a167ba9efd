"""The output of a data set: JSON lines files, moved into place together, with a manifest."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

import msgspec

from rubrica import __version__
from rubrica.data.files import sha256_of
from rubrica.data.jsonl import encoded_json
from rubrica.data.locking import lock
from rubrica.errors import OutputError

MANIFEST = "manifest.json"
_WORK = ".making."
_ASIDE = ".aside."
_ENCODER = msgspec.json.Encoder()


class Output:
    """A folder of JSON lines files; nothing is in place before `finish`.

    With `as_met`, rows are in the order in which the raw data have them, as SacreROUGE's layout needs it. Equal raw data give equal bytes: rows keep their order and contain no times and no local paths.
    """

    def __init__(self, folder: str | os.PathLike[str], *, as_met: bool = False) -> None:
        self.folder, self.as_met = Path(folder), as_met
        if self.folder.exists() and not self.folder.is_dir():
            raise OutputError(self.folder, "is a file; give a folder")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.folder)
            # The folder is locked, so files of another run belong to one that was killed.
            for left in self.folder.glob(f"{_WORK}*"):
                shutil.rmtree(left)
            self._work = Path(tempfile.mkdtemp(prefix=_WORK, dir=self.folder))
        except OSError as error:
            raise OutputError(self.folder, error.strerror) from error
        self.files: dict[str, dict[str, Any]] = {}
        self.left_out: dict[str, int] = {}

    def write(self, name: str, rows: Iterable[Any]) -> int:
        """Write rows to the file `name` and return their number; without rows there is no file."""
        with self.opened(name) as put:
            for row in rows:
                put(row)
        return int(self.files.get(name, {"rows": 0})["rows"])

    @contextmanager
    def opened(self, name: str) -> Iterator[Callable[[Any], None]]:
        """Open the file `name` and yield a function that appends a row, to write several files at once."""
        count = 0
        ids: dict[str, set[str]] = {"instance_id": set(), "summarizer_id": set()}
        path = self._work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with _open_for_writing(path) as stream:

            def put(row: Any) -> None:
                nonlocal count
                stream.write(_ENCODER.encode(row) + b"\n")
                count += 1
                for key, seen in ids.items():
                    value = row.get(key) if isinstance(row, dict) else getattr(row, key, None)
                    if value is not None:
                        seen.add(value)

            yield put
        if not count:
            path.unlink()
            return
        self.files[name] = {
            "rows": count,
            "inputs": len(ids["instance_id"]),
            "systems": len(ids["summarizer_id"]),
            "bytes": path.stat().st_size,
            "sha256": sha256_of(path),
        }

    def set_aside(self) -> dict[str, Path]:
        """Take back the files written so far; return their paths, which are there until `finish`."""
        folder = Path(tempfile.mkdtemp(prefix=_ASIDE, dir=self._work))
        files = {}
        for name in self.files:
            files[name] = folder / name
            os.replace(self._work / name, files[name])
        self.files = {}
        return files

    def leave_out(self, reason: str, count: int = 1) -> None:
        """Count raw data that is not in the output, for the manifest."""
        if count:
            self.left_out[reason] = self.left_out.get(reason, 0) + count

    def finish(self, about: dict[str, Any]) -> bool:
        """Move all files into place, the manifest last; return whether anything has changed.

        Files of an earlier manifest that are no longer written are removed.
        """
        manifest = {
            **about,
            "rubrica": __version__,
            "left_out": dict(sorted(self.left_out.items())),
            "files": dict(sorted(self.files.items())),
        }
        content = encoded_json(manifest)
        place = self.folder / MANIFEST
        before = place.read_bytes() if place.is_file() else b""
        same = before == content and all(
            _digest(self.folder / name) == facts["sha256"] for name, facts in self.files.items()
        )
        try:
            if not same:
                # A folder without a manifest is not whole: so it is known when a run is killed here.
                place.unlink(missing_ok=True)
                for name in _listed(before) - set(self.files):
                    (self.folder / name).unlink(missing_ok=True)
                for name in self.files:
                    (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                    os.replace(self._work / name, self.folder / name)
                (self._work / MANIFEST).write_bytes(content)
                os.replace(self._work / MANIFEST, place)
        except OSError as error:
            raise OutputError(error.filename or self.folder, error.strerror) from error
        finally:
            self.discard()
        return not same

    def discard(self) -> None:
        """Delete the files written so far and release the lock."""
        shutil.rmtree(self._work, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(folder: Path) -> int | None:
    """Return a lock on the folder, or None if folders cannot be locked (Windows)."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return None
    try:
        lock(descriptor, folder)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _digest(path: Path) -> str:
    return sha256_of(path) if path.is_file() else ""


def _listed(manifest: bytes) -> set[str]:
    """Return the names of data files that a manifest lists, none outside its folder; none if it is not a manifest."""
    try:
        files = msgspec.json.decode(manifest)["files"]
        return {name for name in files if _is_own(name)}
    except (ValueError, RecursionError, KeyError, TypeError):
        return set()


def _is_own(name: str) -> bool:
    """Whether a name is a data file's, in the folder or one below."""
    parts = PurePosixPath(name).parts
    return (
        name.endswith((".jsonl", ".jsonl.gz"))
        and len(parts) <= 2
        and not {"..", "/"} & {*parts}
        and "\\" not in name
    )


@contextmanager
def _open_for_writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file; one whose name ends in `.gz` is compressed, without a time or name in its header."""
    with open(path, "wb") as stream:
        if path.suffix != ".gz":
            yield stream
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as compressed:
            yield compressed  # type: ignore[misc]
