"""The folder that a run fills with parts: one run at a time, with a manifest, replaced only as a whole.

`run.json` describes the run. A worker that has written a part records it beside the part (`.part-00000.jsonl.done`):
digests of its input and of the part. A run that has finished moves all records into `run.json`.

A run into a folder that holds a finished run fills `.new/` and moves its parts in place at the end. Once
`.new/run.json` has its records, any later run completes the move.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from rubrica.data.locking import open_locked, remove_abandoned
from rubrica.data.remote import is_url
from rubrica.data.scores.writer import another_run, unfinished
from rubrica.data.storage import atomic_write, list_dir, move, read_bytes, remove
from rubrica.errors import DataError, OutputError

MANIFEST = "run.json"
_LOCK, _NEW, _RECORD = ".lock", ".new", ".done"


class PartRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known about a part: its run, the input it was made from, and its content."""

    run: str
    input: str
    input_sha256: str
    rows: int
    sha256: str


class _Manifest(msgspec.Struct, omit_defaults=True):
    # Other versions had the description itself in the file, so it may lack any key.
    run: dict[str, Any] = {}
    # None while the run is not finished.
    parts: dict[str, PartRecord] | None = None


class PartsFolder:
    """A folder, opened for one run. Use as a context manager: leaving it lets other runs in."""

    def __init__(
        self, folder: str, run: dict[str, Any], *, resume: bool = False, overwrite: bool = False
    ) -> None:
        # Absolute: workers may run elsewhere.
        self.folder = folder.rstrip("/") if is_url(folder) else os.path.abspath(folder)
        # In the form in which it is read back.
        encoded = msgspec.json.encode(run)
        self._run: dict[str, Any] = msgspec.json.decode(encoded)
        # A worker of a run that was killed may still be writing: its records have another id.
        self.run_id = hashlib.sha256(encoded).hexdigest()[:16]
        self._lock = self._locked()
        try:
            self._place = self._prepare(resume, overwrite)
            self.records = {
                name: record
                for name, record in _records(self._place).items()
                if record.run == self.run_id
            }
            if not self.records:
                _write_manifest(self._place, _Manifest(self._run))
        except BaseException:
            self._release()
            raise

    def __enter__(self) -> PartsFolder:
        return self

    def __exit__(self, *error: object) -> None:
        self._release()

    def path_of(self, part: str) -> str:
        """Return where a part is written."""
        return f"{self._place}/{part}"

    def finish(self, records: dict[str, PartRecord]) -> None:
        """Write the manifest of all parts, and replace those of an earlier run."""
        _write_manifest(self._place, _Manifest(self._run, records))
        _clear(self._place, keep=records)
        if self._place != self.folder:
            self._replace(records)

    def _prepare(self, resume: bool, overwrite: bool) -> str:
        """Return the folder to write in, after checking that nothing of value is lost."""
        names, new = list_dir(self.folder), f"{self.folder}/{_NEW}"
        if MANIFEST not in names and any(not name.startswith(".") for name in names):
            raise DataError(
                f"has other files in it and no {MANIFEST}; use a new folder", file=self.folder
            )
        replacement = _read_manifest(new)
        if replacement is not None and replacement.parts is not None:
            # An earlier run was stopped while it moved its parts.
            self._replace(replacement.parts)
            replacement = None
        current = _read_manifest(self.folder)
        place = new if replacement is not None else self.folder
        started = replacement or current
        if started is not None and resume:
            if started.run != self._run:
                raise another_run(self.folder)
            return place
        if replacement is not None or (current is not None and current.parts is None):
            if not overwrite and _records(place):
                raise unfinished(self.folder, "parts")
            _clear(place, keep={})
        return new if current is not None and current.parts is not None else self.folder

    def _replace(self, records: dict[str, PartRecord]) -> None:
        """Move the parts of a finished replacement in place; it can be repeated."""
        new = f"{self.folder}/{_NEW}"
        names = set(list_dir(new))
        for name in records:
            if name in names:
                move(f"{new}/{name}", f"{self.folder}/{name}")
        _clear(self.folder, keep=records)
        move(f"{new}/{MANIFEST}", f"{self.folder}/{MANIFEST}")
        remove(new)

    def _locked(self) -> BinaryIO | None:
        """Lock the folder. Remote storage has no locks: there `run.json` alone shows that a run is under way."""
        if is_url(self.folder):
            return None
        try:
            os.makedirs(self.folder, exist_ok=True)
            stream = open_locked(Path(self.folder, _LOCK), Path(self.folder))
        except OSError as error:
            raise OutputError(self.folder, error.strerror or error) from error
        for place in (self.folder, f"{self.folder}/{_NEW}"):
            remove_abandoned(Path(place), ".")
        return stream

    def _release(self) -> None:
        if self._lock is not None:
            with suppress(OSError):
                os.unlink(self._lock.name)
            self._lock.close()


def record_part(part: str, record: PartRecord) -> None:
    """In a worker: record a part that was written."""
    folder, _, name = part.rpartition("/")
    with atomic_write(f"{folder}/.{name}{_RECORD}") as stream:
        stream.write(msgspec.json.encode(record))


def _records(place: str) -> dict[str, PartRecord]:
    """Return the parts that are finished: those of the manifest, and those recorded since."""
    manifest = _read_manifest(place)
    records = dict(manifest.parts or {}) if manifest is not None else {}
    names = list_dir(place)
    for name in names:
        if name.startswith(".part-") and name.endswith(_RECORD):
            with suppress(ValueError, RecursionError):
                content = read_bytes(f"{place}/{name}") or b""
                records[name[1 : -len(_RECORD)]] = msgspec.json.decode(content, type=PartRecord)
    return {name: record for name, record in records.items() if name in names}


def _clear(place: str, keep: dict[str, PartRecord]) -> None:
    """Remove all records, and parts other than those to keep."""
    for name in list_dir(place):
        is_record = name.startswith(".part-") and name.endswith(_RECORD)
        if is_record or (name.startswith("part-") and name not in keep):
            remove(f"{place}/{name}")


def _read_manifest(place: str) -> _Manifest | None:
    content = read_bytes(f"{place}/{MANIFEST}")
    if content is None:
        return None
    try:
        manifest = msgspec.json.decode(content, type=_Manifest)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not a manifest of parts: {error}", file=f"{place}/{MANIFEST}") from error
    if not manifest.run:
        # Written by an earlier version: its parts have no digests, so they cannot be resumed.
        return _Manifest({}, {})
    return manifest


def _write_manifest(place: str, manifest: _Manifest) -> None:
    with atomic_write(f"{place}/{MANIFEST}") as stream:
        stream.write(msgspec.json.encode(manifest))
