"""The values of scored rows as columns, from which system scores are computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.data.metrics import MetricsDict

Path: TypeAlias = tuple[str, ...]
Facts: TypeAlias = Mapping[str, str]
# About an instance: how many references it has (-1: no such field), and what each metric reports about it.
InstanceFacts: TypeAlias = tuple[int, tuple[Facts, ...]]


@dataclass(frozen=True, slots=True)
class ValueTable:
    """A row per summary. Undefined values are NaN."""

    systems: list[str]
    # For each row: its system's index, whether it is a reference, and its number of references.
    system: NDArray[np.int32]
    is_reference: NDArray[np.bool_]
    references: NDArray[np.int32]
    # For each metric: its measures, which have consecutive columns in `values`.
    paths: list[list[Path]]
    values: NDArray[np.float64]
    # For metrics with corpus statistics: metric number -> a row of statistics per summary.
    statistics: dict[int, NDArray[np.float64]]
    # For each metric: the first facts that a row adds to its signature.
    peer_facts: list[Facts]
    reference_facts: list[Facts]
    # The input of each row if clusters of inputs are resampled, otherwise those of the first rows.
    instance_ids: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.system)


def tabulate(
    systems: Sequence[str],
    types: Sequence[str],
    facts: Sequence[InstanceFacts],
    parts: Sequence[Sequence[MetricsDict]],
    statistics: Sequence[Mapping[int, Sequence[float]]],
) -> ValueTable:
    """Return the table of rows; `parts` has the values of each metric per row."""
    paths, columns = [], []
    for metric in zip(*parts, strict=True):
        metric_paths, values = _columns(metric)
        paths.append(metric_paths)
        columns.append(values)
    names = {name: number for number, name in enumerate(dict.fromkeys(systems))}
    return table_of_columns(
        list(names),
        np.fromiter(map(names.__getitem__, systems), np.int32, len(systems)),
        np.fromiter((kind == "reference" for kind in types), np.bool_, len(types)),
        np.fromiter((count for count, _ in facts), np.int32, len(facts)),
        [row_facts for _, row_facts in facts],
        paths,
        columns,
        {
            number: np.array([row[number] for row in statistics], dtype=np.float64)
            for number in (statistics[0] if statistics else ())
        },
    )


def table_of_columns(
    systems: list[str],
    system: NDArray[np.int32],
    is_reference: NDArray[np.bool_],
    references: NDArray[np.int32],
    facts: Sequence[tuple[Facts, ...]],
    paths: list[list[Path]],
    columns: Sequence[NDArray[np.float64]],
    statistics: Mapping[int, NDArray[np.float64]] | None = None,
) -> ValueTable:
    """Return the table of rows from their columns; `facts` may be empty."""
    values = np.concatenate(columns, axis=1) if columns else np.empty((len(system), 0))
    # JSON has no infinity: values that are not finite are undefined, as in the rows.
    values[~np.isfinite(values)] = np.nan
    return ValueTable(
        systems,
        system,
        is_reference,
        references,
        paths,
        values,
        dict(statistics or {}),
        _first_facts(facts, ~is_reference, len(paths)),
        _first_facts(facts, is_reference, len(paths)),
    )


def _first_facts(
    facts: Sequence[tuple[Facts, ...]], is_chosen: NDArray[np.bool_], metrics: int
) -> list[Facts]:
    first: list[Facts] = [{} for _ in range(metrics)]
    for row_facts, is_row_chosen in zip(facts, is_chosen.tolist(), strict=False):
        if is_row_chosen and any(row_facts):
            first = [old or new for old, new in zip(first, row_facts, strict=True)]
    return first


def _columns(rows: Sequence[MetricsDict]) -> tuple[list[Path], NDArray[np.float64]]:
    """Return the measures of one metric, in order of appearance, and their values."""
    shape = _Shape(rows[0])
    flat: list[Any] = []
    try:
        for row in rows:
            shape.take(row, flat)
        paths = list(shape.paths())
        values = np.array(flat, dtype=np.float64).reshape(len(rows), len(paths))
    except (KeyError, TypeError, ValueError):
        # Some row has other measures or dicts than the first.
        return _uneven(rows)
    return paths, values


class _Shape:
    """The measures of a row, to extract values fast from thousands of rows of the same shape."""

    def __init__(self, row: MetricsDict) -> None:
        self._names = tuple(row)
        inner = [_Shape(value) if type(value) is MetricsDict else None for value in row.values()]
        self._inner = inner if any(inner) else None

    def paths(self, above: Path = ()) -> Iterator[Path]:
        """Yield the path of each value."""
        for name, inner in zip(self._names, self._inner or repeat(None), strict=False):
            yield from [(*above, name)] if inner is None else inner.paths((*above, name))

    def take(self, row: MetricsDict, into: list[Any]) -> None:
        """Append the row's values; a KeyError or TypeError if it has another shape."""
        if len(row) != len(self._names):
            raise KeyError
        if self._inner is None:
            # A dict among the values fails later, in the conversion to an array.
            into += map(row.__getitem__, self._names)
            return
        for name, inner in zip(self._names, self._inner, strict=True):
            if inner is None:
                into.append(row[name])
            else:
                inner.take(row[name], into)


def _uneven(rows: Sequence[MetricsDict]) -> tuple[list[Path], NDArray[np.float64]]:
    """Return the same for rows with different measures: missing values are undefined."""
    places: dict[Path, int] = {}
    for row in rows:
        for path, _ in row.leaves():
            places.setdefault(path, len(places))
    values = np.full((len(rows), len(places)), np.nan)
    for number, row in enumerate(rows):
        for path, value in row.leaves():
            values[number, places[path]] = np.nan if value is None else value
    return list(places), values
