"""The step of the loop that turns each input file into a part of its own, read, scored and written by one worker.

No text passes through the driver, so the number of workers is all that limits a run. A part appears when it is
complete; a run that was stopped goes on with the parts that are missing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Literal, TypeAlias

import msgspec

from rubrica.data.places import names_in, remove, small_file, whole_file
from rubrica.data.remote import is_url
from rubrica.data.score_parquet import ScoreColumns
from rubrica.data.score_rows import decode_rows, read_metrics
from rubrica.data.store import ScoreStore
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.source import Source
from rubrica.errors import DataError, MismatchError
from rubrica.scoring.duplicates import Seen, duplicate_error
from rubrica.scoring.engines.base import SERIAL, Engine, WorkKind
from rubrica.scoring.loop import ramped_sizes, rows_per_batch, run
from rubrica.scoring.plan import Plan, fit_to_input
from rubrica.scoring.reporter import SILENT
from rubrica.scoring.resume import Finished, ResumedRows
from rubrica.scoring.run import Pieces
from rubrica.scoring.worker import ScoredBatch, Worker

NOTE = "run.json"
Format: TypeAlias = Literal["jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("jsonl", "parquet")
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Part:
    """One file of rows and the input it belongs to; `existing` where an earlier run wrote it.

    `batches` are without their lines, which are in the file.
    """

    input: str
    output: str
    batches: Sequence[ScoredBatch] = ()
    existing: bool = False

    def __len__(self) -> int:
        return sum(map(len, self.batches))


@dataclass(frozen=True, slots=True)
class _Job:
    reader: DatasetReader
    worker: Worker
    store: str | None
    batch_size: int | None
    format: Format


@dataclass(frozen=True, slots=True)
class _Task:
    input: str
    output: str
    existing: bool


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
        """The part is the result."""
        return part

    def describe(self, task: _Task) -> str:
        """Name the input file."""
        return task.input

    def close(self) -> None:
        """Nothing is held."""


def score_files(
    files: Sequence[str],
    plan: Plan,
    reader: DatasetReader,
    folder: str,
    *,
    engine: Engine,
    resume: bool = False,
    store: str | None = None,
    batch_size: int | None = None,
    format: Format = "jsonl",
) -> Iterator[Part]:
    """Score every file into `FOLDER/part-NNNNN.jsonl` (or `.parquet`), in the order of the files.

    The folder may be a URL. Metrics that need the whole input see it first, in one pass of the driver.
    """
    plan, _ = fit_to_input(plan, Source(reader, files))
    folder = _absolute(folder)
    description = {
        "task": plan.task,
        "metrics": plan.signatures(),
        "peer_jackknifing": plan.peer_jackknifing,
        "inputs": list(plan.inputs),
        "reader": reader.name,
        "files": list(files),
    }
    if format != "jsonl":
        description["format"] = format
    finished = _existing_parts(folder, _ENCODER.encode(description), resume)
    width = max(5, len(str(len(files) - 1)))
    # Corpus statistics are not in the rows, so such parts are scored again by `evaluate`.
    reusable = plan.task == "score" or not plan.has_corpus_statistics()
    tasks = []
    for number, file in enumerate(files):
        name = f"part-{number:0{width}d}.{format}"
        tasks.append(_Task(file, f"{folder}/{name}", reusable and name in finished))
    job = _Job(reader, Worker(plan, reader, plan.signatures()), store, batch_size, format)
    # `score` needs nothing of a part that exists; `evaluate` reads its values.
    skipped = [task.existing and plan.task == "score" for task in tasks]
    todo = [task for task, skip in zip(tasks, skipped, strict=True) if not skip]
    results = run(_FileStep(job), todo, engine=engine)
    seen = Seen()
    for task, skip in zip(tasks, skipped, strict=True):
        if skip:
            yield Part(task.input, task.output, existing=True)
            continue
        _, part = next(results)
        _check_duplicates(part, seen, reader)
        yield part


def _check_duplicates(part: Part, seen: Seen, reader: DatasetReader) -> None:
    before = 0
    for batch in part.batches:
        repeated = seen.add(batch.keys)
        if repeated is not None:
            row, first = repeated
            instance = next(islice(reader.read(part.input), before + row, None))
            raise duplicate_error(instance, first)
        before += len(batch)


def _write_part(job: _Job, task: _Task) -> Part:
    """In a worker: one file, as a stream."""
    sizes = ramped_sizes(rows_per_batch(SERIAL, job.batch_size))
    pieces = job.reader.pieces([task.input], sizes)
    if task.existing:
        finished = Finished(task.output, _count(task.output), partial(read_metrics, task.output))
        resumed = ResumedRows(finished, job.worker, pieces, Seen())
        batches = [replace(batch, lines=b"") for batch in resumed.batches()]
        if resumed.rest or any(job.worker.read(piece) for piece in pieces):
            raise finished.other_input(finished.count + 1)
        return Part(task.input, task.output, batches, existing=True)
    store = _store(job.store) if job.store else None
    run_of_file = Pieces(job.worker.plan, job.worker, (), sizes, SERIAL, store, SILENT)
    scored = run_of_file.score(pieces)
    batches = []
    with whole_file(task.output) as stream:
        columns = ScoreColumns() if job.format == "parquet" else None
        for batch in scored:
            if columns is None:
                stream.write(batch.lines)
            else:
                columns.add(decode_rows(batch.lines))
            batches.append(replace(batch, lines=b""))
        if columns is not None:
            columns.write(stream, job.worker.signatures)
    return Part(task.input, task.output, batches)


def _count(part: str) -> int:
    return sum(1 for _ in read_metrics(part))


@lru_cache(maxsize=1)
def _store(path: str) -> ScoreStore:
    """Once per worker: its shards are checked when they are opened."""
    return ScoreStore(path)


def _existing_parts(folder: str, description: bytes, resume: bool) -> set[str]:
    """Return the parts of an earlier run to reuse, once it is sure that the folder is this run's."""
    note, names = f"{folder}/{NOTE}", names_in(folder)
    before = small_file(note)
    if before is None and any(not name.startswith(".") for name in names):
        raise DataError(f"has other files in it and no {NOTE}; name a new folder", file=folder)
    endings = tuple(f".{one}" for one in FORMATS)
    parts = {name for name in names if name.startswith("part-") and name.endswith(endings)}
    if before is not None and resume and before != description:
        raise MismatchError(
            "holds a run with other metrics, parameters or inputs; repeat that command to resume it, or "
            "drop --resume to start over",
            file=folder,
        )
    if resume and before is not None:
        return parts
    for name in parts:
        remove(f"{folder}/{name}")
    with whole_file(note) as stream:
        stream.write(description)
    return set()


def _absolute(folder: str) -> str:
    """Return the folder as workers need it: they may run elsewhere."""
    return folder.rstrip("/") if is_url(folder) else os.path.abspath(folder)
