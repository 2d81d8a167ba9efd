"""The directory of a store: scores looked up by kind and texts, new ones written shard by shard."""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from rubrica.data.files import atomic_output, writable
from rubrica.data.store.shard import SUFFIX, Kind, Shard, StoredScore, key_array, write_shard
from rubrica.errors import DataError, DataWarning, OutputError

MARKER = "rubrica-store.json"
SHARD_ROWS = 100_000
SHARD_SECONDS = 10.0
MANY_SHARDS = 200


def text_key(encoded: bytes) -> bytes:
    """Return the key of texts, from `Fields.encoded` of the fields that a metric reads."""
    return hashlib.blake2b(encoded, digest_size=16).digest()


class ScoreStore:
    """Scores by kind and texts, in a directory that any number of runs may share.

    A shard is written under another name, renamed, and never changed; its name is its checksum. So
    there are no locks, and shards of several machines can be put together by copying. New scores
    are held until a shard is worth writing; `flush` writes what is held.
    """

    def __init__(self, path: str | os.PathLike[str], *, must_exist: bool = False) -> None:
        """Open the store, or create one in an empty or new directory."""
        self.path = Path(path)
        marker = self.path / MARKER
        if not marker.exists():
            if self.path.exists() and not self.path.is_dir():
                raise DataError("is a file; a store of scores is a directory", file=str(self.path))
            others = self.path.is_dir() and any(
                not entry.name.startswith(".") for entry in self.path.iterdir()
            )
            # Another run may have made the store since we looked.
            if must_exist or (others and not marker.exists()):
                raise DataError(
                    f"is not a store of scores: it has no {MARKER}", file=str(self.path)
                )
            self._write_marker(marker)
        self._check(marker)
        self._opened: dict[Kind, list[Shard]] = {}
        self._held: dict[Kind, dict[bytes, StoredScore]] = {}
        self._started = self._written = time.monotonic()
        self.found = self.added = 0
        self.read_only = False

    def _write_marker(self, marker: Path) -> None:
        # Two runs may do this at once: both write the same.
        with atomic_output(marker) as stream:
            stream.write(b'{"format": 1}\n')

    def _check(self, marker: Path) -> None:
        try:
            known = msgspec.json.decode(marker.read_bytes())["format"] == 1
        except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
            raise DataError(f"cannot be read: {error}", file=str(marker)) from error
        if not known:
            raise DataError("was written by a newer version", file=str(marker))

    def check_writable(self) -> None:
        """Raise an `OutputError` early if the store cannot be written."""
        writable(self.path / MARKER)

    def prepare(self) -> None:
        """Check whether new scores can be stored; a read-only store is only searched."""
        try:
            self.check_writable()
        except OutputError as error:
            self.read_only = True
            warnings.warn(f"{error}; new scores are not stored", DataWarning, stacklevel=3)

    def folders(self) -> list[Path]:
        """Return the directories of its kinds."""
        return sorted(entry for entry in self.path.iterdir() if entry.is_dir())

    @staticmethod
    def shard_files(folder: Path) -> list[Path]:
        """Return the paths of the shards in a directory, intact or damaged."""
        return sorted(folder.glob(f"[!.]*{SUFFIX}")) if folder.is_dir() else []

    def lookup(self, kind: Kind, keys: Sequence[bytes]) -> list[StoredScore | None]:
        """Return the score of each key; None if it must be computed."""
        held = self._held.get(kind, {})
        scores: list[StoredScore | None] = [held.get(key) for key in keys]
        if keys:
            searched = key_array(keys)
            for shard in self._shards(kind):
                rows = shard.find(searched)
                for at in np.flatnonzero(rows >= 0).tolist():
                    if scores[at] is None:
                        scores[at] = shard.score(rows[at])
        self.found += len(scores) - scores.count(None)
        return scores

    def put(self, kind: Kind, key: bytes, score: StoredScore) -> None:
        """Add a score; it is written by `flush`, or when enough scores are pending."""
        if self.read_only:
            return
        self._held.setdefault(kind, {})[key] = score
        self.added += 1

    def flush(self, *, all_kinds: bool = True) -> None:
        """Write pending scores: all, or only those that fill a shard or have waited long.

        Waits grow with the run, so that a long one leaves hundreds of shards, not thousands.
        """
        now = time.monotonic()
        waited = now - self._written > max(SHARD_SECONDS, (now - self._started) / 20)
        for kind, scores in list(self._held.items()):
            if all_kinds or waited or len(scores) >= SHARD_ROWS:
                write_shard(self.path / kind.folder, kind, scores)
                del self._held[kind]
                self._written = now

    def _shards(self, kind: Kind) -> list[Shard]:
        """Return the usable shards of a kind, as listed on first use."""
        if kind not in self._opened:
            shards = []
            for path in self.shard_files(self.path / kind.folder):
                try:
                    shard = Shard(path)
                except FileNotFoundError:
                    # Merged away by another process since it was listed; the rows are scored again.
                    continue
                except (DataError, OSError) as error:
                    warnings.warn(
                        f"{error}; its rows are scored again. rubrica store gc {self.path} removes it",
                        DataWarning,
                        stacklevel=3,
                    )
                    continue
                if shard.kind == kind and len(shard):
                    shards.append(shard)
            if len(shards) > MANY_SHARDS:
                warnings.warn(
                    f"{len(shards)} shards are searched for {kind.signature}: "
                    f"rubrica store merge {self.path} makes that faster",
                    DataWarning,
                    stacklevel=3,
                )
            self._opened[kind] = shards
        return self._opened[kind]
