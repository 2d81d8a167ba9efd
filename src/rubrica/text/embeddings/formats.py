"""Reading files of word vectors: word2vec (text and binary), GloVe, fastText's .vec, deps.words.

All but word2vec's binary format are lines `word value value ...`; some begin with a line
`words dimensions`. Files may be compressed (gzip, bzip2, zstd).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.data.files import open_binary, read_lines
from rubrica.errors import DataError

Vectors: TypeAlias = NDArray[np.float32]
Block: TypeAlias = tuple[list[bytes], Vectors]

MAX_DIMENSIONS = 1 << 16
_LONGEST_WORD = 1 << 12
_LONGEST_FIRST_LINE = 1 << 22
_BLOCK_ROWS = 1024
_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
# First bytes of files that are not word vectors, and what to do with them.
_OTHERS = {
    b"PK\x03\x04": "a zip archive; unpack it and give the file inside",
    b"\x80": "a Python pickle, which is not read; save the vectors in word2vec's format",
    b"\x93NUMPY": "a NumPy array without words; save the vectors in word2vec's format",
    _FASTTEXT_MAGIC: "a fastText model; give its .vec file, which holds the vectors of words",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """What the beginning of a file says: its format, the dimensions, and how many words it claims."""

    format: str
    dimensions: int
    words: int | None


def recognise(path: str | os.PathLike[str]) -> Layout:
    """Return the layout of a file of word vectors; raise `DataError` if it is not one."""
    name = os.fspath(path)
    with open_binary(path) as stream:
        first = stream.readline(_LONGEST_FIRST_LINE).removeprefix(b"\xef\xbb\xbf")
        for magic, description in _OTHERS.items():
            if first.startswith(magic):
                raise DataError(f"is {description}", file=name)
        if not first.strip():
            raise DataError("is empty; word vectors were expected", file=name)
        header = _header(first)
        if header is None:
            return Layout("text", _dimensions(len(first.split()) - 1, name), None)
        words, dimensions = header
        _dimensions(dimensions, name)
        start = stream.read(_LONGEST_WORD + 32 * dimensions)
    if words < 1:
        raise DataError(f"the first line announces {words} words", file=name, line=1)
    text = _are_numbers(start.partition(b"\n")[0], dimensions)
    return Layout("word2vec-text" if text else "word2vec-binary", dimensions, words)


def read_blocks(path: str | os.PathLike[str], layout: Layout) -> Iterator[Block]:
    """Yield all words (UTF-8 bytes as in the file) with their vectors, thousands at a time."""
    if layout.format == "word2vec-binary":
        blocks = _read_binary(path, layout)
    else:
        blocks = _read_text(path, layout)
    count = 0
    for block in blocks:
        count += len(block[0])
        yield block
    if layout.words is not None and count != layout.words:
        raise DataError(
            f"the first line announces {layout.words:,} words, but there are {count:,}; "
            "is the file cut off?",
            file=os.fspath(path),
        )


def _header(line: bytes) -> tuple[int, int] | None:
    """Return the words and dimensions of a first line that holds exactly these two numbers."""
    parts = line.split()
    if len(parts) != 2 or not all(part.isdigit() and len(part) < 19 for part in parts):
        return None
    return int(parts[0]), int(parts[1])


def _dimensions(number: int, name: str) -> int:
    if not 1 <= number <= MAX_DIMENSIONS:
        raise DataError(
            f"the first line gives vectors of {number} dimensions (1 to {MAX_DIMENSIONS} are "
            "possible); expected lines 'word value value ...', or word2vec's binary format",
            file=name,
            line=1,
        )
    return number


def _are_numbers(line: bytes, dimensions: int) -> bool:
    parts = line.rstrip().rsplit(maxsplit=dimensions)
    try:
        return len(parts) == dimensions + 1 and all(map(_is_finite, parts[1:]))
    except ValueError:
        return False


def _is_finite(part: bytes) -> bool:
    return bool(np.isfinite(float(part)))


def _read_text(path: str | os.PathLike[str], layout: Layout) -> Iterator[Block]:
    lines: list[tuple[int, bytes]] = []
    for number, line in read_lines(path):
        if (number == 1 and layout.words is not None) or not line.strip():
            continue
        lines.append((number, line))
        if len(lines) == _BLOCK_ROWS:
            yield _parse(lines, layout.dimensions, os.fspath(path))
            lines = []
    if lines:
        yield _parse(lines, layout.dimensions, os.fspath(path))


def _parse(lines: list[tuple[int, bytes]], dimensions: int, name: str) -> Block:
    words, values = [], []
    for number, line in lines:
        # Split from the right: the Common Crawl GloVe vectors have words with blanks.
        parts = line.rstrip().rsplit(maxsplit=dimensions)
        if len(parts) != dimensions + 1:
            raise DataError(
                f"{len(parts) - 1} values where other lines have {dimensions}; is the file cut off?",
                file=name,
                line=number,
            )
        words.append(parts[0])
        values += parts[1:]
    vectors = _floats(values)
    if vectors is None:
        raise _first_bad_line(lines, dimensions, name)
    return words, vectors.reshape(-1, dimensions)


def _floats(values: list[bytes]) -> Vectors | None:
    """Return the values as an array, or None if one of them is not a finite number."""
    try:
        numbers = np.fromiter(map(float, values), dtype=np.float64, count=len(values))
    except ValueError:
        return None
    with np.errstate(over="ignore"):
        # Values beyond the range of float32 count as infinite.
        small = numbers.astype(np.float32)
    return small if np.isfinite(small).all() else None


def _first_bad_line(lines: list[tuple[int, bytes]], dimensions: int, name: str) -> DataError:
    for number, line in lines:
        for value in line.rstrip().rsplit(maxsplit=dimensions)[1:]:
            if _floats([value]) is None:
                shown = value[:40].decode("utf-8", "replace")
                return DataError(f"{shown!r} is not a finite number", file=name, line=number)
    return DataError("a value that is not a finite number", file=name)


def _read_binary(path: str | os.PathLike[str], layout: Layout) -> Iterator[Block]:
    name, row_bytes = os.fspath(path), 4 * layout.dimensions
    assert layout.words is not None
    with open_binary(path) as stream:
        stream.readline()
        words: list[bytes] = []
        rows = bytearray()
        for number in range(1, layout.words + 1):
            word = _binary_word(stream, name, number, layout.words)
            row = stream.read(row_bytes)
            if len(row) < row_bytes:
                raise _cut_off(name, number, layout.words)
            words.append(word)
            rows += row
            if len(words) == _BLOCK_ROWS or number == layout.words:
                yield words, _binary_vectors(rows, layout.dimensions, name, number)
                words, rows = [], bytearray()
        if stream.read(2).strip():
            raise DataError(
                f"goes on after the {layout.words:,} words that the first line announces; "
                "is it word2vec's binary format?",
                file=name,
            )


def _binary_word(stream: BinaryIO, name: str, number: int, words: int) -> bytes:
    """Return the bytes up to a blank; some writers end each vector with a line end, which comes first."""
    word = bytearray()
    while (byte := stream.read(1)) != b" ":
        if not byte:
            raise _cut_off(name, number, words)
        if byte != b"\n" or word:
            word += byte
        if len(word) > _LONGEST_WORD:
            raise DataError(
                f"word {number:,} has more than {_LONGEST_WORD} bytes; is it word2vec's binary format?",
                file=name,
            )
    if not word:
        raise DataError(f"word {number:,} is empty; is it word2vec's binary format?", file=name)
    return bytes(word)


def _binary_vectors(rows: bytearray, dimensions: int, name: str, last: int) -> Vectors:
    vectors = np.frombuffer(bytes(rows), dtype="<f4").reshape(-1, dimensions)
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        number = last - len(vectors) + 1 + int(bad[0])
        raise DataError(
            f"word {number:,} has a value that is not a finite number; "
            "is it word2vec's binary format with 32-bit floats?",
            file=name,
        )
    return vectors


def _cut_off(name: str, number: int, words: int) -> DataError:
    return DataError(
        f"is cut off within word {number:,} of the {words:,} that the first line announces",
        file=name,
    )
