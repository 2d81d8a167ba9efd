"""Members of a zip archive, read in memory and bounded; Zstandard, which Inspect writes, included."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import BinaryIO, Self

from rubrica.data.formats.zstd import open_zstd
from rubrica.data.jsonl import LARGEST_DOCUMENT
from rubrica.errors import DataError

_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_MAX_MEMBERS = 1_000_000


class ZipMembers:
    """The members of an archive by name. Nothing is extracted, so names cannot reach outside."""

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._file: BinaryIO = open(path, "rb")  # noqa: SIM115 (closed by __exit__)
        except OSError as error:
            raise DataError(f"cannot be opened: {error.strerror or error}", file=path) from error
        try:
            self._archive = zipfile.ZipFile(self._file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            self._file.close()
            raise DataError(f"not a valid zip archive: {error}", file=path) from error
        self.names = list(dict.fromkeys(self._archive.namelist()))
        if len(self.names) > _MAX_MEMBERS:
            self._file.close()
            raise DataError(f"more than {_MAX_MEMBERS:,} members", file=path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()
        self._file.close()

    def read(self, name: str) -> bytes:
        """Return the content of a member."""
        member = self._archive.getinfo(name)
        try:
            if member.compress_type == _ZSTANDARD:
                content = open_zstd(io.BytesIO(self._compressed(member)), "rb").read(
                    LARGEST_DOCUMENT + 1
                )
            else:
                with self._archive.open(member) as stream:
                    content = stream.read(LARGEST_DOCUMENT + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise DataError(f"{name} is damaged: {error}", file=self._path) from error
        except (NotImplementedError, RuntimeError, struct.error) as error:
            # RuntimeError: encrypted.
            raise DataError(f"{name} cannot be read: {error}", file=self._path) from error
        if len(content) > LARGEST_DOCUMENT:
            raise DataError(f"{name} exceeds {LARGEST_DOCUMENT >> 20} MiB", file=self._path)
        return content

    def _compressed(self, member: zipfile.ZipInfo) -> bytes:
        self._file.seek(member.header_offset)
        mark, name, extra = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
        if mark != b"PK\x03\x04" or member.compress_size > LARGEST_DOCUMENT:
            raise zipfile.BadZipFile("wrong local header")
        self._file.seek(name + extra, io.SEEK_CUR)
        return self._file.read(member.compress_size)
