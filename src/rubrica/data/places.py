"""Folders by path or by URL, for what is written there part by part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rubrica.data.files import atomic_output
from rubrica.data.remote import is_url, located, write_url
from rubrica.errors import OutputError


@contextmanager
def whole_file(place: str) -> Iterator[BinaryIO]:
    """Write to a file that appears, whole, only when the block ends well."""
    if is_url(place):
        with write_url(place) as stream:
            yield stream
        return
    try:
        with atomic_output(place) as stream:
            yield stream
    except OSError as error:
        raise OutputError(place, error.strerror or error) from error


def small_file(place: str) -> bytes | None:
    """The content of a file; None where there is none."""
    if not is_url(place):
        return Path(place).read_bytes() if os.path.exists(place) else None
    system, path = located(place)
    return bytes(system.cat_file(path)) if system.exists(path) else None


def names_in(folder: str) -> list[str]:
    """The names in a folder; none where there is no folder."""
    if not is_url(folder):
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    system, path = located(folder)
    found = system.ls(path, detail=False) if system.exists(path) else []
    return sorted(str(one).rstrip("/").rpartition("/")[2] for one in found)


def remove(place: str) -> None:
    """Remove a file."""
    if is_url(place):
        system, path = located(place)
        system.rm(path)
    else:
        os.remove(place)
