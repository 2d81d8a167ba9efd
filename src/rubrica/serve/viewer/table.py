"""The table of samples: a row per summary, names as codes, scores as columns, texts on disk."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import UNKNOWN_LANGUAGES, Languages, Text, flatten
from rubrica.serve.viewer.texts import TextColumn, pack, pack_all, unpack, unpack_all

Codes: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]
T = TypeVar("T")
CONTEXTS = ("references", "documents")
# Endings of columns that are computed from two runs.
BEFORE, CHANGE = ".before", ".change"
_NAN = np.float64(np.nan).tobytes()


@dataclass(slots=True)
class Sample:
    """What a file says about a summary; without a system, about an input."""

    input: str
    system: str | None
    type: str = "peer"
    summary: Text | None = None
    references: Sequence[Text] | None = None
    documents: Sequence[Text] | None = None
    languages: Languages = UNKNOWN_LANGUAGES
    scores: Mapping[str, float] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)


class Names:
    """Distinct names with their codes, in order of appearance; `lower` has them in lower case."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.lower: list[str] = []
        self._codes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.names)

    def code(self, name: str) -> int:
        """Return the code of a name, a new one if it has none."""
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self.names)
            self.names.append(name)
            lower = name.lower()
            # Most names are in lower case: one object is enough.
            self.lower.append(name if name == lower else lower)
        return code

    def find(self, name: str) -> int | None:
        """Return the code of a name; None if it has none."""
        return self._codes.get(name)


class _Contexts:
    """References or documents: those of an input once, and those of rows that differ from them."""

    def __init__(self, folder: str) -> None:
        self.texts = TextColumn(folder)
        self.of_row, self.of_input = array("i"), array("i")
        self._hashes = array("q")

    def set(self, code: int, row: int | None, texts: Sequence[Text]) -> None:
        """Store the texts of an input, or of a row."""
        packed = pack_all(texts)
        digest = hash(packed)
        _pad(self.of_input, code + 1)
        _pad(self._hashes, code + 1)
        if self.of_input[code] < 0:
            self.of_input[code], self._hashes[code] = self.texts.add(packed), digest
        elif row is not None and self._hashes[code] != digest:
            _pad(self.of_row, row + 1)
            self.of_row[row] = self.texts.add(packed)

    def numbers(self, inputs: Codes) -> Codes:
        """Return the number of each row's texts, -1 where it has none."""
        own = _padded(self.of_row, len(inputs))
        shared = _padded(self.of_input, int(inputs.max(initial=-1)) + 1)
        return np.where(own >= 0, own, shared[inputs]) if len(inputs) else own

    def get(self, code: int, row: int) -> list[Text]:
        """Return the texts of a row."""
        number = self.of_row[row] if row < len(self.of_row) else -1
        if number < 0:
            number = self.of_input[code] if code < len(self.of_input) else -1
        return [] if number < 0 else unpack_all(self.texts.get(number))


class SampleTable:
    """Samples of all files; rows of the same summary are merged. `version` grows with every change."""

    def __init__(self, folder: str) -> None:
        self.lock, self.version = RLock(), 0
        self.inputs, self.systems = Names(), Names()
        self._types = Names()
        for kind in ("peer", "reference"):
            self._types.code(kind)
        self._input, self._system = array("i"), array("i")
        self._reference, self._words = array("b"), array("i")
        self._rows: dict[int, int] = {}
        self.scores: dict[str, array[float]] = {}
        self.fields: dict[str, tuple[Names, array[int]]] = {}
        self.summaries = TextColumn(folder)
        self._summary = array("i")
        self.contexts = {name: _Contexts(folder) for name in CONTEXTS}
        self._languages: dict[int, Languages] = {}
        self.conflicts = 0
        self._cache: dict[str, tuple[int, Any]] = {}

    def __len__(self) -> int:
        return len(self._input)

    def add(self, samples: Iterable[Sample]) -> None:
        """Add samples; values of the same summary and measure replace earlier ones."""
        with self.lock:
            for sample in samples:
                self._add(sample)
            self.version += 1

    def _add(self, sample: Sample) -> None:
        code = self.inputs.code(sample.input)
        row = None if sample.system is None else self._row(code, sample.system, sample.type)
        for name in CONTEXTS:
            if (texts := getattr(sample, name)) is not None:
                self.contexts[name].set(code, row, texts)
        if row is None:
            return
        if sample.summary is not None:
            self._summary[row] = self.summaries.add(pack(sample.summary))
            self._words[row] = len(flatten(sample.summary).split())
        if sample.languages is not UNKNOWN_LANGUAGES:
            self._languages[row] = sample.languages
        for name, value in sample.scores.items():
            self._put(name, row, value)
        for name, text in sample.fields.items():
            names, codes = self.fields.setdefault(name, (Names(), array("i")))
            _pad(codes, row + 1)
            codes[row] = names.code(text)

    def _row(self, code: int, system: str, kind: str) -> int:
        key = code << 24 | self.systems.code(system)
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = len(self._input)
            self._input.append(code)
            self._system.append(key & 0xFFFFFF)
            self._reference.append(kind == "reference")
            self._words.append(-1)
            self._summary.append(-1)
        return row

    def _put(self, name: str, row: int, value: float) -> None:
        column = self.scores.setdefault(name, array("d"))
        missing = row - len(column)
        if missing < 0:
            known = column[row]
            self.conflicts += known == known and known != value
            column[row] = value
            return
        column.frombytes(_NAN * missing)
        column.append(value)

    def set_column(self, name: str, values: Floats) -> None:
        """Add a column of numbers, or replace it."""
        with self.lock:
            self.scores[name] = array("d", values.tobytes())
            self.version += 1

    def set_field(self, name: str, values: Sequence[str]) -> None:
        """Add a field, or replace it."""
        with self.lock:
            names = Names()
            self.fields[name] = names, array("i", map(names.code, values))
            self.version += 1

    def row(self, input_name: str, system: str) -> int | None:
        """Return the number of a summary's row; None if it has none."""
        code, system_code = self.inputs.find(input_name), self.systems.find(system)
        if code is None or system_code is None:
            return None
        return self._rows.get(code << 24 | system_code)

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """Return what `make` returns, computed once for each version of the table."""
        known = self._cache.get(name)
        if known is None or known[0] != self.version:
            known = self._cache[name] = self.version, make()
        return cast("T", known[1])

    def column(self, name: str) -> Floats:
        """Return a column of numbers, of which views stay valid: a measure, or `words`."""
        if name == "words":
            return self.cached("words", self._word_counts)
        return self.cached(f"score {name}", lambda: _floats(self.scores[name], len(self)))

    def codes(self, name: str) -> Codes:
        """Return the codes of names: `input`, `system`, `type` (1: reference) or a field (-1: none)."""
        if name in ("input", "system", "type"):
            own = {"input": self._input, "system": self._system, "type": self._reference}[name]
            return self.cached(name, lambda: np.array(own, dtype=np.int32))
        return self.cached(f"field {name}", lambda: _padded(self.fields[name][1], len(self)))

    def names(self, name: str) -> list[str]:
        """Return the names that the codes of a column number."""
        return self._names(name).names

    def lower_names(self, name: str) -> list[str]:
        """Return the names of a column in lower case."""
        return self._names(name).lower

    def _names(self, name: str) -> Names:
        own = {"input": self.inputs, "system": self.systems, "type": self._types}
        return own[name] if name in own else self.fields[name][0]

    def text_numbers(self, name: str) -> Codes:
        """Return for each row the number of its summary, references or documents; -1 if it has none."""
        if name == "summary":
            return self.cached("summary", lambda: np.array(self._summary, dtype=np.int32))
        return self.cached(name, lambda: self.contexts[name].numbers(self.codes("input")))

    def rows_of_input(self, code: int) -> list[int]:
        """Return the rows of an input, in the order of the files."""
        inputs = self.codes("input")
        order = self.cached("by input", lambda: np.argsort(inputs, kind="stable"))
        place = np.searchsorted(inputs, [code, code + 1], sorter=order)
        return sorted(order[place[0] : place[1]].tolist())

    def ids(self, row: int) -> tuple[str, str, str]:
        """Return input, system and type of a row."""
        kind = "reference" if self._reference[row] else "peer"
        return self.inputs.names[self._input[row]], self.systems.names[self._system[row]], kind

    def summary(self, row: int) -> Text | None:
        """Return the text of a summary; None if no file has it."""
        number = self._summary[row]
        return None if number < 0 else unpack(self.summaries.get(number))

    def context(self, name: str, row: int) -> list[Text]:
        """Return the references or the documents of a row."""
        return self.contexts[name].get(self._input[row], row)

    def languages(self, row: int) -> Languages:
        """Return the languages of a row's texts."""
        return self._languages.get(row, UNKNOWN_LANGUAGES)

    def numbers_at(self, name: str, rows: Sequence[int]) -> list[float]:
        """Return numbers of a few rows, without a copy of the column; NaN where a row has none."""
        column = self._words if name == "words" else self.scores[name]
        values = [column[row] if row < len(column) else math.nan for row in rows]
        return [math.nan if value < 0 else value for value in values] if name == "words" else values

    def field_of(self, name: str, row: int) -> str | None:
        """Return the value of a field; None if the row has none."""
        names, codes = self.fields[name]
        return names.names[codes[row]] if row < len(codes) and codes[row] >= 0 else None

    def _word_counts(self) -> Floats:
        counts = np.array(self._words, dtype=np.float64)
        counts[counts < 0] = np.nan
        return counts


def _pad(codes: array[int], size: int) -> None:
    missing = size - len(codes)
    if missing > 0:
        codes.extend([-1] * missing)


def _padded(codes: array[int], size: int) -> Codes:
    padded = np.full(size, -1, dtype=np.int32)
    padded[: len(codes)] = codes
    return padded


def _floats(column: array[float], size: int) -> Floats:
    values = np.full(size, np.nan)
    values[: len(column)] = column
    return values
