"""Rows by the file: each input file is read, scored and written by one worker, as a part of its own.

No text passes through the process that asks, so the number of workers is all that limits a run. A part
appears when it is whole; a run that was stopped goes on with the parts that are missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Literal, TypeAlias

import msgspec

from rubrica.batch import Plan
from rubrica.data.jsonl import read_jsonl
from rubrica.data.places import names_in, remove, small_file, whole_file
from rubrica.data.remote import is_url
from rubrica.data.score_parquet import ScoreColumns, read_score_parquet
from rubrica.data.store import ScoreStore
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.source import Source
from rubrica.duplicates import Seen, refused
from rubrica.engines.base import Engine, engine_for
from rubrica.errors import DataError, MismatchError
from rubrica.kept import Finished, KeptRows
from rubrica.pieces import ScoredPiece, Work
from rubrica.scoring import for_input, growing, rows_per_batch, score_pieces, work_kind

NOTE = "run.json"
Format: TypeAlias = Literal["jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("jsonl", "parquet")
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Part:
    """One file of rows, and the input it was made from; `kept` where an earlier run had made it.

    `pieces` are without their lines, which are in the file.
    """

    input: str
    output: str
    pieces: Sequence[ScoredPiece]
    kept: bool = False

    def __len__(self) -> int:
        return sum(map(len, self.pieces))


@dataclass(frozen=True, slots=True)
class _Job:
    reader: DatasetReader
    work: Work
    store: str | None
    batch_size: int | None
    format: Format


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

    The folder may be a URL. Metrics that need the whole input are told it first, in one pass of this
    process.
    """
    plan, _ = for_input(plan, Source(reader, files))
    folder = _absolute(folder)
    described = {
        "task": plan.task,
        "metrics": plan.signatures(),
        "peer_jackknifing": plan.peer_jackknifing,
        "inputs": list(plan.inputs),
        "reader": reader.name,
        "files": list(files),
    }
    if format != "jsonl":
        described["format"] = format
    finished = _take_up(folder, _ENCODER.encode(described), resume)
    width = max(5, len(str(len(files) - 1)))
    tasks = [
        (file, f"{folder}/part-{number:0{width}d}.{format}") for number, file in enumerate(files)
    ]
    job = _Job(reader, Work(plan, reader, plan.signatures()), store, batch_size, format)
    # Corpus statistics are not in the rows.
    reusable = not any(metric.corpus_statistics for metric in plan.metrics)
    # Of a part that is there `score` needs nothing more; `evaluate` reads its values.
    todo, kept = [], []
    for file, output in tasks:
        there = output.rpartition("/")[2] in finished
        kept.append(there and (plan.task == "score" or reusable))
        if not (kept[-1] and plan.task == "score"):
            todo.append(_Task(file, output, kept[-1]))
    kind = work_kind(plan)
    made = engine.map(
        partial(_make_part, job),
        todo,
        # A file is too much for a thread: reading and writing hold the interpreter lock.
        kind="processes" if kind == "threads" else kind,
        describe=lambda task: task.input,
    )
    seen = Seen()
    for (file, output), there in zip(tasks, kept, strict=True):
        if there and plan.task == "score":
            yield Part(file, output, (), kept=True)
            continue
        part = next(made)
        for number, piece in enumerate(part.pieces):
            again = seen.add(piece.keys)
            if again is not None:
                before = sum(map(len, part.pieces[:number]))
                raise _refused(reader, file, before + again[0], again[1])
        yield part


def _refused(reader: DatasetReader, file: str, row: int, first: str) -> MismatchError:
    return refused(next(islice(reader.read(file), row, None)), first)


@dataclass(frozen=True, slots=True)
class _Task:
    input: str
    output: str
    kept: bool


def _make_part(job: _Job, task: _Task) -> Part:
    """In a worker: one file, as a stream."""
    engine = engine_for("local", workers=1)
    sizes = growing(rows_per_batch(engine, job.batch_size))
    pieces = job.reader.pieces([task.input], sizes)
    if task.kept:
        finished = Finished(task.output, _count(task.output), partial(_rows, task.output))
        kept = KeptRows(finished, job.work, pieces, Seen())
        made = [replace(piece, lines=b"") for piece in kept.pieces()]
        if kept.rest or any(job.work.read(piece) for piece in pieces):
            raise finished.other_input(finished.count + 1)
        return Part(task.input, task.output, made, kept=True)
    store = _store(job.store) if job.store else None
    scored = score_pieces(pieces, job.work, engine=engine, seen=Seen(), store=store)
    made = []
    with whole_file(task.output) as stream:
        columns = ScoreColumns() if job.format == "parquet" else None
        for piece in scored:
            if columns is None:
                stream.write(piece.lines)
            else:
                columns.add(piece.lines)
            made.append(replace(piece, lines=b""))
        if columns is not None:
            columns.write(stream, job.work.signatures)
    return Part(task.input, task.output, made)


def _rows(part: str) -> Iterator[dict[str, Any]]:
    """The rows of a part that is there."""
    if part.endswith(".parquet"):
        for row, digest in read_score_parquet(part):
            yield {**msgspec.structs.asdict(row), "digest": digest}
    else:
        for _, one in read_jsonl(part):
            yield one


def _count(part: str) -> int:
    return sum(1 for _ in _rows(part))


@lru_cache(maxsize=1)
def _store(path: str) -> ScoreStore:
    """Once per worker: its shards are checked when they are opened."""
    return ScoreStore(path)


def _take_up(folder: str, run: bytes, resume: bool) -> set[str]:
    """The parts of an earlier run to keep, once it is sure that the folder is this run's."""
    note, names = f"{folder}/{NOTE}", names_in(folder)
    before = small_file(note)
    if before is None and any(not name.startswith(".") for name in names):
        raise DataError(f"has other files in it and no {NOTE}; name a new folder", file=folder)
    endings = tuple(f".{one}" for one in FORMATS)
    parts = {name for name in names if name.startswith("part-") and name.endswith(endings)}
    if before is not None and resume and before != run:
        raise MismatchError(
            "was made with other metrics, parameters or inputs; repeat that command to resume it, or "
            "drop --resume to start over",
            file=folder,
        )
    if resume and before is not None:
        return parts
    for name in parts:
        remove(f"{folder}/{name}")
    with whole_file(note) as stream:
        stream.write(run)
    return set()


def _absolute(folder: str) -> str:
    """A worker may stand elsewhere."""
    return folder.rstrip("/") if is_url(folder) else os.path.abspath(folder)
