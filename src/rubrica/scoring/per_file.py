"""The step of the loop that turns each input file into a part of its own, read, scored and written by one worker.

No text passes through the driver, so the number of workers is all that limits a run. A part appears when it is
complete; a run that was stopped goes on with the parts that are missing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Literal, TypeAlias

from rubrica.data.remote import is_url
from rubrica.data.scores.parquet import ScoreColumns
from rubrica.data.scores.rows import decode_rows, read_metrics
from rubrica.data.storage import atomic_write, sha256_of_places
from rubrica.data.store import ScoreStore
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.source import Source
from rubrica.scoring.duplicates import Seen, duplicate_error
from rubrica.scoring.engines.base import SERIAL, Engine, WorkKind
from rubrica.scoring.loop import ramped_sizes, rows_per_batch, run
from rubrica.scoring.parts_folder import PartRecord, PartsFolder, record_part
from rubrica.scoring.plan import Plan, fit_to_input
from rubrica.scoring.reporter import SILENT
from rubrica.scoring.resume import Finished, ResumedRows
from rubrica.scoring.run import Pieces
from rubrica.scoring.worker import ScoredBatch, Worker

Format: TypeAlias = Literal["jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("jsonl", "parquet")


@dataclass(frozen=True, slots=True)
class Part:
    """One file of rows with its record. `batches` are without their lines, which are in the file."""

    input: str
    output: str
    record: PartRecord
    batches: Sequence[ScoredBatch] = ()
    # Written by an earlier run and still valid.
    existing: bool = False
    # Why a part of an earlier run was not reused.
    replaced: str = ""


@dataclass(frozen=True, slots=True)
class _Job:
    reader: DatasetReader
    worker: Worker
    store: str | None
    batch_size: int | None
    format: Format
    run_id: str


@dataclass(frozen=True, slots=True)
class _Task:
    input: str
    output: str
    # Of the part that an earlier run wrote.
    record: PartRecord | None


class _FileStep:
    """Scores whole files; parts that exist already are only read again, where their values are needed."""

    def __init__(self, job: _Job) -> None:
        self._job = job

    @property
    def kind(self) -> WorkKind:
        """A file is too much for a thread: reading and writing hold the interpreter lock."""
        kind = self._job.worker.plan.work_kind()
        return "processes" if kind == "threads" else kind

    def prepare(self, task: _Task) -> tuple[None, _Task]:
        """Send the names of the files."""
        return None, task

    @property
    def work(self) -> Callable[[_Task], Part]:
        """Turn a file into a part."""
        return partial(_write_part, self._job)

    def finish(self, context: None, part: Part) -> Part:
        """Return the part."""
        return part

    def describe(self, task: _Task) -> str:
        """Name the input file."""
        return task.input

    def close(self) -> None:
        """Do nothing."""


def score_files(
    files: Sequence[str],
    plan: Plan,
    reader: DatasetReader,
    folder: str,
    *,
    engine: Engine,
    resume: bool = False,
    overwrite: bool = False,
    store: str | None = None,
    batch_size: int | None = None,
    format: Format = "jsonl",
) -> Iterator[Part]:
    """Score every file into `FOLDER/part-NNNNN.jsonl` (or `.parquet`), in the order of the files.

    The folder may be a URL. Metrics that need the whole input see it first, in one pass of the driver.
    """
    plan, _ = fit_to_input(plan, Source(reader, files))
    description = {
        "task": plan.task,
        "metrics": plan.signatures(),
        "peer_jackknifing": plan.peer_jackknifing,
        "inputs": list(plan.inputs),
        "reader": reader.name,
        "files": list(files),
        "format": format,
    }
    with PartsFolder(folder, description, resume=resume, overwrite=overwrite) as parts_folder:
        # Corpus statistics are not in the rows, so such parts are scored again by `evaluate`.
        reusable = plan.task == "score" or not plan.has_corpus_statistics()
        old_records = parts_folder.records if reusable else {}
        width = max(5, len(str(len(files) - 1)))
        names = [f"part-{number:0{width}d}.{format}" for number in range(len(files))]
        tasks = [
            _Task(file, parts_folder.path_of(name), old_records.get(name))
            for file, name in zip(files, names, strict=True)
        ]
        worker = Worker(plan, reader, plan.signatures())
        job = _Job(reader, worker, store, batch_size, format, parts_folder.run_id)
        results = run(_FileStep(job), tasks, engine=engine)
        seen, records = Seen(), {}
        with closing(results):
            for name, (_, part) in zip(names, results, strict=True):
                _check_duplicates(part, seen, reader)
                records[name] = part.record
                yield part
        if not any(record.rows for record in records.values()):
            raise Source(reader, files).empty_error(plan.task)
        parts_folder.finish(records)


def _check_duplicates(part: Part, seen: Seen, reader: DatasetReader) -> None:
    before = 0
    for batch in part.batches:
        duplicate = seen.add(batch.keys)
        if duplicate is not None:
            row, first = duplicate
            instance = next(islice(reader.read(part.input), before + row, None))
            raise duplicate_error(instance, first)
        before += len(batch)


def _write_part(job: _Job, task: _Task) -> Part:
    """In a worker: turn one file into a part, or check an existing part."""
    record, replaced = task.record, ""
    digest = _input_digest(job.reader, task.input)
    if record is not None:
        if record.input_sha256 != digest:
            replaced = "its input changed"
        elif sha256_of_places([task.output]) != record.sha256:
            replaced = "the file had been changed"
        else:
            return Part(task.input, task.output, record, _read_part(job, task, record.rows), True)
    batches = _score_part(job, task)
    rows, sha256 = sum(map(len, batches)), sha256_of_places([task.output])
    record = PartRecord(job.run_id, task.input, digest, rows, sha256)
    record_part(task.output, record)
    return Part(task.input, task.output, record, batches, replaced=replaced)


def _input_digest(reader: DatasetReader, file: str) -> str:
    """Return a digest of everything that is read for a part: the file, and those that the reader names."""
    files = Source(reader, [file]).all_files()
    return sha256_of_places(name for name in files if is_url(name) or os.path.isfile(name))


def _read_part(job: _Job, task: _Task, rows: int) -> list[ScoredBatch]:
    """Return the values of an existing part; `score` does not need them."""
    if job.worker.plan.task == "score":
        return []
    pieces = job.reader.pieces([task.input], _sizes(job))
    finished = Finished(task.output, rows, partial(read_metrics, task.output))
    resumed = ResumedRows(finished, job.worker, pieces, Seen())
    return [replace(batch, lines=b"") for batch in resumed.batches()]


def _score_part(job: _Job, task: _Task) -> list[ScoredBatch]:
    """Score a file as a stream, and write its rows."""
    store = _store(job.store) if job.store else None
    sizes = _sizes(job)
    run_of_file = Pieces(job.worker.plan, job.worker, (), sizes, SERIAL, store, SILENT)
    scored = run_of_file.score(job.reader.pieces([task.input], sizes))
    batches = []
    with atomic_write(task.output) as stream:
        columns = ScoreColumns() if job.format == "parquet" else None
        for batch in scored:
            if columns is None:
                stream.write(batch.lines)
            else:
                columns.add(decode_rows(batch.lines))
            batches.append(replace(batch, lines=b""))
        if columns is not None:
            columns.write(stream, job.worker.signatures)
    return batches


def _sizes(job: _Job) -> Iterator[int]:
    return ramped_sizes(rows_per_batch(SERIAL, job.batch_size))


@lru_cache(maxsize=1)
def _store(path: str) -> ScoreStore:
    """Once per worker: its shards are checked when they are opened."""
    store = ScoreStore(path)
    store.prepare()
    return store
