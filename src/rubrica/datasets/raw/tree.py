"""Raw data as a tree of files, in folders and archives and archives inside archives."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from rubrica.data.files import open_binary, sha256_of
from rubrica.datasets.raw.archives import Archive, archive_stem, check_ratio, is_archive
from rubrica.datasets.raw.file import Problems, RawFile, RawTable, decompressed
from rubrica.errors import DataError, MissingResourceError

_BLOCK = 1 << 20
# Files that are named where another was looked for.
SHOWN = 3
T = TypeVar("T")
R = TypeVar("R")


class Raw:
    """A tree of raw files. Patterns match the ends of paths: `models/*.txt` matches at any depth.

    `*` matches anything but a slash, `**` anything. Lists are sorted by path, so that results do not
    depend on the order in an archive or a folder; with `as_met`, an archive's files keep their order.
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
        self.as_met = self._packed = False
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
            # A split of HuggingFace's has a name without an ending.
            path = name if "." in name else f"{name}.jsonl"
            self._files[path] = RawTable(path, table, self, place=name)

    def one(self, *patterns: str) -> RawFile:
        """Return the only file that matches the first pattern with a match."""
        for pattern in patterns:
            files = self.some(pattern)
            if len(files) > 1:
                places = ", ".join(file.place for file in files[:3])
                raise DataError(
                    f"{len(files)} files match {pattern!r}: {places}; pass a smaller --from"
                )
            if files:
                return files[0]
        raise self.missing(" or ".join(patterns))

    def maybe(self, *patterns: str) -> RawFile | None:
        """Return the same as `one`, or None if no file matches."""
        return self.one(*patterns) if self.some(*patterns) else None

    def some(self, *patterns: str) -> list[RawFile]:
        """Return all files that match any of the patterns, by path; may be empty."""
        fits = [_pattern(pattern) for pattern in patterns]
        files = _matching(self._files, fits)
        if not (self.as_met and self._packed):
            files.sort(key=_path)
        # Archives are searched, like folders, only for files that are not outside them.
        if not files and self._closed:
            for file in sorted(self._closed, key=_path):
                for path, inner in file.archive()._files.items():
                    self._inner.setdefault(f"{file.path}/{path}", inner)
            self._closed = []
        if not files:
            files = _matching(self._inner, fits)
            if not self.as_met:
                files.sort(key=_path)
        return files

    def all(self, *patterns: str) -> list[RawFile]:
        """Return the same as `some`; no match is an error."""
        files = self.some(*patterns)
        if not files:
            raise self.missing(" or ".join(patterns))
        return files

    def part(self, *names: str) -> Raw:
        """Return the tree inside an archive of that name, or of the folder it was unpacked to."""
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
        """Yield `make(item)` for each item; malformed items are errors, or left out if you skip them."""
        return self.problems.each(items, make)

    def for_each(self, items: Iterable[T], read: Callable[[T], object]) -> None:
        """Call `read` with each item, as `each` does, for its effect."""
        for _ in self.each(items, read):
            pass

    def missing(self, what: str) -> MissingResourceError:
        """Return the error for a missing file, with the files present and what the data set needs."""
        needs = "".join(f"\n  {need}" for need in self.needs)
        where = f"in {self._archive.place}" if self._archive is not None else "below --from"
        message = f"data set {self.dataset!r}: no file {what} {where}, which has {self._shown()}"
        return MissingResourceError(f"{message}; it needs:{needs}" if needs else message)

    def _shown(self) -> str:
        names = sorted(self._files)
        if len(names) > SHOWN:
            return f"{', '.join(names[:SHOWN])} and {len(names) - SHOWN:,} more files"
        return ", ".join(names) or "no files"

    def close(self) -> None:
        """Close this tree's archive, and all archives opened in it."""
        for archive in [self._archive] if self._archive is not None else list(self._opened):
            archive.close()
            self._opened.discard(archive)

    def sources(self) -> list[dict[str, Any]]:
        """Return name, size and sha256 of every file outside archives that was read so far."""
        rows = []
        for name, path in sorted(self.used.items()):
            rows.append({"name": name, "size": path.stat().st_size, "sha256": sha256_of(path)})
        return rows

    def _add(self, path: Path) -> None:
        if path.is_dir():
            for folder, _, names in os.walk(path):
                for name in names:
                    file = Path(folder, name)
                    self._put_from(path, file.relative_to(path).as_posix(), file)
        elif path.is_file():
            self._put_from(path.parent, path.name, path)
        else:
            raise MissingResourceError(f"{path}: no such file or folder")

    def _put_from(self, source: Path, relative: str, path: Path) -> None:
        """Add a file; if another source has its path, put it below its own source's name."""
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
        """Add a file on disk under an unused path of the tree."""

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

    def inside(self, archive: Archive) -> Raw:
        """Return the tree of an archive's files, which is closed with this one."""
        tree = self._with({})
        tree._archive, tree._packed = archive, True
        self._opened.add(archive)
        self.problems.links[archive.place] = archive.passed_over
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
        tree.as_met, tree._packed = self.as_met, self._packed
        tree._opened = self._opened
        return tree


def _path(file: RawFile) -> str:
    return file.path


def _is_litter(path: str) -> bool:
    """Whether a file is one of macOS's metadata files, whose names patterns may match."""
    *folders, name = path.split("/")
    return "__MACOSX" in folders or name.startswith("._") or name == ".DS_Store"


def _matching(files: dict[str, RawFile], fits: Sequence[re.Pattern[str]]) -> list[RawFile]:
    return [file for path, file in files.items() if any(fit.fullmatch(path) for fit in fits)]


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*|\*|\?)", pattern)
    wild = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(wild.get(piece) or re.escape(piece) for piece in pieces)
    return re.compile(f"(?:.*/)?{body}", re.DOTALL)
