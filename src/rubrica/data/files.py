"""Files in and out: compression by extension or magic bytes, standard input as `-`, atomic writes."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import sys
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from rubrica.data.formats.zstd import check_zstd, open_zstd
from rubrica.data.locking import lock
from rubrica.data.remote import is_url, open_url
from rubrica.errors import DataError, OutputError, UsageError

# Longer lines are not text, and reading on would fill the memory.
LONGEST_LINE = 1 << 28

_UMASK = threading.Lock()
_MAGIC = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zst", b"\xfd7zXZ": "xz"}
_SUFFIXES = {".gz": "gz", ".bz2": "bz2", ".zst": "zst", ".xz": "xz"}
# Endings by which a reader knows the format.
_FORMATS = {".jsonl", ".csv", ".tsv", ".md", ".tex", ".htm", ".html", ".pdf", ".xlsx", ".parquet"}
_OPENERS: dict[str, Callable[..., Any]] = {
    "gz": gzip.open,
    "bz2": bz2.open,
    "xz": lzma.open,
    "zst": open_zstd,
}


@contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open for reading, decompressed; `-` is standard input, a URL goes through fsspec. Failures are `DataError`s."""
    name = os.fspath(path)
    try:
        raw: IO[bytes] = open_url(name) if is_url(name) else _open_local(name)
    except DataError:
        raise
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the name.
        reason = getattr(error, "strerror", None) or error
        remedy = "; name the files in it" if isinstance(error, IsADirectoryError) else ""
        raise DataError(f"cannot be opened: {reason}{remedy}", file=name) from error
    buffered = raw if hasattr(raw, "peek") else io.BufferedReader(cast(Any, raw))
    try:
        with _decompressed(buffered, _kind("", cast(Any, buffered).peek(6)[:6])) as stream:
            yield stream
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"compressed data is damaged: {error}", file=name) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=name) from error
    finally:
        if name != "-":
            raw.close()


def _open_local(name: str) -> IO[bytes]:
    if name != "-":
        return open(name, "rb")
    if sys.stdin is None or sys.stdin.closed:
        raise DataError("standard input is closed; pipe or redirect a file into it", file="-")
    return sys.stdin.buffer


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Yield each line with its number from 1, without its line end or a UTF-8 byte order mark."""
    with open_binary(path) as stream:
        lines = iter(lambda: stream.readline(LONGEST_LINE + 1), b"")
        for number, line in enumerate(lines, 1):
            if len(line) > LONGEST_LINE:
                raise too_long(os.fspath(path), number)
            if number == 1 and line.startswith(b"\xef\xbb\xbf"):
                line = line[3:]
            yield number, line.rstrip(b"\r\n")


def too_long(file: str, line: int) -> DataError:
    """Return the error for a line that is too long to be text."""
    return DataError(
        f"a line of more than {LONGEST_LINE >> 20} MiB; is this a file of lines?",
        file=file,
        line=line,
    )


def read_text_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """As `read_lines`, decoded as UTF-8."""
    for number, line in read_lines(path):
        yield number, decode(line, os.fspath(path), number)


def content_ending(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file's name in lower case, that of a compression aside."""
    return _uncompressed_name(path).suffix.lower()


def check_ending(path: str, what: str, endings: Sequence[str], remedy: str = "") -> None:
    """Refuse a name for a new file whose ending promises a format that is not written there."""
    ending = content_ending(path)
    if ending in _FORMATS and ending not in endings:
        *others, last = endings
        named = f"{', '.join(others)} or {last}" if others else last
        raise UsageError(f"{path}: {what} can be written as {named}, not as {ending}{remedy}")


def content_stem(path: str | os.PathLike[str]) -> str:
    """Return a file's name without its ending, also that of a compression."""
    return _uncompressed_name(path).stem


def _uncompressed_name(path: str | os.PathLike[str]) -> Path:
    name = Path(path)
    return name.with_suffix("") if name.suffix.lower() in _SUFFIXES else name


def content_name(path: str | os.PathLike[str]) -> str:
    """Return a file's name with eight hexadecimal digits of its digest, for signatures."""
    digest = hashlib.blake2b(digest_size=4)
    with open_binary(path) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return f"{Path(path).name}@{digest.hexdigest()}"


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the hexadecimal sha256 of a file's bytes, without decompressing them."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def blake2b_of(path: str | os.PathLike[str], digest_size: int) -> str:
    """Return a short digest of a file (blake2b), for names and signatures."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(
            stream, lambda: hashlib.blake2b(digest_size=digest_size)
        ).hexdigest()


def decode(line: bytes, file: str, number: int) -> str:
    """Return bytes as UTF-8 text without NUL; a `DataError` names the position of other bytes."""
    if b"\0" in line:
        raise DataError(
            f"a NUL byte at byte {line.index(0) + 1} of the line; if the file is UTF-16, convert it "
            "(for example: iconv -f utf-16 -t utf-8)",
            file=file,
            line=number,
        )
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"not UTF-8 at byte {error.start + 1} of the line; convert the file to UTF-8 "
            "(for example: iconv -f latin1 -t utf-8)",
            file=file,
            line=number,
        ) from error


@contextmanager
def atomic_output(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file that appears only when the block succeeds. Creates parent folders.

    Raises:
        OutputError: The file cannot be written, as on a full disk.
    """
    import tempfile

    target = writable(path)
    handle, temporary = tempfile.mkstemp(
        prefix=f".{target.name}.", suffix=".tmp", dir=target.parent
    )
    try:
        with os.fdopen(handle, "wb") as raw:
            # A later run removes unlocked files.
            lock(raw, target)
            with _compressed(raw, _kind(target.name, b"")) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
            _make_public(temporary, 0o666)
            os.replace(temporary, target)
        sync_folder(target.parent)
    except BaseException as error:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        # A failure to write names no file, one to read another file names that.
        if isinstance(error, OSError) and error.filename in (None, temporary):
            raise OutputError(target, error.strerror or error) from error
        raise


def sync_folder(folder: Path) -> None:
    """Make a renaming in a folder survive a power failure, where the system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Fill a new folder that appears only when the block succeeds. Creates parent folders."""
    import shutil
    import tempfile

    target = Path(path)
    if target.exists():
        raise OutputError(target, "already exists")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise OutputError(target, error.strerror) from error
    try:
        yield temporary
        _make_public(temporary, 0o777)
        os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _make_public(path: str | Path, mode: int) -> None:
    """Give a temporary file, which is private, the permissions of a plain open."""
    # The umask can only be read by setting it; two threads at once would leave it at 0.
    with _UMASK:
        umask = os.umask(0)
        os.umask(umask)
    os.chmod(path, mode & ~umask)


def writable(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file to write and create its folder; an `OutputError` if that fails.

    A package that its compression needs must be there. A directory, a device or a pipe is refused:
    files are put in place by renaming, which would replace it.
    """
    try:
        # Follow links: renaming would replace the link.
        target = Path(path).resolve() if Path(path).is_symlink() else Path(path)
        with suppress(FileNotFoundError):
            target.stat()
    except (OSError, RuntimeError, ValueError) as error:
        # A loop of links, a name that is too long, a NUL in it.
        raise OutputError(path, getattr(error, "strerror", None) or error) from error
    if target.exists() and not target.is_file():
        kind = "is a directory" if target.is_dir() else "is not a regular file"
        raise OutputError(target, kind)
    if _kind(target.name, b"") == "zst":
        # Fail now, not after all is computed.
        check_zstd()
    import tempfile

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=target.parent):
            return target
    except OSError as error:
        raise OutputError(target, error.strerror) from error


def compress_to(source: Path, target: Path) -> None:
    """Move the plain file `source` to `target`, compressed according to its name."""
    if not _kind(target.name, b""):
        os.replace(source, target)
        return
    with open(source, "rb") as plain, atomic_output(target) as stream:
        while block := plain.read(1 << 20):
            stream.write(block)
    source.unlink()


def _kind(name: str, head: bytes) -> str:
    """Return the compression by the first bytes, or by the name for a file to write."""
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    return "" if head else _SUFFIXES.get(Path(name).suffix.lower(), "")


@contextmanager
def _decompressed(raw: Any, kind: str) -> Iterator[BinaryIO]:
    if not kind:
        yield raw
    else:
        with _OPENERS[kind](raw, "rb") as stream:
            yield cast(BinaryIO, stream)


@contextmanager
def _compressed(raw: Any, kind: str) -> Iterator[BinaryIO]:
    if not kind:
        yield raw
    elif kind == "gz":
        # No time and no name in the header: equal content gives equal files.
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
            yield cast(BinaryIO, stream)
    else:
        with _OPENERS[kind](raw, "wb") as stream:
            yield cast(BinaryIO, stream)
