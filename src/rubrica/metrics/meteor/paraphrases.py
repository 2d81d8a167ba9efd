"""METEOR's table of paraphrases: read once from its text, then memory-mapped from a cache.

The text has three lines for each entry: a probability (not used), a phrase, its paraphrase. English
has 5.3 million entries; reading them takes half a minute, the arrays made of them 90 MB on disk.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rubrica.core.meteor_texts import PhraseTable
from rubrica.data.files import atomic_output, blake2b_of, decode, read_lines
from rubrica.data.resource import data_root
from rubrica.errors import DataError

# Part of the name of cached files, so that another layout is never read.
_LAYOUT = 1
_NAMES = [field.name for field in fields(PhraseTable)]
_Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Paraphrases:
    """The table, the numbers of its words, and a digest of the file it came from."""

    table: PhraseTable
    words: Mapping[str, int]
    digest: str


def load_paraphrases(path: str | os.PathLike[str]) -> Paraphrases:
    """Return the table of a file (`paraphrase-en.gz` or plain text); built on first use, then memory-mapped."""
    name = os.fspath(path)
    try:
        status = os.stat(name)
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", file=name) from error
    return _load(name, status.st_size, status.st_mtime_ns)


@cache
def _load(path: str, size: int, changed: int) -> Paraphrases:
    digest = blake2b_of(path, 6)
    cache = data_root() / "metrics" / "meteor" / f"paraphrases-{digest}-{_LAYOUT}.bin"
    if not cache.exists():
        _write(cache, *build(path))
    table, words = _read(cache)
    return Paraphrases(table, words, digest)


def build(path: str) -> tuple[PhraseTable, list[str]]:
    """Return the table and its words by number, from the text."""
    numbers: dict[str, int] = {}
    sources, targets = array("i"), array("i")
    for phrase, paraphrase in _entries(path):
        sources.append(numbers.setdefault(phrase, len(numbers)))
        targets.append(numbers.setdefault(paraphrase, len(numbers)))
    words: dict[str, int] = {}
    flat, starts = array("i"), array("i", [0])
    for phrase in numbers:
        flat.extend(words.setdefault(word, len(words)) for word in phrase.split(" "))
        starts.append(len(flat))
    table = _tree(
        *(np.array(values, dtype=np.int32) for values in (sources, targets, starts, flat))
    )
    return table, list(words)


def _entries(path: str) -> Iterator[tuple[str, str]]:
    number, lines = 0, []
    for number, line in read_lines(path):
        lines.append(line)
        if len(lines) == 3:
            try:
                float(lines[0])
            except ValueError:
                raise DataError(
                    f"expected a probability, found {lines[0][:40]!r}; a table of paraphrases has "
                    "three lines for each entry: probability, phrase, paraphrase",
                    file=path,
                    line=number - 2,
                ) from None
            phrase, paraphrase = (decode(text, path, number).strip() for text in lines[1:])
            if not phrase or not paraphrase:
                raise DataError("an empty phrase", file=path, line=number)
            yield " ".join(phrase.split()), " ".join(paraphrase.split())
            lines.clear()
    if lines:
        raise DataError("ends within an entry: is the file cut off?", file=path, line=number)
    if not number:
        raise DataError("is empty; expected a table of paraphrases", file=path)


def _tree(sources: _Ints, targets: _Ints, starts: _Ints, flat: _Ints) -> PhraseTable:
    """Return entries (phrase, paraphrase) as a tree; phrase p is flat[starts[p]:starts[p + 1]]."""
    lengths = np.diff(starts)
    phrases = np.unique(sources)
    # Level by level, so that the children of a node are adjacent and sorted.
    node_of = np.zeros(len(lengths), dtype=np.int64)
    parents, node_words, count = [np.zeros(0, np.int64)], [np.full(1, -1, np.int64)], 1
    for depth in range(int(lengths[phrases].max())):
        deep = phrases[lengths[phrases] > depth]
        keys = node_of[deep] << 32 | flat[starts[deep] + depth]
        distinct, places = np.unique(keys, return_inverse=True)
        node_of[deep] = count + places
        parents.append(distinct >> 32)
        node_words.append(distinct & 0xFFFFFFFF)
        count += len(distinct)
    nodes = np.arange(count + 1)
    order = np.argsort(node_of[sources], kind="stable")
    ends = np.cumsum(lengths[targets[order]])
    at = np.repeat(
        starts[targets[order]] - (ends - lengths[targets[order]]), lengths[targets[order]]
    )
    arrays = (
        1 + np.searchsorted(np.concatenate(parents), nodes),
        np.concatenate(node_words),
        np.searchsorted(node_of[sources][order], nodes),
        np.concatenate([[0], ends]),
        flat[at + np.arange(len(at))],
    )
    return PhraseTable(*(np.ascontiguousarray(values, dtype=np.int32) for values in arrays))


def _write(path: Path, table: PhraseTable, words: list[str]) -> None:
    """Write a line of JSON with the lengths, then the arrays, then the words."""
    arrays = [getattr(table, name) for name in _NAMES]
    text = "\n".join(words).encode("utf-8")
    header = json.dumps({"lengths": [len(values) for values in arrays], "text": len(text)}).encode()
    with atomic_output(path) as stream:
        stream.write(header.ljust(1023) + b"\n")
        for values in arrays:
            stream.write(values.astype("<i4").tobytes())
        stream.write(text)


def _read(path: Path) -> tuple[PhraseTable, dict[str, int]]:
    mapped = np.memmap(path, dtype=np.uint8, mode="r")
    try:
        header = json.loads(bytes(mapped[:1024]))
        lengths, text = header["lengths"], header["text"]
        if len(mapped) != 1024 + 4 * sum(lengths) + text:
            raise ValueError("length differs from its header")
        at, arrays = 1024, []
        for length in lengths:
            arrays.append(np.asarray(mapped[at : at + 4 * length].view("<i4")))
            at += 4 * length
        table = PhraseTable(*arrays)
        _check(table)
        words = bytes(mapped[at:]).decode("utf-8").split("\n")
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise DataError(
            f"is damaged ({error}); delete it, and Rubrica rebuilds it", file=str(path)
        ) from error
    return table, {word: number for number, word in enumerate(words)}


def _check(table: PhraseTable) -> None:
    """Raise unless all numbers point into the arrays they are for: the kernels rely on it."""
    nodes, entries = len(table.node_words), len(table.entry_starts) - 1
    for starts, count, end, least in (
        (table.first_child, nodes + 1, nodes, 0),
        (table.first_entry, nodes + 1, entries, 0),
        (table.entry_starts, entries + 1, len(table.entry_words), 1),
    ):
        if len(starts) != count or starts[0] < 0 or starts[-1] != end:
            raise ValueError("parts that do not match")
        if (np.diff(starts) < least).any():
            raise ValueError("numbers out of order")
