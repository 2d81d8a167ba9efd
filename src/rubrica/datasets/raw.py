"""Raw data as a tree of files, in folders and archives and archives inside archives."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from xml.etree.ElementTree import Element

from rubrica.data.files import open_binary, read_lines, sha256_of
from rubrica.data.xml import parse_xml
from rubrica.datasets.archives import (
    Archive,
    archive_stem,
    check_ratio,
    is_archive,
    plain_stream,
)
from rubrica.datasets.record import Record, records_of, table_rows
from rubrica.datasets.sgml import Node, parse_sgml
from rubrica.errors import DataError, MissingResourceError

_BLOCK = 1 << 20
T = TypeVar("T")
R = TypeVar("R")


class Problems:
    """What was wrong with records: raised at once, or, where skipping was asked for, kept and told."""

    def __init__(self, *, skip: bool = False) -> None:
        self.skip = skip
        self.told: list[str] = []

    def each(self, items: Iterable[T], make: Callable[[T], R]) -> Iterator[R]:
        """`make` of each item; an item that is malformed is an error, or left out and kept in `told`."""
        for item in items:
            try:
                made = make(item)
            except DataError as error:
                self.note(error)
            else:
                yield made

    def note(self, error: DataError) -> None:
        """Raise the error, or keep it."""
        if not self.skip:
            raise error
        self.told.append(str(error))


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
        """The records of JSON lines, a JSON list, CSV, TSV or Parquet, by the name's ending."""
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
            return self._raw._inside(Archive(io.BytesIO(self.bytes()), self.place))
        self._raw.used[self.path] = self._disk
        return self._raw._inside(Archive(open(self._disk, "rb"), self.place))

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


class Raw:
    """A tree of raw files. Patterns are ends of paths: `models/*.txt` is found at any depth.

    `*` stands for anything but a slash, `**` for anything. Lists are sorted by path, so that what is
    made of them does not depend on the order in an archive or a folder.
    """

    def __init__(
        self,
        dataset: str,
        sources: Sequence[str | os.PathLike[str]] = (),
        *,
        tables: Mapping[str, Any] | None = None,
        skip_malformed: bool = False,
        needs: Sequence[str] = (),
    ) -> None:
        """Take folders, archives and plain files; `tables` are objects in memory, by a file name.

        An object is anything that iterates over mappings, or a pandas or polars frame.
        """
        self.dataset, self.needs = dataset, tuple(needs)
        self.problems = Problems(skip=skip_malformed)
        self.used: dict[str, Path] = {}
        self._files: dict[str, RawFile] = {}
        self._inner: dict[str, RawFile] = {}
        self._archive: Archive | None = None
        self._opened: set[Archive] = set()
        self._closed: list[RawFile] = []
        self._seen: set[str] = set()
        for source in sources:
            self._add(Path(source))
        for name, table in (tables or {}).items():
            self._files[name] = RawTable(name, table, self)

    def one(self, *patterns: str) -> RawFile:
        """The only file that fits the first pattern that any file fits."""
        for pattern in patterns:
            found = self.some(pattern)
            if len(found) > 1:
                places = ", ".join(file.place for file in found[:3])
                raise DataError(
                    f"{len(found)} files fit {pattern!r}: {places}; give a smaller --from"
                )
            if found:
                return found[0]
        raise self.missing(" or ".join(patterns))

    def maybe(self, *patterns: str) -> RawFile | None:
        """As `one`, or None when no file fits."""
        return self.one(*patterns) if self.some(*patterns) else None

    def some(self, *patterns: str) -> list[RawFile]:
        """All files that fit any of the patterns, by path; may be empty."""
        fits = [_pattern(pattern) for pattern in patterns]
        found = _matching(self._files, fits)
        # Only what is not found outside is looked for inside of archives, as if they were folders.
        if not found and self._closed:
            for file in self._closed:
                for path, inner in file.archive()._files.items():
                    self._inner.setdefault(f"{file.path}/{path}", inner)
            self._closed = []
        return found or _matching(self._inner, fits)

    def all(self, *patterns: str) -> list[RawFile]:
        """As `some`, but none at all is an error."""
        found = self.some(*patterns)
        if not found:
            raise self.missing(" or ".join(patterns))
        return found

    def part(self, *names: str) -> Raw:
        """The tree inside an archive of that name; a folder with its name will do: it was unpacked.

        Where the tree itself is that archive's content, it is its own part.
        """
        for name in names:
            file = self.maybe(name)
            if file is not None:
                return file.archive()
            stem = archive_stem(name)
            inside = {
                p: f
                for p, f in [*self._files.items(), *self._inner.items()]
                if f"/{stem}/" in f"/{p}"
            }
            if inside:
                return self._with(inside)
        raise self.missing(" or ".join(names))

    def each(self, items: Iterable[T], make: Callable[[T], R]) -> Iterator[R]:
        """`make` of each item; malformed ones are errors, or left out where skipping was asked for."""
        return self.problems.each(items, make)

    def missing(self, what: str) -> MissingResourceError:
        """The error for a file that is not there, with what the data set needs."""
        needs = "".join(f"\n  {need}" for need in self.needs)
        told = f"data set {self.dataset!r}: no file {what} below --from"
        return MissingResourceError(f"{told}; it needs:{needs}" if needs else told)

    def close(self) -> None:
        """Close the archive whose files these are; of a whole tree, all that were opened in it."""
        for archive in [self._archive] if self._archive is not None else list(self._opened):
            archive.close()
            self._opened.discard(archive)

    def sources(self) -> list[dict[str, Any]]:
        """Name, size and sha256 of every file outside of archives that was read so far."""
        rows = []
        for name, path in sorted(self.used.items()):
            rows.append({"name": name, "size": path.stat().st_size, "sha256": sha256_of(path)})
        return rows

    def _add(self, path: Path) -> None:
        if path.is_dir():
            for folder, _, names in os.walk(path):
                for name in names:
                    one = Path(folder, name)
                    self._put_from(path, one.relative_to(path).as_posix(), one)
        elif path.is_file():
            self._put_from(path.parent, path.name, path)
        else:
            raise MissingResourceError(f"{path}: no such file or folder")

    def _put_from(self, source: Path, relative: str, path: Path) -> None:
        """Two sources may have files of one name: the later one stands below its source's name."""
        real = os.path.realpath(path)
        if real in self._seen or _is_litter(relative):
            return
        self._seen.add(real)
        place, number = relative, 1
        while place in self._files:
            above = source.resolve().name + (f"-{number}" if number > 1 else "")
            place, number = f"{above}/{relative}", number + 1
        self.put(place, path)

    def put(self, relative: str, path: Path) -> None:
        """Add a file of the disk under a path of the tree that is free."""

        def read() -> bytes:
            self.used[relative] = path
            size, pieces, written = path.stat().st_size, [], 0
            with open_binary(path) as stream:
                while block := stream.read(_BLOCK):
                    written += len(block)
                    check_ratio(written, size, str(path))
                    pieces.append(block)
            return b"".join(pieces)

        self._files[relative] = RawFile(relative, str(path), read, self, path)
        if is_archive(relative):
            self._closed.append(self._files[relative])

    def _inside(self, archive: Archive) -> Raw:
        tree = self._with({})
        tree._archive = archive
        self._opened.add(archive)
        for name in archive.names():
            if _is_litter(name):
                continue
            place = f"{archive.place}!{name}"

            def read(name: str = name, place: str = place) -> bytes:
                return decompressed(archive.read(name), place)

            tree._files[name] = RawFile(name, place, read, tree)
        return tree

    def _with(self, files: dict[str, RawFile]) -> Raw:
        tree = Raw(self.dataset, needs=self.needs)
        tree.problems, tree.used, tree._files = self.problems, self.used, files
        tree._opened = self._opened
        return tree


class RawTable(RawFile):
    """A table that is in memory already: a frame, a HuggingFace data set, a list of mappings."""

    def __init__(self, name: str, table: Any, raw: Raw) -> None:
        def read() -> bytes:
            raise DataError("is a table in memory; this data set reads a file here", file=name)

        super().__init__(name, name, read, raw)
        self._table = table

    def records(self) -> Iterator[Record]:
        """Its rows."""
        for number, values in enumerate(table_rows(self._table), 1):
            yield Record(values, self.place, number, self._raw.dataset)


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


def _is_litter(path: str) -> bool:
    """Whether macOS put a file beside the real ones, under names that patterns may fit."""
    *folders, name = path.split("/")
    return "__MACOSX" in folders or name.startswith("._") or name == ".DS_Store"


def _matching(files: dict[str, RawFile], fits: Sequence[re.Pattern[str]]) -> list[RawFile]:
    """By path, whatever the order in folders and archives."""
    return [files[path] for path in sorted(files) if any(fit.fullmatch(path) for fit in fits)]


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*|\*|\?)", pattern)
    wild = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(wild.get(piece) or re.escape(piece) for piece in pieces)
    return re.compile(f"(?:.*/)?{body}", re.DOTALL)
