"""What a file holds: summaries, scores or the texts of inputs, in any format that `evaluate` or `compare` reads."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from rubrica.data.files import read_lines
from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import convert, read_json
from rubrica.data.logs import document_rows, lm_eval, mlflow
from rubrica.data.logs.rows import NO_TEXTS, Texts
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.scores.rows import holds_scores, raw_rows, read_score_rows
from rubrica.datasets.open import reader_of_all_fields
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.fields import Columns, usual_columns
from rubrica.datasets.readers.inputs import extension
from rubrica.datasets.readers.parquet import ParquetReader
from rubrica.datasets.readers.row import SINGULAR_NAMES, Row
from rubrica.datasets.readers.tables import TableReader, holds_texts, is_number
from rubrica.errors import DataError, RubricaError
from rubrica.metrics.base.measures import Measures
from rubrica.serve.viewer.table import Sample

# How to read a file of summaries; from the options of the command line.
ReaderFor = Callable[[str], DatasetReader]
LOG_ENDING = ".eval"
# A longer value is a text, not a field to filter by.
_LONGEST_FIELD = 80


@dataclass(frozen=True, slots=True)
class Recognised:
    """The samples of a file, and a sentence about what was recognised, complete once they are read."""

    kind: str
    samples: Iterator[Sample]
    describe: Callable[[], str]


def recognise(path: str, reader_for: ReaderFor, measures: Measures) -> Recognised:
    """Return the samples of a file; what its rows say about measures is added to `measures`.

    Raises:
        RubricaError: The file cannot be read as summaries, texts or scores; names file, line and remedy.
    """
    if _is_log(path):
        return _logged(path, measures)
    reader = reader_of_all_fields(reader_for(path))
    if not isinstance(reader, TableReader):
        return Recognised("summaries", map(_sample, reader.read(path)), reader.describe)
    if isinstance(reader, ParquetReader):
        reader.all_columns = True
        if holds_scores(path):
            return _scores(path, measures)
    records = reader.records(path)
    try:
        first = next(records, None)
    except DataError as error:
        return _without_summaries(path, reader, measures, error)
    if first is None:
        return Recognised("summaries", iter(()), reader.describe)
    if not holds_texts(first[0].values, first[1]):
        return _scores(path, measures)
    return Recognised("summaries", _samples(chain([first], records)), reader.describe)


def _is_log(path: str) -> bool:
    """Return whether a file is a harness's log."""
    ending = extension(path)
    if ending == LOG_ENDING:
        return True
    if ending == ".json":
        try:
            document = read_json(path)
        except RubricaError:
            return False
        return mlflow.matches(document) or document_rows(document, path) is not None
    if ending in (".jsonl", ""):
        first = next((line for _, line in read_lines(path) if line.strip()), b"")
        return lm_eval.is_sample(first)
    return False


def _without_summaries(
    path: str, reader: TableReader, measures: Measures, error: DataError
) -> Recognised:
    """Return texts of inputs or scores; raise the reader's error if the file holds neither."""
    row = next(reader.rows(path), (0, {}))[1]
    ids = usual_columns("instance_id", row)
    contexts = {name: usual_columns(name, row) for name in ("references", "documents")}
    if ids and any(contexts.values()) and not usual_columns("summary", row):
        columns = {name: names[0] for name, names in contexts.items() if names}
        note = " ".join(f"{name}={column}" for name, column in columns.items())
        used = {*ids, *columns.values()}
        others = [
            name for name, value in row.items() if isinstance(value, str) and name not in used
        ]
        # References alone are rare: the other columns may hold the summaries.
        if others and contexts["references"]:
            names = " ".join(shlex.quote(name) for name in others)
            note += f"; no summaries: if each other column holds a system's, pass --systems {names}"
        samples = _context_samples(path, reader, ids[0], columns)
        return Recognised("texts of inputs", samples, lambda: f"{path}: {note}")
    try:
        scored = next(read_score_rows(path, Metrics), None)
    except DataError as score_error:
        raise (score_error if "metrics" in row else error) from None
    if scored is None or not scored[1].metrics:
        raise error
    return _scores(path, measures)


def _samples(
    records: Iterator[tuple[Row, Columns, Iterator[EvalInstance]]],
) -> Iterator[Sample]:
    used: set[str] = set()
    for row, columns, instances in records:
        used = used or columns.mapped()
        scores, fields = _others(row.values, used)
        for instance in instances:
            sample = _sample(instance)
            # With a column per system, numbers of a row belong to the input, not to a summary.
            sample.scores, sample.fields = {} if columns.systems else scores, fields
            yield sample


def _sample(instance: EvalInstance) -> Sample:
    texts = instance.fields
    return Sample(
        instance.instance_id,
        instance.summarizer_id,
        instance.summarizer_type,
        texts["summary"],
        texts.get("references"),
        texts.get("documents"),
        instance.languages,
    )


def _others(values: Mapping[str, Any], used: set[str]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the numbers and the short texts of a row that are none of its fields."""
    scores: dict[str, float] = {}
    fields: dict[str, str] = {}
    for name, value in values.items():
        if name in used or value is None:
            continue
        if isinstance(value, dict):
            _add_numbers(value, "" if name == "metrics" else f"{name}.", scores)
        elif isinstance(value, bool):
            fields[name] = str(value).lower()
        elif is_number(value):
            scores[name] = float(value)
        elif isinstance(value, str) and 0 < len(value) <= _LONGEST_FIELD:
            fields[name] = value
    return scores, fields


def _add_numbers(values: Mapping[str, Any], prefix: str, scores: dict[str, float]) -> None:
    """Add every number of nested objects by its dotted name; a list counts as its mean."""
    for name, value in values.items():
        kind = type(value)
        if kind is float or kind is int:
            if math.isfinite(value):
                scores[f"{prefix}{name}"] = float(value)
        elif kind is dict:
            _add_numbers(value, f"{prefix}{name}.", scores)
        elif kind is list:
            scores.update(Metrics("", "", "", MetricsDict({f"{prefix}{name}": value})).values())


def _context_samples(
    path: str, reader: TableReader, id_column: str, columns: Mapping[str, str]
) -> Iterator[Sample]:
    for line, values in reader.rows(path):
        row = Row(values, path, line, reader.name)
        sample = Sample(row.identifier(id_column), None)
        for name, column in columns.items():
            value = row.required(column)
            if isinstance(value, list) and column.lower() != SINGULAR_NAMES[name]:
                setattr(sample, name, row.as_texts(value, column, nested=True))
            else:
                # A list under `document` is the sentences of one text.
                setattr(sample, name, [row.as_text(value, column, nested=True)])
        yield sample


def _scores(path: str, measures: Measures) -> Recognised:
    notes: list[str] = []

    def samples() -> Iterator[Sample]:
        for line, row in read_score_rows(path, Metrics, notes=notes):
            yield _scored(path, line, row, measures)

    return Recognised("scores", samples(), lambda: "\n".join(notes))


def _logged(path: str, measures: Measures) -> Recognised:
    """Return the samples of a harness's log: scores, and the texts that it has."""
    notes: list[str] = []

    def samples() -> Iterator[Sample]:
        for line, row in raw_rows(path, notes=notes):
            sample = _scored(path, line, convert(row, Metrics, path, line), measures)
            texts: Texts = row.get("texts", NO_TEXTS)
            sample.summary = texts.summary
            sample.references, sample.documents = texts.references or None, texts.documents or None
            yield sample

    return Recognised("scores", samples(), lambda: "\n".join(notes))


def _scored(path: str, line: int, row: Metrics, measures: Measures) -> Sample:
    try:
        measures.add(row)
    except RubricaError as error:
        raise DataError(str(error), file=path, line=line) from error
    return score_sample(row)


def score_sample(row: Metrics) -> Sample:
    """Return a row of scores as a sample."""
    return Sample(row.instance_id, row.summarizer_id, row.summarizer_type, scores=row.values())


def is_openable(name: str) -> bool:
    """Return whether a file in a folder may hold samples, by its ending; texts per line are named themselves."""
    return extension(name.removesuffix(".partial")) in _ENDINGS and not name.startswith(".")


_ENDINGS = {
    ".jsonl",
    ".json",
    ".csv",
    ".tsv",
    ".tab",
    ".parquet",
    ".arrow",
    ".feather",
    ".ipc",
    ".xlsx",
    LOG_ENDING,
}


def file_stem(path: str) -> str:
    """Return the name that a system has if its file names none."""
    return os.path.splitext(os.path.basename(path))[0]
