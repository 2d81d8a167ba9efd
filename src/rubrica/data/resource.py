"""`Resource`: an external file that a metric or data set needs, and where it is stored."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from rubrica.data.files import sha256_of
from rubrica.errors import DataError, MissingResourceError


@dataclass(frozen=True, slots=True)
class Resource:
    """An external file: its local name, its URL, and its checksum, size and licence."""

    name: str
    url: str
    sha256: str
    size: int
    licence: str

    def path(self, owner: str) -> Path:
        """Return the path of the file for its owner (`metrics/NAME`, `datasets/NAME`)."""
        return data_root() / owner / self.name

    def find(self, owner: str, *, command: str) -> Path:
        """Return the path, or raise a `MissingResourceError` with the command that fetches the file."""
        path = self.path(owner)
        if not path.exists():
            raise MissingResourceError(f"{self.name} is not there yet; run: {command}")
        return path


def data_root() -> Path:
    """Return `$RUBRICA_DATA_ROOT`, or the user's cache folder."""
    chosen = os.environ.get("RUBRICA_DATA_ROOT")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "rubrica"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/rubrica").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "rubrica"


def verify(path: Path, resource: Resource) -> None:
    """Raise a `DataError` unless the file has the resource's checksum."""
    digest = sha256_of(path)
    if digest != resource.sha256:
        raise DataError(
            f"is not {resource.name}: sha256 {digest[:16]}..., expected "
            f"{resource.sha256[:16]}... (size {path.stat().st_size:,}, expected {resource.size:,})",
            file=str(path),
        )
