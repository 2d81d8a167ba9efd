"""Files of word vectors for tests, in the formats that are read."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

Table = Mapping[str, Sequence[float]]


def write_glove(path: Path, table: Table) -> Path:
    """Lines of a word and its values, without a first line of counts; so is deps.words."""
    lines = [f"{word} {' '.join(map(repr, row))}\n" for word, row in table.items()]
    path.write_text("".join(lines), "utf-8")
    return path


def write_vec(path: Path, table: Table, blank: str = " ") -> Path:
    """word2vec's text format; fastText puts a blank at the end of each line."""
    width = len(next(iter(table.values())))
    lines = [f"{word} {' '.join(map(repr, row))}{blank}\n" for word, row in table.items()]
    path.write_text(f"{len(table)} {width}\n" + "".join(lines), "utf-8")
    return path


def write_word2vec(path: Path, table: Table, end: bytes = b"\n") -> Path:
    """word2vec's binary format; Google's news vectors have no line ends, the program writes them."""
    width = len(next(iter(table.values())))
    rows = [
        word.encode() + b" " + struct.pack(f"<{width}f", *row) + end for word, row in table.items()
    ]
    path.write_bytes(f"{len(table)} {width}\n".encode() + b"".join(rows))
    return path
