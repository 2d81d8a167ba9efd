"""Scores per slice: rows grouped by a name, a field, or quarters of a number, with intervals of the means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import flatten
from rubrica.errors import DataError, UsageError
from rubrica.parameters import SEED
from rubrica.reports.texts import words
from rubrica.serve.viewer.query import IDS, Query
from rubrica.serve.viewer.table import Floats, Rows, SampleTable
from rubrica.statistics.intervals import Interval, Resampling, bootstrap_means, normal_means

# Properties of a summary and its document; any column works, too.
TEXT_SLICES = ("length", "novelty", "position")
MAX_SLICES = 40
# Texts of more rows are sampled: a few milliseconds each.
MAX_TEXTS = 5000
_MAX_RESAMPLED = 5000
_MAX_CATEGORIES = 6
_UNITS = {"length": " words", "novelty": " %", "position": " %"}


@dataclass(frozen=True, slots=True)
class Slice:
    """The rows with one value, and the mean of each measure over them."""

    name: str
    rows: int
    scores: list[Interval]


@dataclass(frozen=True, slots=True)
class Slices:
    """The slices by a column, and how many of the rows were looked at."""

    by: str
    measures: Sequence[str]
    slices: list[Slice]
    rows: int
    looked_at: int
    left_out: int


def read_slices(
    table: SampleTable, query: Query, rows: Rows, by: str, measures: Sequence[str]
) -> Slices:
    """Return the slices of rows by a property of texts, a name, a field or a number.

    Raises:
        DataError: No row has what is needed.
        UnknownNameError: There is no such column.
    """
    column = by if by in TEXT_SLICES else query.resolve(by)
    measures = [query.resolve(name) for name in measures]
    total = len(rows)
    if column in ("novelty", "position") and total > MAX_TEXTS:
        rows = np.sort(np.random.default_rng(SEED).choice(rows, MAX_TEXTS, replace=False))
    if column in IDS or column in table.fields:
        names, codes = _by_name(table, column, rows)
    else:
        names, codes = _by_quarter(_numbers(table, column, rows), _UNITS.get(column, ""))
    if not names:
        raise DataError(f"no row here has a value of {by}")
    values = np.column_stack([table.column(name)[rows] for name in measures] or [np.empty((len(rows), 0))])  # fmt: skip
    slices = [
        _slice(name, values[codes == number]) for number, name in enumerate(names[:MAX_SLICES])
    ]
    return Slices(by, measures, slices, total, len(rows), max(0, len(names) - MAX_SLICES))


def _slice(name: str, values: Floats) -> Slice:
    small = len(values) <= _MAX_RESAMPLED
    intervals = bootstrap_means(values, Resampling()) if small else normal_means(values)
    return Slice(name, len(values), intervals)


def _by_name(table: SampleTable, column: str, rows: Rows) -> tuple[list[str], NDArray[np.int64]]:
    """Return the names of the rows, the most frequent first, and the number of each row's name."""
    codes = table.codes(column)[rows]
    present, counts = np.unique(codes[codes >= 0], return_counts=True)
    order = present[np.argsort(-counts, kind="stable")]
    place = np.full(int(codes.max(initial=-1)) + 2, -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    names = table.names(column)
    return [names[code] for code in order.tolist()], place[codes]


def _by_quarter(values: Floats, unit: str) -> tuple[list[str], NDArray[np.int64]]:
    """Return the bounds of four groups of about equal size, and the number of each value's group.

    Of a few different values each is a group.
    """
    defined = values[~np.isnan(values)]
    distinct = np.unique(defined)
    if len(distinct) <= _MAX_CATEGORIES:
        names = [f"{value:g}{unit}" for value in distinct.tolist()]
        return names, np.where(np.isnan(values), -1, np.searchsorted(distinct, values))
    bounds = np.unique(np.quantile(defined, [0, 0.25, 0.5, 0.75, 1], method="nearest"))
    numbers = np.searchsorted(bounds[1:-1], values, side="left")
    names = [
        f"{'' if at == 0 else 'over '}{low:g} to {high:g}{unit}"
        for at, (low, high) in enumerate(pairwise(np.round(bounds, 4).tolist()))
    ]
    return names, np.where(np.isnan(values), -1, numbers)


def _numbers(table: SampleTable, column: str, rows: Rows) -> Floats:
    if column == "length":
        column = "words"
    if column not in TEXT_SLICES:
        if column != "words" and column not in table.scores:
            raise UsageError(f"texts of {column} are no slices; choose another column")
        return table.column(column)[rows]
    measure = _novelty if column == "novelty" else _position
    numbers = np.full(len(rows), np.nan)
    source: tuple[int, list[str]] = (-1, [])
    documents = table.text_numbers("documents")
    for at, row in enumerate(rows.tolist()):
        summary, number = table.summary(row), int(documents[row])
        if summary is None or number < 0:
            continue
        if source[0] != number:
            source = number, [w for text in table.context("documents", row) for w in words(flatten(text))]  # fmt: skip
        numbers[at] = measure(words(summary), source[1])
    return np.round(numbers, 1)


def _novelty(summary: list[str], source: list[str]) -> float:
    """Return the percentage of a summary's pairs of words that its documents lack."""
    pairs, known = list(pairwise(summary)), set(pairwise(source))
    return 100 * sum(pair not in known for pair in pairs) / len(pairs) if pairs else np.nan


def _position(summary: list[str], source: list[str]) -> float:
    """Return how far into its documents a summary's pairs of words first occur, on average, in per cent."""
    first: dict[tuple[str, str], int] = {}
    for at, pair in enumerate(pairwise(source)):
        first.setdefault(pair, at)
    places = [first[pair] for pair in pairwise(summary) if pair in first]
    return 100 * sum(places) / len(places) / max(1, len(source) - 2) if places else np.nan
