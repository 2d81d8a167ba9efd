"""Files of scores: one reader of rows, and one writer, for JSON lines and Parquet alike."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

import msgspec

from rubrica.data.files import atomic_output, content_ending, read_lines
from rubrica.data.formats.json_keys import KeyCheck
from rubrica.data.jsonl import convert, decode_object, read_json, read_jsonl, write_jsonl
from rubrica.data.logs import lm_eval
from rubrica.data.logs.rows import NoScoresError, NumberedRow
from rubrica.data.metrics import Metrics, decode_metrics
from rubrica.data.scores.columns import TableColumns, usual_column
from rubrica.data.scores.parquet import ScoreColumns, has_ids, read_parquet
from rubrica.data.scores.tables import (
    ARROW_ENDINGS,
    TABLE_ENDINGS,
    FaultyScoreError,
    holds_texts,
    is_flat,
    read_columns,
    read_table,
    table_rows,
)
from rubrica.data.table_files import binary_table
from rubrica.errors import DataError

Row = TypeVar("Row", bound=Metrics)


def read_score_rows(
    path: str | os.PathLike[str],
    kind: type[Row],
    mapping: TableColumns | None = None,
    notes: list[str] | None = None,
) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a file of scores with their line numbers (in Parquet, row numbers).

    Rows are records of a kind: `Metrics`, or a class that extends it.

    The ending of the name decides on the format: tables (`.parquet`, `.arrow`, `.csv`, `.tsv`, `.json`, `.xlsx`), logs
    (`.eval`), or else JSON lines, compressed or not. Logs of harnesses in `.json` and JSON lines
    are recognised by their content. Keys that a row of this kind does not have are skipped. `mapping` names columns of
    the table; without it they are recognised by their usual names. `notes` receives a line on what was recognised.
    """
    last: Any = None
    path = os.fspath(path)
    mapping = _columns_of(path, mapping)
    if mapping is not None or _is_table(path):
        rows = read_table(path, kind, mapping, notes)
    elif content_ending(path) == ".parquet":
        rows = read_parquet(path, kind)
    else:
        rows = read_row_lines(path, kind, notes)
    for number, row in rows:
        # Nearly always those of the row before, so they are held once.
        if last is not None and row.signatures == last.signatures:
            row.signatures = last.signatures
        if last is not None and row.measures == last.measures:
            row.measures = last.measures
        last = row
        yield number, row


def read_metrics(
    path: str | os.PathLike[str], mapping: TableColumns | None = None
) -> Iterator[Metrics]:
    """Yield the rows of a file of scores."""
    for _, row in read_score_rows(path, Metrics, mapping):
        yield row


def read_score_fields(
    path: str | os.PathLike[str], mapping: TableColumns | None = None
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield what a file of scores says about each row, with its `instance_id`: columns, keys, a sample's metadata."""
    path = os.fspath(path)
    for line, row in raw_rows(path, _columns_of(path, mapping)):
        name = usual_column("instance_id", row)
        about = row.get("fields", row)
        yield line, {**about, "instance_id": None if name is None else row[name]}


def raw_rows(
    path: str, mapping: TableColumns | None = None, notes: list[str] | None = None
) -> Iterable[tuple[int, Mapping[str, Any]]]:
    """Return the rows before they become records; those of logs have `texts` of their samples."""
    if mapping is not None or _is_table(path):
        # A row for each column of a system would not keep the other columns.
        return table_rows(path, TableColumns(mapping.fields) if mapping else None, notes)
    if content_ending(path) == ".parquet":
        return binary_table(path)
    if lm_eval.is_sample(_first_line(path)[1]):
        return lm_eval.rows(read_lines(path), path)
    return read_jsonl(path)


def _columns_of(path: str, mapping: TableColumns | None) -> TableColumns | None:
    """Return the columns that were named, for a file that has columns; None for rows of ours, which need no names."""
    if mapping is None or path == "-" or _is_table(path):
        return mapping
    number, first = (1, b"") if content_ending(path) == ".parquet" else _first_line(path)
    if not first or lm_eval.is_sample(first) or "metrics" in decode_object(first, path, number):
        return None
    return mapping


def _first_line(path: str) -> tuple[int, bytes]:
    """Return the first line that is not blank, with its number."""
    return next((line for line in read_lines(path) if line[1].strip()), (1, b""))


def holds_scores(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds rows of scores, by its first row."""
    path = os.fspath(path)
    try:
        # Before all rows of a large table are read for its columns of numbers.
        is_large = _is_foreign_binary(path) or content_ending(path) not in TABLE_ENDINGS
        if is_large and holds_texts(path):
            return False
        row = next(read_metrics(path), None)
    except NoScoresError:
        # A log, not summaries: whoever reads it says why it has no scores.
        return True
    except FaultyScoreError:
        return not holds_texts(path)
    except DataError:
        return False
    return row is not None and (bool(row.signatures) or not holds_texts(path))


def holds_own_rows(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds rows as `score` writes them, not scores of another program."""
    path = os.fspath(path)
    try:
        if content_ending(path) == ".parquet":
            return has_ids(path)
        number, first = _first_line(path)
        return isinstance(decode_object(first, path, number).get("metrics"), Mapping)
    except DataError:
        return False


def _is_table(path: str) -> bool:
    kind = content_ending(path)
    return _is_foreign_binary(path) if kind == ".parquet" else kind in TABLE_ENDINGS


def _is_foreign_binary(path: str) -> bool:
    kind = content_ending(path)
    return kind in ARROW_ENDINGS or (kind == ".parquet" and not has_ids(path))


def holds_system_scores(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds system scores: a JSON object with `metrics`."""
    try:
        content = read_json(path)
    except DataError:
        return False
    return isinstance(content, dict) and "metrics" in content


def write_score_rows(path: str | os.PathLike[str], rows: Iterable[Metrics]) -> None:
    """Write rows in the format that the name asks for, atomically."""
    if os.path.splitext(path)[1].lower() != ".parquet":
        write_jsonl(path, rows)
        return
    columns = ScoreColumns()
    columns.add(rows)
    with atomic_output(path) as stream:
        columns.write(stream)


def decode_rows(lines: bytes) -> list[Metrics]:
    """Return rows that were encoded as JSON lines."""
    return _decoder(Metrics).decode_lines(lines)


def read_row_lines(
    path: str, kind: type[Row], notes: list[str] | None = None
) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a file of JSON lines with their line numbers; `notes` is that of `read_score_rows`."""
    decoder, keys = _decoder(kind), KeyCheck(path)
    lines = read_lines(path)
    first = True
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            row = None
        if first and (row is None or not row.metrics):
            others = _other_rows(line, chain([(number, line)], lines), path, notes)
            if others is not None:
                for at, values in others:
                    yield at, convert(values, kind, path, at)
                return
        first = False
        if row is not None:
            keys.check(line, number)
        # The slow path accepts more (ids that are numbers) and names the error's position.
        yield number, row if row is not None and row.metrics else _convert(line, kind, path, number)


def _other_rows(
    first: bytes, lines: Iterable[tuple[int, bytes]], path: str, notes: list[str] | None
) -> Iterator[NumberedRow] | None:
    """Return the rows of a harness's samples, or of flat objects; None if the first line is neither."""
    if lm_eval.is_sample(first):
        return lm_eval.rows(lines, path)
    number, _ = first_line = next(iter(lines))
    if not is_flat(decode_object(first, path, number)):
        return None
    table = [
        (at, decode_object(line, path, at))
        for at, line in chain([first_line], lines)
        if line.strip()
    ]
    for at, row in table:
        if "metrics" in row:
            message = "a row with 'metrics' after rows without; keep them in two files"
            raise DataError(message, file=path, line=at)
    return read_columns(table, path, notes)


def _convert(line: bytes, kind: type[Row], path: str, number: int) -> Row:
    values = decode_object(line, path, number)
    if "metrics" not in values:
        raise DataError(
            f"no field 'metrics' (found: {', '.join(map(str, values))}); rows of scores are needed, "
            "as rubrica METRIC score writes them, or flat ones with numbers",
            file=path,
            line=number,
        )
    return convert(values, kind, path, number)


@lru_cache
def _decoder(kind: type[Row]) -> msgspec.json.Decoder[Row]:
    return msgspec.json.Decoder(kind, dec_hook=decode_metrics)
