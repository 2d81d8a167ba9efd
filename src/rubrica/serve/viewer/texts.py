"""Texts on disk: written once, read one by one, searched in blocks, so that memory holds none of them."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import Text
from rubrica.serve.viewer.search import Finder, Mask, holding

# Control characters that texts cannot have: between texts in the file, between references, after sentences.
_END, _NEXT, _SENTENCE = "\0", "\x1e", "\x1f"
_FORBIDDEN = str.maketrans(dict.fromkeys((_END, _NEXT, _SENTENCE), " "))
# ASCII in lower case, with line ends as `readable` has them.
_READABLE_LOWER = (
    bytes(range(256)).lower().translate(bytes.maketrans((_NEXT + _SENTENCE).encode(), b"\n\n"))
)
_BLOCK_BYTES = 1 << 22
_WAITING = 1000


def pack(text: Text) -> str:
    """Return a text as one string, from which `unpack` restores the list of its sentences."""
    if isinstance(text, str):
        return text if text.isprintable() else text.translate(_FORBIDDEN)
    return "".join(sentence.translate(_FORBIDDEN) + _SENTENCE for sentence in text)


def unpack(packed: str) -> Text:
    """Return the text that `pack` made a string of."""
    return packed[:-1].split(_SENTENCE) if packed.endswith(_SENTENCE) else packed


def pack_all(texts: Sequence[Text]) -> str:
    """Return several texts as one string."""
    return "".join(pack(text) + _NEXT for text in texts)


def unpack_all(packed: str) -> list[Text]:
    """Return the texts of `pack_all`."""
    return [unpack(text) for text in packed[:-1].split(_NEXT)] if packed else []


def readable(packed: str) -> str:
    """Return packed texts as people read and search them: a sentence per line."""
    return packed.replace(_SENTENCE, "\n").replace(_NEXT, "\n")


class TextColumn:
    """Strings in a file, numbered from 0."""

    def __init__(self, folder: str) -> None:
        handle, self._path = tempfile.mkstemp(suffix=".texts", dir=folder)
        os.close(handle)
        self._ends = array("q", [0])
        self._waiting: list[bytes] = []
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, text: str) -> int:
        """Add a string and return its number."""
        data = text.encode("utf-8", "replace") + b"\0"
        with self._lock:
            self._waiting.append(data)
            self._ends.append(self._ends[-1] + len(data))
            if len(self._waiting) > _WAITING:
                self._flush()
            return len(self._ends) - 2

    def get(self, number: int) -> str:
        """Return a string."""
        with self._lock:
            self._flush()
            start, end = self._ends[number], self._ends[number + 1]
            return self._read(start, end - 1).decode()

    def matching(self, words: Finder) -> Mask:
        """Return for each string whether it has the words, as people read it."""
        matches = np.zeros(len(self), dtype=np.bool_)
        for first, starts, block in self._blocks(len(matches)):
            matches[first : first + len(starts)] = _matches(block, starts, words)
        return matches

    def _blocks(self, count: int) -> Iterator[tuple[int, NDArray[np.int64], bytes]]:
        """Yield the first `count` strings in blocks of a few megabytes: first number, starts and bytes."""
        with self._lock:
            self._flush()
            ends = np.array(self._ends[: count + 1])
        first = 0
        while first < count:
            last = int(np.searchsorted(ends, ends[first] + _BLOCK_BYTES, side="right")) - 1
            last = min(count, max(last, first + 1))
            with self._lock:
                block = self._read(int(ends[first]), int(ends[last]) - 1)
            yield first, ends[first:last] - ends[first], block
            first = last

    def _flush(self) -> None:
        if self._waiting:
            with open(self._path, "ab") as stream:
                stream.write(b"".join(self._waiting))
            self._waiting.clear()

    def _read(self, start: int, end: int) -> bytes:
        with open(self._path, "rb") as stream:
            stream.seek(start)
            return stream.read(end - start)


def _matches(block: bytes, starts: NDArray[np.int64], words: Finder) -> Mask:
    matches = np.zeros(len(starts), dtype=np.bool_)
    numbers: Iterable[int] = range(len(starts))
    if words.plain and block.isascii():
        if not words.plain.isascii():
            return matches
        holders = holding(block.translate(_READABLE_LOWER), words.plain.encode(), starts)
        if words.is_plain:
            matches[holders] = True
            return matches
        numbers = holders.tolist()
    texts = readable(block.decode()).split(_END)
    for number in numbers:
        matches[number] = words.in_text(texts[number])
    return matches
