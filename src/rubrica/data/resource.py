"""`Resource`: one outside file a metric or data set needs, and where it is kept."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from rubrica.data.files import sha256_of
from rubrica.errors import DataError, MissingResourceError


@dataclass(frozen=True, slots=True)
class Resource:
    """A file from outside: what it is called here, where it is had, and how it is known to be right."""

    name: str
    url: str
    sha256: str
    size: int
    licence: str

    def path(self, owner: str) -> Path:
        """Where it is kept for its owner (`metrics/NAME`, `datasets/NAME`)."""
        return data_root() / owner / self.name

    def find(self, owner: str, *, command: str) -> Path:
        """The file, or a `MissingResourceError` with the command that fetches it."""
        path = self.path(owner)
        if not path.exists():
            raise MissingResourceError(f"{self.name} is not there yet; run: {command}")
        return path


def data_root() -> Path:
    """`$RUBRICA_DATA_ROOT`, or the user's cache folder."""
    chosen = os.environ.get("RUBRICA_DATA_ROOT")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "rubrica"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/rubrica").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "rubrica"


def verify(path: Path, resource: Resource) -> None:
    """Raise unless the file is exactly the resource."""
    digest = sha256_of(path)
    if digest != resource.sha256:
        raise DataError(
            f"is not {resource.name}: sha256 {digest[:16]}..., expected "
            f"{resource.sha256[:16]}... (size {path.stat().st_size:,}, expected {resource.size:,})",
            file=str(path),
        )
