"""One raw file: its content as bytes, text, lines, records, SGML, XML or as an archive, with its place."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from xml.etree.ElementTree import Element

from rubrica.data.files import read_lines
from rubrica.data.xml import parse_xml
from rubrica.datasets.raw.archives import Archive, is_archive, plain_stream
from rubrica.datasets.raw.record import Record, number_in, records_of, table_rows
from rubrica.datasets.raw.sgml import Node, parse_sgml
from rubrica.errors import DataError

if TYPE_CHECKING:
    from rubrica.datasets.raw.tree import Raw

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
        """`disk` is where the file is, if it is outside of archives: large ones are read in pieces."""
        self.path, self.place, self._read, self._raw, self._disk = path, place, read, raw, disk

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The part of the path before the name: the name of its folder."""
        return self.path.split("/")[-2] if "/" in self.path else ""

    def bytes(self) -> bytes:
        """As it is; a compressed file (gz, bz2) decompressed."""
        return self._read()

    def text(self) -> str:
        """Decoded: UTF-8, or, where it is not that, Windows-1252, in which old corpora were written."""
        return decoded(self.bytes())

    def text_lines(self) -> Iterator[str]:
        """The lines as they stand, without their ends; a file on the disk is read line by line."""
        if self._disk is not None:
            self._raw.used[self.path] = self._disk
            for _, line in read_lines(self._disk):
                yield decoded(line)
        else:
            lines = self.text().split("\n")
            # What follows the last line end is a line only if there is anything.
            yield from (line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1]))

    def lines(self) -> list[str]:
        """The lines without blanks around them, empty ones left out."""
        return [line.strip() for line in self.text().splitlines() if line.strip()]

    def records(self) -> Iterator[Record]:
        """The records of JSON lines, a JSON list, CSV, TSV, Parquet or a workbook, by the name's ending."""
        return records_of(self, self._raw.dataset, self._raw.problems.note)

    def sgml(self) -> Node:
        """Parsed as SGML or HTML; what does not follow their rules is read as well as can be."""
        return parse_sgml(self.text(), self.place)

    def xml(self) -> Element:
        """The root element of an XML file."""
        return parse_xml(self.text(), self.place)

    def archive(self) -> Raw:
        """The files of this file, an archive."""
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
        """An error in this file, to be raised."""
        return DataError(message, file=self.place, line=line)

    def note(self, message: str, line: int | None = None) -> None:
        """A malformed record in this file: raised, or kept where skipping was asked for."""
        self._raw.problems.note(self.error(message, line))

    @contextmanager
    def noting(self, line: int | None = None) -> Iterator[None]:
        """Around what reads one record: its errors get this place if they have none, and are noted."""
        try:
            yield
        except DataError as error:
            self._raw.problems.note(error if error.file else self.error(str(error), line))


class RawTable(RawFile):
    """A table that is in memory already: a frame, a HuggingFace data set, a list of mappings."""

    def __init__(self, path: str, table: Any, raw: Raw, *, place: str) -> None:
        def read() -> bytes:
            raise DataError("is a table in memory; this data set reads a file here", file=place)

        super().__init__(path, place, read, raw)
        self._table = table

    def records(self) -> Iterator[Record]:
        """Its rows."""
        try:
            for number, values in enumerate(table_rows(self._table), 1):
                yield Record(values, self.place, number, self._raw.dataset)
        except DataError as error:
            raise self.error(str(error)) from error


def decoded(data: bytes) -> str:
    """Text of unknown encoding: by its mark, else UTF-8, else Windows-1252, else Latin-1."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def decompressed(data: bytes, place: str) -> bytes:
    """A member of an archive that is itself gzip, but no archive, decompressed."""
    if is_archive(place) or data[:2] != b"\x1f\x8b":
        return data
    with plain_stream(io.BytesIO(data), place) as stream:
        return stream.read()
