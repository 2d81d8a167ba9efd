"""Scores that others computed: tables in files, flat JSON lines and logs of harnesses, in wide or long format.

Wide: a row per summary, a column of numbers per measure. Long: a row per summary and measure, with columns such as
`metric` and `score`. Both may have a row per annotator. Ids are recognised by their usual names; without a system the
file's name is the system.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from rubrica.data.files import content_ending, content_stem, read_lines
from rubrica.data.jsonl import convert, read_json, read_jsonl
from rubrica.data.logs import document_rows, lm_eval, mlflow
from rubrica.data.logs.inspect_log import ARCHIVE_ENDING, archive_rows
from rubrica.data.logs.rows import NumberedRow
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.scores.columns import (
    ID_NAMES,
    TableColumns,
    annotator_column,
    plain_name,
    usual_column,
)
from rubrica.data.table_files import (
    Table,
    binary_table,
    delimited_table,
    json_rows,
    workbook_table,
)
from rubrica.errors import DataError

Row = TypeVar("Row", bound=Metrics)

_MEASURE_NAMES = ("measure", "metric", "metric_name", "dimension", "aspect", "criterion", "name")
_VALUE_NAMES = ("value", "score", "rating", "result")
# Names of columns of summaries, which may be a word, or without spaces between words.
_TEXT_NAMES = {"summary", "prediction", "candidate", "hypothesis", "reference", "references"}
# Names of the index that pandas writes beside the columns.
_INDEX_NAMES = {"", "unnamed:_0", "__index_level_0__"}
ARROW_ENDINGS = (".arrow", ".feather", ".ipc")
_UNDEFINED = {"", "na", "n/a", "nan", "null", "none", "-"}


def read_table(
    path: str,
    kind: type[Row],
    mapping: TableColumns | None = None,
    notes: list[str] | None = None,
) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a table of scores with their line (or row) numbers; `notes` receives what was recognised."""
    for line, row in table_rows(path, mapping, notes):
        yield line, convert(row, kind, path, line)


def table_rows(
    path: str, mapping: TableColumns | None = None, notes: list[str] | None = None
) -> Iterator[NumberedRow]:
    """Yield the rows of a table or log of scores as `read_table` does, before they become records.

    The key `fields` has all columns of the row, or what the log says about the sample.
    """
    table = (
        _TABLES[content_ending(path)](path)
        if content_ending(path) in _TABLES
        else list(read_jsonl(path))
    )
    if mapping is not None:
        if not isinstance(table, list):
            raise DataError("a log of a harness has no columns to map", file=path)
        table = mapping.applied(table, path)
    yield from read_columns(table, path, notes) if isinstance(table, list) else table


def read_columns(table: Table, path: str, notes: list[str] | None = None) -> Iterator[NumberedRow]:
    """Yield a row of scores per summary of a table; `path` is its name in errors."""
    if not table:
        raise DataError("no rows of scores", file=path)
    columns = _Columns(table, path)
    if notes is not None and (recognised := columns.recognised()):
        notes.append(f"{path}: {recognised}")
    return columns.rows(table)


def is_flat(values: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is a row of a table of scores: it has a number, or a gap, beside its ids."""
    ids = {usual_column(target, values) for target in ID_NAMES}
    others = [value for name, value in values.items() if name not in ids]
    return "metrics" not in values and any(value is None or _is_number(value) for value in others)


def holds_texts(path: str) -> bool:
    """Return whether the first row of a table, or of flat JSON lines, has a text: summaries, not just scores.

    Logs of harnesses hold texts, too, but are read for their scores.
    """
    kind = content_ending(path)
    if kind == ARCHIVE_ENDING:
        return False
    if kind in (".parquet", *ARROW_ENDINGS):
        # These may be large.
        row: Mapping[str, Any] = next((values for _, values in binary_table(path, 1)), {})
    elif kind in _TABLES:
        table = _TABLES[kind](path)
        if not isinstance(table, list) or (kind == ".json" and mlflow.matches(read_json(path))):
            return False
        row = table[0][1] if table else {}
    else:
        # Harnesses write NaN, which is not JSON, so the line is tried as a log first.
        if lm_eval.is_sample(next((line for _, line in read_lines(path) if line.strip()), b"")):
            return False
        row = next((values for _, values in read_jsonl(path)), {})
        if isinstance(row.get("metrics"), Mapping):
            return False
    if any(plain_name(name) in _TEXT_NAMES for name in row):
        return True
    return any(isinstance(value, str) and len(value.split()) > 2 for value in row.values())


class FaultyScoreError(DataError):
    """A column of scores has a cell that is not a number."""


class _Columns:
    """Which column of a table holds what."""

    def __init__(self, table: Table, path: str) -> None:
        # Rows of JSON may lack some.
        names = dict.fromkeys(name for _, row in table for name in row)
        self._ids = {target: usual_column(target, names) for target in ID_NAMES}
        self._system, self._path = content_stem(path), path
        taken = {name for name in self._ids.values() if name is not None}
        others = [
            name for name in names if name not in taken and plain_name(name) not in _INDEX_NAMES
        ]
        # Scores of one input belong together.
        self._annotator = None if self._ids["instance_id"] is None else annotator_column(others)
        others = [name for name in others if name != self._annotator]
        by_plain = {plain_name(name): name for name in others}
        measure = next((by_plain[name] for name in _MEASURE_NAMES if name in by_plain), None)
        value = next((by_plain[name] for name in _VALUE_NAMES if name in by_plain), None)
        numeric = [name for name in others if _is_numeric(name, table, path)]
        # A `score` of a `metric` is the long format, unless the metric is a column of numbers, too.
        self._long = None
        if measure is not None and value in numeric and measure not in numeric:
            self._long = (measure, str(value))
        self._measures = numeric
        self._unused = [name for name in others if name not in (*numeric, measure)]
        if not numeric:
            raise DataError(
                f"no column of numbers (found: {', '.join(names)}); scores are needed", file=path
            )
        _check_present([*sorted(taken), *(self._long or ())], table, path)

    def recognised(self) -> str:
        """Return what was recognised, in the form that options take, and what stands in for ids that are not there."""
        more = []
        if self._long is not None:
            more.append(f"scores of {self._long[0]!r} in {self._long[1]!r}")
        if self._annotator is not None:
            more.append(f"annotators in {self._annotator!r} (their mean counts)")
        notes = _id_notes(self._ids, self._system, more)
        missing = [t for t in ("instance_id", "summarizer_id") if self._ids[t] is None]
        if missing and self._unused:
            options = ", ".join(f'"{target}": "COLUMN"' for target in missing)
            notes.append(
                f"not used: {', '.join(self._unused)} (name ids with `fields={{{options}}}`)"
            )
        return "; ".join(notes)

    def rows(self, table: Table) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield a row of scores per summary."""
        if self._long is not None or self._annotator is not None:
            yield from self._gathered(table)
            return
        count: Counter[str] = Counter()
        known: dict[tuple[str, str], dict[str, float]] = {}
        for line, row in table:
            count[self._system_of(row)] += 1
            scores = {
                name: _number(row[name]) for name in self._measures if _is_defined(row.get(name))
            }
            number = str(count[self._system_of(row)])
            if self._unused and (id_column := self._ids["instance_id"]) is not None:
                key = str(row[id_column]), self._system_of(row)
                self._check_repeated(key, scores, known.setdefault(key, {}), line)
            yield line, _row(row, self._ids, scores, self._system, number)

    def _check_repeated(
        self,
        key: tuple[str, str],
        scores: Mapping[str, float],
        before: dict[str, float],
        line: int,
    ) -> None:
        """Refuse a second value for a summary where another column may say whose it is."""
        for name, value in scores.items():
            if before.setdefault(name, value) != value:
                raise DataError(
                    f"two different values of {name!r} for input {key[0]!r} and system {key[1]!r}; if people "
                    f'gave them, name the column of annotators with `fields={{"annotator": "COLUMN"}}` '
                    f"(not used: {', '.join(self._unused)})",
                    file=self._path,
                    line=line,
                )

    def _gathered(self, table: Table) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield a row per summary from a row per measure or per annotator; several annotators give a list."""
        if self._ids["instance_id"] is None:
            raise DataError(
                "a long table of scores needs a column for the input, such as 'id'", file=self._path
            )
        rows: dict[
            tuple[str, str], tuple[int, dict[str, Any], dict[str, dict[str | None, float]]]
        ] = {}
        for line, row in table:
            key = str(row[self._ids["instance_id"]]), self._system_of(row)
            scores = rows.setdefault(key, (line, row, {}))[2]
            annotator = None if self._annotator is None else str(row.get(self._annotator))
            for name, value in self._cells(row):
                by_annotator = scores.setdefault(name, {})
                if annotator in by_annotator:
                    whose = "" if annotator is None else f" by {annotator!r}"
                    raise DataError(
                        f"duplicate score: {name} of {key[1]} on {key[0]}{whose} appears twice",
                        file=self._path,
                        line=line,
                    )
                if _is_defined(value):
                    by_annotator[annotator] = _number(value)
        for line, row, scores in rows.values():
            values = {
                name: list(given.values()) if len(given) > 1 else next(iter(given.values()))
                for name, given in scores.items()
                if given
            }
            yield line, _row(row, self._ids, values, self._system, "")

    def _cells(self, row: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Return a row's measures with their cells."""
        if self._long is not None:
            measure, value = self._long
            return [(str(row[measure]), row[value])]
        return [(name, row.get(name)) for name in self._measures]

    def _system_of(self, row: Mapping[str, Any]) -> str:
        column = self._ids["summarizer_id"]
        return self._system if column is None else str(row[column])


def _check_present(names: Sequence[str], table: Table, path: str) -> None:
    """Refuse rows without one of the columns `names`."""
    for line, row in table:
        for name in names:
            if name not in row:
                message = f"no column {name!r} (found: {', '.join(row)}), which other rows have"
                raise DataError(message, file=path, line=line)


def _id_notes(ids: Mapping[str, str | None], system: str, more: Sequence[str] = ()) -> list[str]:
    """Return which columns hold the ids, then `more`, then what stands in for ids that are not there."""
    words = [f"{target}={name}" for target, name in ids.items() if name not in (None, target)]
    words += more
    notes = [" ".join(words)] if words else []
    if ids["instance_id"] is None:
        notes.append("instance_id is the row number")
    if ids["summarizer_id"] is None:
        notes.append(f"system {system!r}")
    return notes


def _row(
    values: Mapping[str, Any],
    names: Mapping[str, str | None],
    scores: Mapping[str, float | list[float]],
    system: str,
    number: str,
) -> dict[str, Any]:
    ids = {target: values[name] for target, name in names.items() if name is not None}
    row = {"instance_id": number, "summarizer_id": system, "summarizer_type": "peer", **ids}
    ids = {name: str(value) for name, value in row.items()}
    return {**ids, "metrics": MetricsDict(scores), "fields": values}


def _is_numeric(name: str, table: Table, path: str) -> bool:
    """Whether a column holds numbers. If most of its values are numbers, it is an error that another is not."""
    defined = [(line, row[name]) for line, row in table if _is_defined(row.get(name))]
    others = [(line, value) for line, value in defined if not _is_number(value)]
    if others and len(others) < len(defined) / 2:
        line, value = others[0]
        raise FaultyScoreError(
            f"column {name!r} holds numbers, but here {value!r}; correct it, or leave the cell empty",
            file=path,
            line=line,
        )
    return bool(defined) and not others


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(_number(value))
    except (TypeError, ValueError):
        return False


def _is_defined(value: Any) -> bool:
    return value is not None and str(value).strip().lower() not in _UNDEFINED


def _number(value: Any) -> float:
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"not a number: {value!r}")


def _read_json(path: str) -> Table | Iterator[NumberedRow]:
    try:
        value = read_json(path)
    except DataError:
        # JSON lines in spite of the name, or a damaged document.
        if (lines := _json_lines(path)) is None:
            raise
    else:
        if (rows := document_rows(value, path)) is not None:
            return rows
        if mlflow.matches(value):
            value = mlflow.records(value, path)
        is_row = isinstance(value, dict) and {"instance_id", "metrics"} <= value.keys()
        table = [value] if is_row else json_rows(value, path)
        if not all(isinstance(row, dict) for row in table):
            raise DataError("must hold a list of objects, or an object of columns", file=path)
        lines = list(enumerate(table, 1))
    # Rows of ours, which have no columns.
    return iter(lines) if lines and isinstance(lines[0][1].get("metrics"), dict) else lines


def _json_lines(path: str) -> Table | None:
    """Return the rows of JSON lines; None if the first line is not an object."""
    rows = read_jsonl(path)
    try:
        first = next(rows)
    except (DataError, StopIteration):
        return None
    return [first, *rows]


_TABLES: Mapping[str, Callable[[str], Table | Iterator[NumberedRow]]] = {
    ".csv": delimited_table,
    ".tsv": delimited_table,
    ".tab": delimited_table,
    ".json": _read_json,
    ".xlsx": workbook_table,
    ".parquet": binary_table,
    **dict.fromkeys(ARROW_ENDINGS, binary_table),
    ARCHIVE_ENDING: archive_rows,
}
TABLE_ENDINGS = tuple(_TABLES)
