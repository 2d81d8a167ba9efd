"""Columns of texts in plain Python, and operations on whole columns: reading, digests, encoding."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, SupportsIndex

import msgspec
import numpy as np
from numpy.typing import NDArray

_ENCODE = msgspec.json.Encoder().encode
_PACK = msgspec.msgpack.Encoder().encode
_Id = Annotated[str, msgspec.Meta(min_length=1)]


class TextColumn:
    """Texts of some rows."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [*texts]
        for text in self._texts:
            # As the native class: lone surrogates are an error.
            text.encode()

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, row: SupportsIndex) -> str:
        return self._texts[row]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def non_ascii(self) -> list[str]:
        """Return the texts that are not ASCII."""
        return [text for text in self._texts if not text.isascii()]

    def unique(self) -> tuple[TextColumn, NDArray[np.int64]]:
        """Return the distinct texts in order of appearance, and the place of each text among them."""
        places = {text: place for place, text in enumerate(dict.fromkeys(self._texts))}
        return TextColumn(places), np.array([places[text] for text in self._texts], dtype=np.int64)


class TextLists:
    """A list of texts per row."""

    def __init__(self, rows: Iterable[Sequence[str]]) -> None:
        self._rows = [[*row] for row in rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: SupportsIndex) -> list[str]:
        return self._rows[row]

    def __iter__(self) -> Iterator[list[str]]:
        return iter(self._rows)

    @property
    def ends(self) -> NDArray[np.int64]:
        """Where the texts of each row end among all texts."""
        return np.cumsum([len(row) for row in self._rows], dtype=np.int64)

    @property
    def texts(self) -> TextColumn:
        """All texts of all rows."""
        return TextColumn(text for row in self._rows for text in row)


def parse_json_rows(
    block: bytes, list_names: list[str], refused: list[str]
) -> tuple[TextColumn, TextColumn, TextColumn, TextColumn, list[TextLists]] | None:
    """Return ids, types, summaries and lists of texts from JSON lines; None if a line is unusual."""
    columns: list[tuple[str, Any]] = [
        ("instance_id", _Id),
        ("summarizer_id", _Id),
        ("summarizer_type", Literal["peer", "reference"]),
        ("summary", str),
        *((name, list[str]) for name in list_names),
    ]
    row_type = msgspec.defstruct("Row", columns)
    names = [name for name, _ in columns]
    rows: list[Any] = []
    try:
        for line in block.decode().removesuffix("\n").split("\n") if block else []:
            row = json.loads(line, object_pairs_hook=_unique)
            if not isinstance(row, dict) or not row.keys().isdisjoint(refused):
                return None
            rows.append(msgspec.json.decode(line, type=row_type))
        instances, systems, types, summaries, *lists = (
            [getattr(row, name) for row in rows] for name in names
        )
        texts = TextColumn(instances), TextColumn(systems), TextColumn(types), TextColumn(summaries)
        return *texts, [TextLists(column) for column in lists]
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return None


def has_unique_keys(block: bytes) -> bool:
    """Return whether the objects in JSON lines have each key once; False also if in doubt."""
    try:
        for line in block.split(b"\n"):
            if line.strip():
                json.loads(line.decode(), object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return False
    return True


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of keys and values; a key that appears twice is a `ValueError`."""
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("a key appears twice")
    return row


def split_lines(data: bytes) -> TextColumn | None:
    """Return the lines of a UTF-8 text, blank ones empty; None if it needs a closer look."""
    lines = data.split(b"\n")
    if b"\0" in data or b"\r" in data:
        return None
    try:
        texts = [line.decode() for line in lines]
    except UnicodeDecodeError:
        return None
    blank = [text.isascii() and text.isspace() for text in texts]
    texts = ["" if empty else text for text, empty in zip(texts, blank, strict=True)]
    return TextColumn(texts if lines[-1] else texts[:-1])


def lines_end(data: bytes, start: int, most: int) -> tuple[int, int]:
    """Return where lines that begin at `start` end, at most so many of them, and how many there are.

    With fewer lines in the data, the end is the end of the data.
    """
    count = data.count(b"\n", start)
    if count < most:
        return len(data), count
    end = start
    for _ in range(most):
        end = data.index(b"\n", end) + 1
    return end, most


def zip_columns(columns: Sequence[TextColumn]) -> TextLists:
    """Return of each row the texts of all columns."""
    return TextLists(zip(*columns, strict=True))


def text_digests(columns: Sequence[TextColumn | TextLists]) -> TextColumn:
    """Return of each row of texts the first 8 bytes of BLAKE2b over its MessagePack, in hexadecimal."""
    rows = zip(*columns, strict=True)
    return TextColumn(hashlib.blake2b(_PACK(row), digest_size=8).hexdigest() for row in rows)


def encode_rows(
    instance_ids: TextColumn,
    summarizer_ids: TextColumn,
    summarizer_types: TextColumn,
    between: Sequence[bytes],
    values: NDArray[np.float64],
    tails: Sequence[bytes],
    digests: TextColumn,
) -> bytes:
    """Return rows of scores as JSON lines.

    Args:
        instance_ids: Of each row.
        summarizer_ids: Of each row.
        summarizer_types: Of each row.
        between: What stands before the first value, between values, and after the last.
        values: [row, value]; what is not finite becomes null.
        tails: What stands between values and digest, one for all rows or one per row.
        digests: Of each row.
    """
    lines = []
    ids = zip(instance_ids, summarizer_ids, summarizer_types, strict=True)
    tails = tails if len(tails) == len(values) else [*tails] * len(values)
    for (instance, system, kind), row, tail, digest in zip(
        ids, values.tolist(), tails, digests, strict=True
    ):
        pairs = zip(map(_ENCODE, row), between[1:], strict=True)
        lines += [
            b'{"instance_id":' + _ENCODE(instance),
            b',"summarizer_id":' + _ENCODE(system),
            b',"summarizer_type":' + _ENCODE(kind),
            between[0] + b"".join(number + text for number, text in pairs),
            tail + _ENCODE(digest) + b"}\n",
        ]
    return b"".join(lines)


def row_identities(
    instance_ids: TextColumn,
    summarizer_ids: TextColumn,
    summarizer_types: TextColumn,
    digests: TextColumn,
) -> bytes:
    """Return what the digest of the data is computed from."""
    rows = zip(instance_ids, summarizer_ids, summarizer_types, digests, strict=True)
    return "".join("\0".join(row) + "\n" for row in rows).encode()
