"""Untrusted archives: members are read in place, nothing is unpacked into folders.

A member whose path leads out of the archive is an error. Links to elsewhere and devices are skipped
and counted. A decompression bomb is refused before it fills the disk.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import IO, Any, cast

from rubrica.errors import DataError

# Text shrinks to a tenth, at times to a fiftieth; what shrinks further was made to do so.
LARGEST_RATIO = 250
ALWAYS_ALLOWED_BYTES = 64 << 20
MAX_MEMBERS = 5_000_000
_BLOCK = 1 << 20

_DECOMPRESSORS: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {
    b"\x1f\x8b": lambda stream: cast(IO[bytes], gzip.GzipFile(fileobj=stream)),
    b"BZh": lambda stream: cast(IO[bytes], bz2.BZ2File(stream)),
    b"\xfd7zXZ": lambda stream: cast(IO[bytes], lzma.LZMAFile(stream)),  # noqa: SIM115
}
_DAMAGED = (
    EOFError,
    OSError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    NotImplementedError,
)


class Archive:
    """A tar (plain or compressed) or zip archive: the names of its files, and their bytes.

    `passed_over` counts its links and devices, which are not read.
    """

    def __init__(self, stream: IO[bytes], place: str) -> None:
        """Open a seekable `stream`; `place` is the archive's name in messages."""
        self.place = place
        self._closing = ExitStack()
        self._closing.callback(stream.close)
        try:
            if zipfile.is_zipfile(stream):
                stream.seek(0)
                opened = self._closing.enter_context(zipfile.ZipFile(stream))
                self._read, self._names, self.passed_over = _zip(opened, place)
            else:
                plain = plain_stream(stream, place)
                self._closing.callback(plain.close)
                tar = self._closing.enter_context(tarfile.TarFile(fileobj=plain))
                self._read, self._names, self.passed_over = _tar(tar, plain.seek(0, 2), place)
        except DataError:
            self.close()
            raise
        except _DAMAGED as error:
            self.close()
            raise DataError(f"not a readable archive: {error}", file=place) from error

    def close(self) -> None:
        """Close its file; nothing can be read from it afterwards."""
        self._closing.close()

    def names(self) -> list[str]:
        """Return the names of the regular files, in order."""
        return list(self._names)

    def read(self, name: str) -> bytes:
        """Return the content of one file."""
        try:
            return self._read(name)
        except DataError:
            raise
        except _DAMAGED as error:
            raise DataError(f"cannot be read: {error}", file=f"{self.place}!{name}") from error


def is_archive(name: str) -> bool:
    """Whether a file name is that of an archive."""
    return name.lower().endswith(
        (".tgz", ".tar", ".tar.gz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".zip")
    )


def archive_stem(name: str) -> str:
    """Return the name without the ending of an archive: `results.tar.gz` gives `results`."""
    for ending in (".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tbz2", ".txz", ".tar", ".zip"):
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name


def plain_stream(stream: IO[bytes], place: str) -> IO[bytes]:
    """Return the stream, decompressed into a temporary file if it is compressed."""
    stream.seek(0)
    head = stream.read(6)
    stream.seek(0, 2)
    size = stream.tell()
    stream.seek(0)
    for magic, opened in _DECOMPRESSORS.items():
        if head.startswith(magic):
            copy = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the archive)
            written = 0
            try:
                with opened(stream) as plain:
                    while block := plain.read(_BLOCK):
                        written += len(block)
                        check_ratio(written, size, place)
                        copy.write(block)
            except BaseException:
                copy.close()
                raise
            copy.seek(0)
            return copy
    return stream


_Opened = tuple[Callable[[str], bytes], list[str], int]


def _tar(tar: tarfile.TarFile, length: int, place: str) -> _Opened:
    members: dict[str, tarfile.TarInfo] = {}
    passed_over = 0
    for member in _counted(tar, place):
        if member.isreg() and member.size > length:
            # Sparse files may state any size; the holes would be read as so many zeros.
            raise DataError(
                f"{member.name!r} claims {member.size:,} bytes in an archive of {length:,}; refused: "
                "it was cut off, or made to fill the memory",
                file=place,
            )
        # If a name occurs twice, the last file counts.
        if member.isreg():
            members[_checked(member.name, place)] = member
        elif member.islnk() and (known := members.get(_plain(member.linkname))) is not None:
            # A hard link is a second name of an earlier file.
            members[_checked(member.name, place)] = known
        elif not member.isdir():
            passed_over += 1

    def read(name: str) -> bytes:
        content = tar.extractfile(members[name])
        assert content is not None
        return content.read()

    return read, list(members), passed_over


def _zip(archive: zipfile.ZipFile, place: str) -> _Opened:
    members: dict[str, zipfile.ZipInfo] = {}
    passed_over = 0
    for member in _counted(archive.infolist(), place):
        if stat.S_ISLNK(member.external_attr >> 16):
            passed_over += 1
        elif not member.is_dir():
            members[_checked(member.filename, place)] = member

    def read(name: str) -> bytes:
        member = members[name]
        if member.flag_bits & 1:
            raise DataError(
                "is encrypted; unpack the archive with its password and give the folder",
                file=f"{place}!{name}",
            )
        pieces, written = [], 0
        with archive.open(member) as stream:
            # The size that the archive states may be a lie: what comes out is counted.
            while block := stream.read(_BLOCK):
                written += len(block)
                check_ratio(written, member.compress_size, f"{place}!{name}")
                pieces.append(block)
        return b"".join(pieces)

    return read, list(members), passed_over


def _counted(members: Any, place: str) -> Iterator[Any]:
    for number, member in enumerate(members):
        if number >= MAX_MEMBERS:
            raise DataError(f"more than {MAX_MEMBERS:,} files", file=place)
        yield member


def _checked(name: str, place: str) -> str:
    """Return the name with forward slashes and without `./`; refuse one that leads out of the archive."""
    plain = _plain(name)
    parts = plain.split("/")
    if name.startswith(("/", "\\")) or ".." in parts or "\0" in name or ":" in parts[0]:
        raise DataError(f"a file name that leads out of the archive: {name!r}", file=place)
    return plain


def _plain(name: str) -> str:
    return "/".join(part for part in name.replace("\\", "/").split("/") if part not in ("", "."))


def check_ratio(written: int, compressed: int, place: str) -> None:
    """Raise an error if data grow too much when decompressed."""
    if written > ALWAYS_ALLOWED_BYTES and written > LARGEST_RATIO * max(compressed, 1):
        raise DataError(
            f"decompresses to more than {LARGEST_RATIO} times its size ({written >> 20:,} MiB so "
            "far); refused as a bomb",
            file=place,
        )
