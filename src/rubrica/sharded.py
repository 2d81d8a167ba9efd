"""Rows by the file: each input file is read, scored and written by one worker, as a part of its own.

Nothing passes through the process that asks, so the number of workers is all that limits a run. A part
appears when it is whole; a run that was stopped goes on with the parts that are missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import msgspec

from rubrica.batch import Plan
from rubrica.data.instance import EvalInstance
from rubrica.data.places import names_in, remove, small_file, whole_file
from rubrica.data.remote import is_url
from rubrica.data.store import ScoreStore
from rubrica.datasets.readers.base import DatasetReader
from rubrica.engines.base import Engine
from rubrica.errors import DataError, MismatchError
from rubrica.scoring import for_input, refuse_duplicates, score_rows, work_kind

NOTE = "run.json"
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Part:
    """One file of rows, and the input it was made from; `kept` where an earlier run had made it."""

    input: str
    output: str
    rows: int
    kept: bool = False


@dataclass(frozen=True, slots=True)
class _Job:
    plan: Plan
    reader: DatasetReader
    store: str | None
    batch_size: int | None


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
) -> Iterator[Part]:
    """Score every file into `FOLDER/part-NNNNN.jsonl`, in the order of the files.

    The folder may be a URL. Metrics that need the whole input are told it first, in one pass of this
    process. An instance and system that stand in two files are not noticed.
    """
    plan, _ = for_input(plan, _Files(reader, files))
    folder = _absolute(folder)
    described = {
        "task": plan.task,
        "metrics": plan.signatures(),
        "peer_jackknifing": plan.peer_jackknifing,
        "inputs": list(plan.inputs),
        "reader": reader.name,
        "files": list(files),
    }
    finished = _take_up(folder, _ENCODER.encode(described), resume)
    width = max(5, len(str(len(files) - 1)))
    work = [(file, f"{folder}/part-{n:0{width}d}.jsonl") for n, file in enumerate(files)]
    missing = [one for one in work if one[1].rpartition("/")[2] not in finished]
    job = _Job(plan, reader, store, batch_size)
    kind = work_kind(plan)
    made = engine.map(
        partial(_score_file, job),
        missing,
        # A file is too much for a thread: reading and writing hold the interpreter lock.
        kind="processes" if kind == "threads" else kind,
        describe=lambda one: one[0],
    )
    for file, output in work:
        yield (
            Part(file, output, 0, kept=True)
            if output.rpartition("/")[2] in finished
            else next(made)
        )


class _Files:
    def __init__(self, reader: DatasetReader, files: Sequence[str]) -> None:
        self._reader, self._files = reader, files

    def __iter__(self) -> Iterator[EvalInstance]:
        return iter(self._reader.read(*self._files))


def _score_file(job: _Job, work: tuple[str, str]) -> Part:
    """In a worker: one file, as a stream."""
    file, output = work
    signatures, count = job.plan.signatures(), 0
    rows = score_rows(
        refuse_duplicates(job.reader.read(file)),
        job.plan,
        workers=1,
        batch_size=job.batch_size,
        store=_store(job.store) if job.store else None,
    )
    with whole_file(output) as stream:
        for row in rows:
            stream.write(_ENCODER.encode(row.to_record(signatures)) + b"\n")
            count += 1
    return Part(file, output, count)


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
    parts = {name for name in names if name.startswith("part-") and name.endswith(".jsonl")}
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
