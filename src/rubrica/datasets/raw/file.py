"""One raw file: its content as bytes, text, lines, records, SGML, XML or as an archive, with its place."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from xml.etree.ElementTree import Element

from rubrica.data.files import read_lines
from rubrica.data.formats.xml import parse_xml
from rubrica.datasets.raw.archives import Archive, is_archive, plain_stream
from rubrica.datasets.raw.record import Record, number_in, records_of, table_rows
from rubrica.datasets.raw.sgml import Node, parse_sgml
from rubrica.errors import DataError
from rubrica.neural.progress import report, steps

if TYPE_CHECKING:
    from rubrica.datasets.raw.tree import Raw

# Bytes of files whose reading is worth a progress bar of its own.
LARGE_FILE = 1 << 22
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")

T = TypeVar("T")
R = TypeVar("R")


class Problems:
    """Errors in records: raised at once, or collected in `messages` if `skip` is set."""

    def __init__(self, *, skip: bool = False) -> None:
        self.skip = skip
        self.messages: list[str] = []
        # Links and devices that were not read, by the archive's place; an archive may be opened twice.
        self.links: dict[str, int] = {}

    def each(self, items: Iterable[T], make: Callable[[T], R]) -> Iterator[R]:
        """Yield `make(item)` for each item; skip malformed items if `skip` is set."""
        if isinstance(items, Sequence) and len(items) > 1:
            is_files = isinstance(items[0], RawFile)
            items = steps("files read" if is_files else "records read", items)
        for item in items:
            try:
                result = make(item)
            except DataError as error:
                self.note(error if error.file else _placed(error, item))
            else:
                yield result

    def note(self, error: DataError) -> None:
        """Raise the error, or collect its message if `skip` is set."""
        if not self.skip:
            raise error
        self.messages.append(str(error))


def _placed(error: DataError, item: Any) -> DataError:
    """Return the error with the place of `item`: a record, a file, or a tuple that holds one."""
    for part in item if isinstance(item, tuple) else (item,):
        if isinstance(part, Record):
            return DataError(str(error), file=part.file, line=part.line)
        if isinstance(part, RawFile):
            return part.error(str(error))
    return error


def _lines_of(path: Path, name: str) -> Iterator[bytes]:
    """Yield the lines of a file on disk; reading a large one is reported in bytes."""
    size, done, what = path.stat().st_size, 0, f"bytes of {name}"
    # The bytes of a compressed file are not those of its lines.
    is_reported = size >= LARGE_FILE and path.suffix not in _COMPRESSED
    for number, line in read_lines(path):
        if is_reported and number % 100 == 1:
            report(what, done, size)
        done += len(line) + 1
        yield line
    if is_reported:
        report(what, size, size)


class RawFile:
    """One file: its path in the tree, its place for messages, and its content in many forms."""

    def __init__(
        self,
        path: str,
        place: str,
        read: Callable[[], bytes],
        raw: Raw,
        disk: Path | None = None,
    ) -> None:
        """`disk` is the path of a file outside archives; such files can be read in pieces."""
        self.path, self.place, self._read, self._raw, self._disk = path, place, read, raw, disk

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """Return the name of the file's folder."""
        return self.path.split("/")[-2] if "/" in self.path else ""

    def bytes(self) -> bytes:
        """Return the content, decompressed if it is gz or bz2."""
        return self._read()

    def text(self) -> str:
        """Return the text, decoded as UTF-8 or, for old corpora, Windows-1252."""
        return decoded(self.bytes())

    def text_lines(self) -> Iterator[str]:
        """Yield the lines without line ends; a file on disk is read line by line."""
        if self._disk is not None:
            self._raw.used[self.path] = self._disk
            for line in _lines_of(self._disk, self.name):
                yield decoded(line)
        else:
            lines = self.text().split("\n")
            # What follows the last line end is a line only if there is anything.
            yield from (line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1]))

    def lines(self) -> list[str]:
        """Return the stripped lines, without empty ones."""
        return [line.strip() for line in self.text().splitlines() if line.strip()]

    def records(self) -> Iterator[Record]:
        """Yield the records of JSON lines, a JSON list, CSV, TSV, Parquet or a workbook, by file name."""
        return records_of(self, self._raw.dataset, self._raw.problems.note)

    def sgml(self) -> Node:
        """Parse the file as SGML or HTML, tolerating errors."""
        return parse_sgml(self.text(), self.place)

    def xml(self) -> Element:
        """Return the root element of an XML file."""
        return parse_xml(self.text(), self.place)

    def archive(self) -> Raw:
        """Return the files in this archive."""
        if self._disk is None:
            return self._raw.inside(Archive(io.BytesIO(self.bytes()), self.place))
        self._raw.used[self.path] = self._disk
        return self._raw.inside(Archive(open(self._disk, "rb"), self.place))

    def number(self, line: int, word: str) -> float | int:
        """Return the number that `word` in `line` spells; infinite and undefined ones are errors."""
        number = number_in(word)
        if number is None:
            raise self.error(f"{word!r} is not a number", line)
        return number

    def error(self, message: str, line: int | None = None) -> DataError:
        """Return an error in this file."""
        return DataError(message, file=self.place, line=line)

    def note(self, message: str, line: int | None = None) -> None:
        """Raise an error for a malformed record, or collect it if malformed records are skipped."""
        self._raw.problems.note(self.error(message, line))

    @contextmanager
    def noting(self, line: int | None = None) -> Iterator[None]:
        """Note the errors of the block, with this file and line if they have no place."""
        try:
            yield
        except DataError as error:
            self._raw.problems.note(error if error.file else self.error(str(error), line))


class RawTable(RawFile):
    """A table in memory: a frame, a HuggingFace data set, a list of mappings."""

    def __init__(self, path: str, table: Any, raw: Raw, *, place: str) -> None:
        def read() -> bytes:
            raise DataError("is a table in memory; this data set reads a file here", file=place)

        super().__init__(path, place, read, raw)
        self._table = table

    def records(self) -> Iterator[Record]:
        """Yield the rows of the table."""
        try:
            for number, values in enumerate(table_rows(self._table), 1):
                yield Record(values, self.place, number, self._raw.dataset)
        except DataError as error:
            raise self.error(str(error)) from error


def decoded(data: bytes) -> str:
    """Decode text by its byte order mark, else as UTF-8, else Windows-1252, else Latin-1."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def decompressed(data: bytes, place: str) -> bytes:
    """Return a member of an archive, decompressed if it is a gzip file but not an archive."""
    if is_archive(place) or data[:2] != b"\x1f\x8b":
        return data
    with plain_stream(io.BytesIO(data), place) as stream:
        return stream.read()
