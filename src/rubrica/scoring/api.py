"""`evaluate` a system's summaries, `score` peers and references alike: what commands and Python code call."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from rubrica.core.cores import at_most
from rubrica.data.files import writable
from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import write_json
from rubrica.data.metrics import Metrics
from rubrica.data.store import ScoreStore
from rubrica.datasets.source import Source
from rubrica.errors import MismatchError, UsageError
from rubrica.metrics.base.metric_like import MetricLike, resolve_metrics
from rubrica.scoring.engines.base import Engine, engine_for
from rubrica.scoring.evaluation import Evaluation
from rubrica.scoring.evaluation_builder import EvaluationBuilder
from rubrica.scoring.per_file import Format, score_files
from rubrica.scoring.plan import Plan
from rubrica.scoring.reporter import SILENT, Reporter
from rubrica.scoring.run import Pieces
from rubrica.scoring.sinks import Discard, FileSink, Sink, StreamSink
from rubrica.scoring.worker import RowsAs, ScoredBatch
from rubrica.statistics.intervals import Resampling

Data: TypeAlias = Source | Iterable[EvalInstance]


def evaluate(
    data: Data,
    metrics: Sequence[MetricLike],
    *,
    output: str | None = None,
    summary_output: str | None = None,
    resume: bool = False,
    include_references: bool = False,
    resampling: Resampling | None = None,
    engine: str | Engine | None = None,
    workers: int | None = None,
    address: str | None = None,
    batch_size: int | None = None,
    store: str | ScoreStore | None = None,
    parts_format: Format = "jsonl",
    keep_rows: bool = True,
    reporter: Reporter = SILENT,
) -> tuple[Evaluation, list[Metrics]]:
    """Return system scores with intervals, and the scores of each summary in input order.

    Reference rows are scored but count in no system's score, unless `include_references`.

    Args:
        data: Instances, or the files of a reader (`Source`).
        metrics: Metrics, their names or their configurations.
        output: File for the rows, as JSON lines or Parquet; `-` is standard output, and `NAME/` a folder with a
            part per input file. Rows in a file are not returned as well.
        summary_output: File for the system scores (JSON).
        resume: Go on with the interrupted run that left `output` unfinished.
        include_references: Let reference rows count in system scores.
        resampling: Rounds, seed and confidence of the bootstrap.
        engine: Where to score: `local` (default), `ray`, another registered name, or an engine.
        workers: Number of cores to use (default: all).
        address: Address of a cluster, for engines that have one.
        batch_size: Rows per piece of work.
        store: Score store: scores found there are not computed again, new ones are added.
        parts_format: Format of the parts of a folder.
        keep_rows: Return the rows; False saves their memory.
        reporter: Takes messages and shows progress.
    """
    resolved = resolve_metrics(metrics)
    resampling = resampling or Resampling()
    if output is None or not output.endswith("/"):
        _check_outputs(data, summary_output, output)
    builder = EvaluationBuilder(resolved, include_references, resampling)
    rows: list[Metrics] = []
    count = 0

    def finish() -> Evaluation:
        if not count and isinstance(data, Source):
            raise _empty(data, "evaluate")
        # Files before anything is printed, and before the rows count as finished: --resume makes good what
        # goes wrong now.
        with at_most(workers):
            evaluation = builder.build()
        if summary_output is not None and summary_output != "-":
            write_json(summary_output, evaluation.to_dict())
        return evaluation

    with _opened(store) as opened:
        where = engine_for(engine or "local", workers=workers, address=address)
        scoring = _Scoring(Plan(resolved), data, where, opened, batch_size, reporter)
        if output is not None and output.endswith("/"):
            for batch in scoring.parts(output, resume, parts_format):
                count += len(batch)
                builder.add_batch(batch.table, batch.identities)
            return finish(), rows
        with scoring.sink(output, resume, keep_rows) as (sink, pieces):
            for batch in sink.write(pieces):
                count += len(batch)
                builder.add_batch(batch.table, batch.identities)
                rows += batch.rows
            evaluation = finish()
            sink.finish()
    return evaluation, rows


def score(
    data: Data,
    metrics: Sequence[MetricLike],
    *,
    output: str | None = None,
    resume: bool = False,
    disable_peer_jackknifing: bool = False,
    engine: str | Engine | None = None,
    workers: int | None = None,
    address: str | None = None,
    batch_size: int | None = None,
    store: str | ScoreStore | None = None,
    parts_format: Format = "jsonl",
    reporter: Reporter = SILENT,
) -> list[Metrics]:
    """Return the scores of peers and references in input order, jackknifed where the metric allows it.

    A peer has its plain value and, with two references or more, the mean over all leave-one-out sets
    under the name with `_jk`; a reference has only the `_jk` value, against the other references.

    Arguments are those of `evaluate`. With `output` the rows are in that file, and the list is empty.
    """
    plan = Plan(resolve_metrics(metrics), "score", not disable_peer_jackknifing)
    rows: list[Metrics] = []
    with _opened(store) as opened:
        where = engine_for(engine or "local", workers=workers, address=address)
        scoring = _Scoring(plan, data, where, opened, batch_size, reporter)
        if output is not None and output.endswith("/"):
            for _ in scoring.parts(output, resume, parts_format):
                pass
            return rows
        _check_outputs(data, output)
        count = 0
        with scoring.sink(output, resume, keep_rows=True) as (sink, pieces):
            for batch in sink.write(pieces):
                count += len(batch)
                rows += batch.rows
            if not count and isinstance(data, Source):
                raise _empty(data, "score")
            sink.finish()
    if output not in (None, "-"):
        reporter.say(f"{count:,} rows scored: {output}")
    return rows


class _Scoring:
    """What is scored, where and how: shared by `evaluate` and `score`."""

    def __init__(
        self,
        plan: Plan,
        data: Data,
        engine: Engine,
        store: ScoreStore | None,
        batch_size: int | None,
        reporter: Reporter,
    ) -> None:
        self._plan, self._data, self._engine = plan, data, engine
        self._store, self._batch_size, self._reporter = store, batch_size, reporter

    @contextmanager
    def sink(
        self, output: str | None, resume: bool, keep_rows: bool
    ) -> Iterator[tuple[Sink, Pieces]]:
        """Yield where the rows go, and the pieces of the input."""
        if resume and output in (None, "-"):
            raise UsageError("resume needs a file for the rows, not standard output")
        data = self._data
        if isinstance(data, Source) and self._plan.needs_whole_input() and "-" in data.all_files():
            # Standard input can be read once only.
            data = data.held()
        rows_as: RowsAs = "objects" if keep_rows else "nothing"
        pieces = Pieces.of(
            self._plan,
            data,
            rows_as="lines" if output is not None else rows_as,
            engine=self._engine,
            store=self._store,
            batch_size=self._batch_size,
            reporter=self._reporter,
        )
        sink: Sink
        if output is None:
            sink = Discard(pieces.worker.rows_as)
        elif output == "-":
            sink = StreamSink(sys.stdout.buffer)
        else:
            sink = FileSink(
                output, description=pieces.description(), resume=resume, reporter=self._reporter
            )
        with sink:
            yield sink, pieces
        if self._store is not None:
            found, added = self._store.found, self._store.added
            self._reporter.say(f"{self._store.path}: {found:,} scores found, {added:,} added")

    def parts(self, folder: str, resume: bool, parts_format: Format) -> Iterator[ScoredBatch]:
        """Score each input file into a part of its own, wherever the engine has workers."""
        data = self._data
        if not isinstance(data, Source) or "-" in data.all_files():
            raise UsageError("a folder of parts is made from files, not from standard input")
        parts = score_files(
            data.files,
            self._plan,
            data.reader,
            folder,
            engine=self._engine,
            resume=resume,
            store=os.path.abspath(self._store.path) if self._store else None,
            batch_size=self._batch_size,
            format=parts_format,
        )
        rows = new = existing = 0
        with self._reporter.counter("files") as count:
            for part in parts:
                new, existing = new + (not part.existing), existing + part.existing
                if not part.existing:
                    rows += len(part)
                yield from part.batches
                count(1)
        self._reporter.say(
            f"{rows:,} rows scored, {new:,} files"
            + (f", {existing:,} kept of an earlier run" if existing else "")
            + f": {folder}"
        )


@contextmanager
def _opened(store: str | ScoreStore | None) -> Iterator[ScoreStore | None]:
    if isinstance(store, (str, os.PathLike)):
        store = ScoreStore(store)
        store.check_writable()
    yield store


def _check_outputs(data: Data, *outputs: str | None) -> None:
    """Before anything is scored: can the files be written, and is none of them an input?"""
    inputs = data.all_files() if isinstance(data, Source) else []
    for output in outputs:
        if output is None or output == "-":
            continue
        path = writable(output)
        if path.exists() and any(
            os.path.exists(file) and os.path.samefile(file, path) for file in inputs
        ):
            raise UsageError(f"{output} is an input file; scores must go to another one")


def _empty(data: Source, task: str) -> MismatchError:
    header = "; the first line of a table is its header" if data.reader.name == "csv" else ""
    return MismatchError(f"nothing to {task}: the input has no rows{header}", file=data.files[0])
