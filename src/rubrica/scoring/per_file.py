"""The sink that turns each input file into a part of its own, read, scored and written by one worker.

No text passes through the driver, so the number of workers is all that limits a run. A part appears when it is
complete; a run that was stopped goes on with the parts that are missing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal, TypeAlias

from rubrica.data.remote import is_url
from rubrica.data.scores.parquet import ScoreColumns
from rubrica.data.scores.rows import decode_rows, read_metrics
from rubrica.data.storage import atomic_write, sha256_of_places
from rubrica.data.store import ScoreStore
from rubrica.datasets.source import Source
from rubrica.errors import InterruptedRunError
from rubrica.formatting.words import counted
from rubrica.scoring.duplicates import Seen
from rubrica.scoring.engines.base import Work, WorkKind, engine_for
from rubrica.scoring.loop import Step, run
from rubrica.scoring.parts_folder import PartRecord, PartsFolder, record_part
from rubrica.scoring.resume import Finished, ResumedRows
from rubrica.scoring.run import Pieces
from rubrica.scoring.sinks import Sink
from rubrica.scoring.worker import ScoredBatch, Worker

Format: TypeAlias = Literal["jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("jsonl", "parquet")


@dataclass(frozen=True, slots=True)
class _Part:
    """A file of rows with its record. `batches` are without their lines, which are in the file."""

    record: PartRecord
    batches: Sequence[ScoredBatch]
    # Written by an earlier run and still valid.
    existing: bool = False
    # Why a part of an earlier run was not reused.
    replaced: str = ""


@dataclass(frozen=True, slots=True)
class _Job:
    worker: Worker
    store: str | None
    batch_size: int | None
    format: Format
    run_id: str


@dataclass(frozen=True, slots=True)
class _Task:
    input: Source
    output: str
    # Of the part that an earlier run wrote.
    record: PartRecord | None


class PartsSink(Sink):
    """Scores every file into `FOLDER/part-NNNNN.jsonl` (or `.parquet`), in the order of the files.

    The folder may be a URL. The parts are made wherever the engine has workers.
    """

    def __init__(self, folder: str, format: Format, *, resume: bool, overwrite: bool) -> None:
        self._folder, self._format = folder, format
        self._resume, self._overwrite = resume, overwrite

    def write(self, pieces: Pieces) -> Generator[ScoredBatch, None, None]:
        """Score each file into its part; yield the batches of finished parts, without their lines."""
        plan, source = pieces.worker.plan, pieces.source
        assert isinstance(source, Source)
        files = source.files
        run_of_parts = pieces.description() | {"inputs": list(plan.inputs), "format": self._format}
        with PartsFolder(
            self._folder, run_of_parts, resume=self._resume, overwrite=self._overwrite
        ) as folder:
            # Corpus statistics are not in the rows, so such parts are scored again by `evaluate`.
            reusable = plan.task == "score" or not plan.has_corpus_statistics()
            old_records = folder.records if reusable else {}
            width = max(5, len(str(len(files) - 1)))
            tasks = {
                name: _Task(
                    Source(source.reader, [file]), folder.path_of(name), old_records.get(name)
                )
                for number, file in enumerate(files)
                for name in [f"part-{number:0{width}d}.{self._format}"]
            }
            store = os.path.abspath(pieces.store.path) if pieces.store else None
            job = _Job(pieces.worker, store, pieces.batch_size, self._format, folder.run_id)
            # A file is too much for a thread: reading and writing hold the interpreter lock.
            kind: WorkKind = "processes" if plan.work_kind() == "threads" else plan.work_kind()
            work = Work(partial(_write_part, job), kind, lambda task: task.input.files[0])
            results = run(Step(work), tasks.values(), engine=pieces.engine)
            parts: dict[str, _Part] = {}
            with closing(results), pieces.reporter.counter("files", lambda: len(files)) as count:
                for name, (task, part) in zip(tasks, results, strict=True):
                    parts[name] = replace(part, batches=())
                    yield from _checked(part.batches, pieces.seen, task.input)
                    count(1)
            if not any(part.record.rows for part in parts.values()):
                raise source.empty_error(plan.task)
            folder.finish({name: part.record for name, part in parts.items()})
        for message in self._summary(list(parts.values())):
            pieces.reporter.say(message)

    def _summary(self, parts: Sequence[_Part]) -> Generator[str, None, None]:
        for reason, number in Counter(part.replaced for part in parts if part.replaced).items():
            yield f"{counted(number, 'part')} scored again: {reason}"
        new = [part.record.rows for part in parts if not part.existing]
        existing = len(parts) - len(new)
        reused = f", {existing:,} reused from an earlier run" if existing else ""
        yield f"{sum(new):,} rows scored, {len(new):,} files{reused}: {self._folder}"

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, KeyboardInterrupt):
            raise InterruptedRunError(
                f"interrupted; finished parts are in {self._folder}: add `resume=True` to continue"
            ) from error


def _checked(
    batches: Sequence[ScoredBatch], seen: Seen, source: Source
) -> Generator[ScoredBatch, None, None]:
    """Yield the batches of a part; a duplicate row is an error."""
    before = 0
    for batch in batches:
        seen.check(batch.keys, partial(iter, source), before)
        before += len(batch)
        yield batch


def _write_part(job: _Job, task: _Task) -> _Part:
    """In a worker: turn one file into a part, or check an existing part."""
    record, replaced = task.record, ""
    digest = _input_digest(task.input)
    engine, store = engine_for("local", workers=1), _store(job.store) if job.store else None
    pieces = Pieces(job.worker, task.input, engine, store, job.batch_size)
    if record is not None:
        if record.input_sha256 != digest:
            replaced = "its input changed"
        elif sha256_of_places([task.output]) != record.sha256:
            replaced = "the file had been changed"
        else:
            return _Part(record, _read_part(pieces, task.output, record.rows), existing=True)
    batches = _score_part(job, pieces, task.output)
    rows, sha256 = sum(map(len, batches)), sha256_of_places([task.output])
    record = PartRecord(job.run_id, task.input.files[0], digest, rows, sha256)
    record_part(task.output, record)
    return _Part(record, batches, replaced=replaced)


def _input_digest(source: Source) -> str:
    """Return a digest of everything that is read for a part: the file, and those that the reader names."""
    files = source.all_files()
    return sha256_of_places(name for name in files if is_url(name) or os.path.isfile(name))


def _read_part(pieces: Pieces, part: str, rows: int) -> list[ScoredBatch]:
    """Return the values of an existing part; `score` does not need them."""
    if pieces.worker.plan.task == "score":
        return []
    finished = Finished(part, rows, partial(read_metrics, part))
    resumed = ResumedRows(finished, pieces.worker, pieces.all(), pieces.seen)
    return [replace(batch, lines=b"") for batch in resumed.batches()]


def _score_part(job: _Job, pieces: Pieces, part: str) -> list[ScoredBatch]:
    """Score a file as a stream, and write its rows."""
    batches = []
    with atomic_write(part) as stream:
        columns = ScoreColumns() if job.format == "parquet" else None
        for batch in pieces.score(pieces.all()):
            if columns is None:
                stream.write(batch.lines)
            else:
                columns.add(decode_rows(batch.lines))
            batches.append(replace(batch, lines=b""))
        if columns is not None:
            columns.write(stream, job.worker.signatures)
    return batches


@lru_cache(maxsize=1)
def _store(path: str) -> ScoreStore:
    """Once per worker: its shards are checked when they are opened."""
    store = ScoreStore(path)
    store.prepare()
    return store
