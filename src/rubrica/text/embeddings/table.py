"""`Embeddings`: the vectors of words, memory-mapped, with a name that says which they are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cache
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rubrica.text.embeddings.cache import Stored, stored_file, stored_glove

# The default embeddings.
DEFAULT = "glove-6b-50d"
# Number of words whose rows are remembered (about 100 MB) before the memory is cleared.
_REMEMBERED = 1 << 20


class Embeddings:
    """Words and their vectors.

    A word is looked up as it is written; where only other spellings of its letters' case are there
    (`Paris` for `paris`), the first of them in the file counts. A word that comes twice has its first
    vector. `name` tells the vectors apart: the package's name, or the file's with a digest.
    """

    def __init__(self, source: str, stored: Stored) -> None:
        self._source = source
        self.name = stored.name
        self.dimensions = stored.dimensions
        # Plain views: indexing a memmap object is several times slower.
        self._vectors: NDArray[np.float32] = np.asarray(
            np.memmap(stored.vectors, "<f4", mode="r", shape=(stored.rows, stored.dimensions))
        )
        self._ends: NDArray[np.int64] = np.asarray(np.load(stored.ends, mmap_mode="r"))
        self._rows: NDArray[np.int64] = np.asarray(np.load(stored.row_numbers, mmap_mode="r"))
        with open(stored.words, "rb") as stream:
            self._words = mmap(stream.fileno(), 0, access=ACCESS_READ)
        self._known: dict[str, int] = {}

    def __len__(self) -> int:
        """Return the number of vectors."""
        return len(self._vectors)

    def __contains__(self, word: str) -> bool:
        return self.row(word) >= 0

    def __reduce__(self) -> tuple[object, tuple[str]]:
        # Another process can map the same files.
        return load_embeddings, (self._source,)

    def row(self, word: str) -> int:
        """Return the number of a word's vector, or -1 where it has none."""
        number = self._known.get(word)
        if number is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            number = self._known[word] = self._find(word.encode("utf-8", "surrogatepass"))
        return number

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the rows of many words; see `row`."""
        return np.fromiter((self.row(word) for word in words), dtype=np.int64)

    def vectors(self, words: Iterable[str]) -> NDArray[np.float64]:
        """Return an array [word, dimension]; zeros for words that have no vector."""
        return self.at(self.rows(words))

    def at(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the vectors at row numbers from `rows`; zeros for -1."""
        vectors = np.zeros((len(rows), self.dimensions))
        known = rows >= 0
        vectors[known] = self._vectors[rows[known]]
        return vectors

    def _find(self, word: bytes) -> int:
        at = bisect_left(range(len(self._ends)), word, key=self._word)
        if at == len(self._ends) or self._word(at) != word:
            return -1
        return int(self._rows[at])

    def _word(self, at: int) -> bytes:
        begin = int(self._ends[at - 1]) if at else 0
        return self._words[begin : int(self._ends[at])]


@cache
def load_embeddings(source: str = DEFAULT) -> Embeddings:
    """Return the embeddings of that name (`glove-6b-50d`), or of a file (`./glove-6b-50d`, should it be called so).

    The first use of a file brings its vectors into a form that is mapped into memory, kept in
    `$RUBRICA_DATA_ROOT/embeddings`; later uses take milliseconds, and processes share the memory.
    """
    if source == DEFAULT:
        return Embeddings(source, stored_glove(source))
    return Embeddings(source, stored_file(Path(source).expanduser()))
