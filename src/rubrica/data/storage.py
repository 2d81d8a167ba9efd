"""Files by path or by URL: what a folder of parts needs, on any storage."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rubrica.data.files import atomic_output
from rubrica.data.remote import is_url, located, open_url, write_url
from rubrica.errors import DataError


@contextmanager
def atomic_write(place: str) -> Iterator[BinaryIO]:
    """Write a file that appears only when the block succeeds."""
    if is_url(place):
        with write_url(place) as stream:
            yield stream
        return
    with atomic_output(place) as stream:
        yield stream


def read_bytes(place: str) -> bytes | None:
    """Return the content of a small file; None if there is no such file."""
    if not is_url(place):
        return Path(place).read_bytes() if os.path.exists(place) else None
    system, path = located(place)
    return bytes(system.cat_file(path)) if system.exists(path) else None


def list_dir(folder: str) -> list[str]:
    """Return the names in a folder; none if there is no such folder."""
    if not is_url(folder):
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    system, path = located(folder)
    paths = system.ls(path, detail=False) if system.exists(path) else []
    return sorted(str(entry).rstrip("/").rpartition("/")[2] for entry in paths)


def remove(place: str) -> None:
    """Remove a file, or an empty folder."""
    if is_url(place):
        system, path = located(place)
        system.rm(path, recursive=True)
    elif os.path.isdir(place):
        os.rmdir(place)
    else:
        os.remove(place)


def move(source: str, target: str) -> None:
    """Give a file another name, in place of what had it before."""
    if is_url(source):
        system, path = located(source)
        system.mv(path, located(target)[1])
    else:
        os.replace(source, target)


def sha256_of_places(places: Iterable[str]) -> str:
    """Return the hexadecimal sha256 of the bytes of all files, one after another."""
    digest = hashlib.sha256()
    for place in places:
        try:
            with open_url(place) if is_url(place) else open(place, "rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror or error}", file=place) from error
    return digest.hexdigest()
