"""SIMetrix's background: how often words occur, and in how many documents, in a large collection."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rubrica.data.files import read_text_lines
from rubrica.errors import DataError, ParameterError
from rubrica.text.stem import stem_words

# Folders of SIMetrix's files, in its repository and in its builds.
_FOLDERS = ("", "data", "src/main/resources/data", "target/classes/data")


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often words occur in the background."""

    counts: Mapping[str, int]
    total: int


@dataclass(frozen=True, slots=True)
class InverseFrequencies:
    """Inverse document frequencies of the background's words."""

    values: Mapping[str, float]
    unknown: float

    def of(self, word: str) -> float:
        """Return a word's idf; an unknown word counts as if it were in one document."""
        return self.values.get(word, self.unknown)


@lru_cache(8)
def read_frequencies(path: str, stemmer: str | None) -> Frequencies:
    """Read a file of lines "word count"; with a stemmer the counts of words of one stem are added."""
    rows = [(word, int(value)) for word, value in _rows(path, int)]
    words = [word for word, _ in rows]
    if stemmer:
        words = stem_words(words, stemmer)
    counts: Counter[str] = Counter()
    for word, (_, count) in zip(words, rows, strict=True):
        counts[word] += count
    if not counts:
        raise DataError("no background counts: lines of 'word count' were expected", file=path)
    return Frequencies(dict(counts), counts.total())


@lru_cache(8)
def read_inverse_frequencies(path: str) -> InverseFrequencies:
    """Read a file whose first line is the number of documents; then lines "word idf"."""
    lines = read_text_lines(path)
    first = next(lines, (1, ""))[1].strip()
    if not first.isdigit() or int(first) < 1:
        raise DataError(
            f"the first line must be the number of documents, not {first!r}", file=path, line=1
        )
    return InverseFrequencies(dict(_rows(path, float, skip=1)), math.log(int(first)))


def _rows(path: str, kind: type[int] | type[float], skip: int = 0) -> Iterator[tuple[str, float]]:
    for number, line in read_text_lines(path):
        parts = line.split()
        if number <= skip or not parts:
            continue
        try:
            word, text = parts
            value = kind(text)
            if not 0 <= value < math.inf:
                raise ValueError
        except ValueError as error:
            expected = "count" if kind is int else "idf"
            raise DataError(
                f"expected 'word {expected}', found {line[:60]!r}", file=path, line=number
            ) from error
        yield word, value


def find_in(root: str, name: str) -> str:
    """Return the path of one of SIMetrix's files in a checkout of its repository."""
    for folder in _FOLDERS:
        path = Path(root, folder, name)
        if path.is_file():
            return str(path)
    raise ParameterError(
        f"simetrix: no {name} in {root} (nor in {', '.join(filter(None, _FOLDERS))} there); "
        "give a checkout of SIMetrix, or the files themselves"
    )
