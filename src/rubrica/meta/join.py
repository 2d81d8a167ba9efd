"""Scores from several files joined into one table, with a report of what was dropped and why."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal, TypeAlias

import numpy as np

from rubrica.aliases import find_measure
from rubrica.data.logs.tasks import check_tasks
from rubrica.data.metrics import Metrics, MetricsDict, exact_mean, reach
from rubrica.data.scores.columns import TableColumns
from rubrica.data.scores.rows import read_score_rows
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, MismatchError, UnknownNameError, place
from rubrica.formatting.words import counted
from rubrica.metrics.base.measures import Measures
from rubrica.statistics.undefined import nan_if_none, none_if_nan

SummarizerType: TypeAlias = Literal["all", "reference", "peer"]
Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JoinReport:
    """What became of the rows.

    `merged` rows joined an earlier row of the same summary, `duplicates` repeated values that it had
    already. A summary is dropped for its type, or for the first named measure that it lacks; those
    whose jackknifed value some of them have instead are in `jackknifed`.
    """

    rows_read: dict[str, int]
    merged: int
    duplicates: int
    summaries: int
    dropped_type: dict[str, int]
    dropped_missing: dict[str, int]
    kept: int
    systems: int
    inputs: int
    absent_cells: int
    identical_systems: list[list[str]]
    jackknifed: list[str] = field(default_factory=list)
    # What was recognised in tables of other programs, a line each.
    columns: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The report in plain words."""
        read = ", ".join(
            f"{counted(count, 'row')} from {file}" for file, count in self.rows_read.items()
        )
        notes = [*self.columns, f"read {read}"]
        if self.merged or self.duplicates:
            notes.append(
                f"{counted(self.merged, 'row')} had the same summary as an earlier row and were merged with it"
                + (f", {self.duplicates:,} of them repeat its values" if self.duplicates else "")
            )
        for kind, count in self.dropped_type.items():
            notes.append(f"dropped {count:,} of {self.summaries:,} summaries: of type {kind!r}")
        for name, count in self.dropped_missing.items():
            instead = " (only its jackknifed value, _jk)" if name in self.jackknifed else ""
            notes.append(f"dropped {count:,} of {self.summaries:,} summaries: no {name}{instead}")
        gaps = f", {counted(self.absent_cells, 'cell')} absent" if self.absent_cells else ""
        notes.append(f"kept {self.kept:,}: {self.systems:,} systems x {self.inputs:,} inputs{gaps}")
        for group in self.identical_systems:
            notes.append(f"systems with identical scores: {', '.join(group)}")
        return notes


@dataclass(slots=True)
class _Summary:
    """One summary's scores so far, and the rows they came from."""

    type: str
    scores: MetricsDict
    sources: list[tuple[str, int, MetricsDict]] = field(default_factory=list)

    def place_of(self, path: Path) -> str:
        """Where a measure was first given."""
        for file, line, metrics in self.sources:
            if reach(metrics, path) is not None:
                return place(file, line)
        return place(*self.sources[0][:2])


def join_scores(
    files: Sequence[str | os.PathLike[str]],
    measures: Sequence[str],
    summarizer_type: SummarizerType = "all",
    *,
    required: Sequence[str] | None = None,
    fields: Mapping[str, str] | None = None,
) -> tuple[ScoreTable, JoinReport]:
    """Join files of scores into a table of measures, with systems and inputs in the order of their ids.

    Rows of the same summary are merged. Lists of values count as their mean.

    Args:
        files: Files of score rows, as `rubrica score` writes them.
        measures: Names of the measures, such as `rouge-1.f1`.
        summarizer_type: Use `all` rows, or only those of type `peer` or `reference`.
        required: Measures without which a summary is dropped (default: all of `measures`). Others may have gaps.
        fields: Columns of tables that hold `instance_id`, `summarizer_id` and `summarizer_type`, where their names
            are unusual.

    Returns:
        The table, and a report of the rows that were read, merged and dropped.

    Raises:
        DataError: There are no rows, or two rows of a summary have different values or types.
        UnknownNameError: No row has the measure.

    Example:
        >>> from pathlib import Path
        >>> from rubrica.meta import join_scores
        >>> row = '{"instance_id": "%s", "summarizer_id": "a", "summarizer_type": "peer", "metrics": {"%s": %s}}'
        >>> _ = Path("rouge.jsonl").write_text("\\n".join([row % (1, "rouge", 0.2), row % (2, "rouge", 0.4)]))
        >>> _ = Path("people.jsonl").write_text(row % (2, "relevance", 4))
        >>> table, report = join_scores(["rouge.jsonl", "people.jsonl"], ["rouge", "relevance"])
        >>> table.systems, table.inputs, table.matrix("rouge").tolist()
        (('a',), ('2',), [[0.4]])
    """
    read: dict[str, int] = {}
    summaries: dict[tuple[str, str], _Summary] = {}
    known = Measures()
    merged = duplicates = 0
    notes: list[str] = []
    columns = TableColumns(fields) if fields else None
    for file in files:
        name = os.fspath(file)
        read.setdefault(name, 0)
        for line, row in read_score_rows(file, Metrics, columns, notes):
            read[name] += 1
            known.add(row)
            there = summaries.get(row.key)
            if there is None:
                summaries[row.key] = there = _Summary(row.summarizer_type, row.metrics.copy())
            else:
                merged += 1
                duplicates += _merge(there, row, name, line)
            there.sources.append((name, line, row.metrics))
    if not summaries:
        raise DataError(f"no rows of scores in {', '.join(read)}")
    check_tasks(_ids_by_file(summaries))
    paths = _resolve(measures, (summary.scores for summary in summaries.values()))
    needed = [required is None or name in required for name in measures]
    types: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    jackknifed: dict[str, None] = {}
    complete: dict[tuple[str, str], list[float]] = {}
    for key, summary in summaries.items():
        if summarizer_type not in ("all", summary.type):
            types[summary.type] += 1
            continue
        values = [_number(summary, path, key) for path in paths]
        absent = [v is None for v in values]
        lacking = [name for name, a, n in zip(measures, absent, needed, strict=True) if a and n]
        if lacking or all(absent):
            missing[lacking[0] if lacking else "measure asked for"] += 1
            if lacking and lacking[0] not in jackknifed:
                top, *rest = paths[measures.index(lacking[0])]
                if reach(summary.scores, (f"{top}_jk", *rest)) is not None:
                    jackknifed[lacking[0]] = None
        else:
            complete[key] = list(map(nan_if_none, values))
    lower = {".".join(path) for path in paths if known.group(path).direction == "lower"}
    table = replace(_table(complete, [".".join(path) for path in paths]), lower_is_better=lower)
    systems, inputs, _ = table.values.shape
    return table, JoinReport(
        read,
        merged,
        duplicates,
        len(summaries),
        dict(types),
        dict(missing),
        len(complete),
        systems,
        inputs,
        systems * inputs - len(complete),
        _identical(table),
        list(jackknifed),
        notes,
    )


def _merge(there: _Summary, row: Metrics, file: str, line: int) -> bool:
    """Join a row into its summary; whether it held nothing new."""
    if row.summarizer_type != there.type:
        raise MismatchError(
            f"{_describe(row.key)} is of type {row.summarizer_type!r} here, "
            f"but {there.type!r} in {place(*there.sources[0][:2])}",
            file=file,
            line=line,
        )
    new = False
    for path, value in row.metrics.leaves():
        here = reach(there.scores, path)
        if here is None:
            new = True
        elif isinstance(here, MetricsDict) or not _equal(here, value):
            raise MismatchError(
                f"{'.'.join(path)} of {_describe(row.key)} is {value!r} here, "
                f"but {here!r} in {there.place_of(path)}",
                file=file,
                line=line,
            )
    there.scores.update(row.metrics)
    return not new


def _ids_by_file(summaries: dict[tuple[str, str], _Summary]) -> dict[str, set[str]]:
    ids: dict[str, set[str]] = {}
    for (instance_id, _), summary in summaries.items():
        for file, _, _ in summary.sources:
            ids.setdefault(file, set()).add(instance_id)
    return ids


def _resolve(names: Sequence[str], rows: Iterable[MetricsDict]) -> list[Path]:
    """The path each name addresses, in any of the rows: a key, `rouge-1.f1` or `rouge-1_f1`."""
    known: dict[Path, None] = {path: None for row in rows for path, _ in row.leaves()}
    out = []
    for name in names:
        spelled = [path for path in known if name in (".".join(path), "_".join(path))]
        if len(spelled) > 1:
            # A key that is spelled exactly so wins over a path that reads the same.
            spelled = [path for path in spelled if path == (name,)] or spelled
        if len(spelled) > 1:
            raise DataError(f"{name!r} may mean any of {', '.join(map(repr, spelled))}")
        if not spelled:
            dotted = {".".join(path): path for path in known}
            if (measure := find_measure(name, dotted)) is not None:
                out.append(dotted[measure])
                continue
            inside = [".".join(path) for path in known if path[0] == name and len(path) > 1]
            if inside:
                raise DataError(f"{name!r} holds several measures; name one of {', '.join(inside)}")
            raise UnknownNameError("measure", name, [".".join(path) for path in known])
        out.append(spelled[0])
    return out


def _number(summary: _Summary, path: Path, key: tuple[str, str]) -> float | None:
    value = reach(summary.scores, path)
    values = value if isinstance(value, list) else [value]
    for item in values:
        known = isinstance(item, (int, float)) and not math.isinf(item)
        if item is not None and not known:
            raise DataError(
                f"{'.'.join(path)} of {_describe(key)} in {summary.place_of(path)} "
                f"is not a number: {item!r}"
            )
    return none_if_nan(exact_mean(values))


def _table(complete: dict[tuple[str, str], list[float]], measures: list[str]) -> ScoreTable:
    systems = tuple(sorted({system for _, system in complete}))
    inputs = tuple(sorted({instance for instance, _ in complete}))
    values = np.full((len(systems), len(inputs), len(measures)), np.nan)
    at_system = {name: number for number, name in enumerate(systems)}
    at_input = {name: number for number, name in enumerate(inputs)}
    for (instance, system), row in complete.items():
        values[at_system[system], at_input[instance]] = row
    return ScoreTable(systems, inputs, tuple(measures), values)


def _identical(table: ScoreTable) -> list[list[str]]:
    """Groups of systems that agree in every score of every measure: often one system twice."""
    if not table.values.size:
        return []
    keyed = sorted((values.tobytes(), name) for name, values in zip(table.systems, table.values))  # noqa: B905
    groups = ([name for _, name in group] for _, group in groupby(keyed, key=lambda item: item[0]))
    return sorted(group for group in groups if len(group) > 1)


def _equal(a: Any, b: Any) -> bool:
    return bool(a == b) or (a != a and b != b)


def _describe(key: tuple[str, str]) -> str:
    return f"summary {key[1]!r} of input {key[0]!r}"
