"""`evaluate` a system's summaries, `score` peers and references alike: what commands and Python code call."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeAlias

from rubrica.core.cores import at_most
from rubrica.data.clusters import ClusterRule
from rubrica.data.files import writable
from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import write_json
from rubrica.data.metrics import Metrics
from rubrica.data.row_writer import working_files
from rubrica.data.scores.rows import holds_scores, holds_system_scores
from rubrica.data.store import ScoreStore
from rubrica.datasets.open import read
from rubrica.datasets.source import Source
from rubrica.errors import InterruptedRunError, UsageError
from rubrica.metrics.base.metric_like import (
    MetricLike,
    required_fields,
    resolve_metrics,
    usage_notes,
)
from rubrica.scoring.engines.base import Engine, engine_for
from rubrica.scoring.evaluation import Evaluation
from rubrica.scoring.evaluation_builder import EvaluationBuilder
from rubrica.scoring.examples import readable_again
from rubrica.scoring.per_file import Format, score_files
from rubrica.scoring.plan import Plan
from rubrica.scoring.reporter import SILENT, Reporter
from rubrica.scoring.run import Pieces
from rubrica.scoring.sinks import Discard, FileSink, Sink, StreamSink
from rubrica.scoring.worker import RowsAs, ScoredBatch
from rubrica.statistics.intervals import Resampling

# Anything that `read` opens: paths, data frames, lists and dicts, too.
Data: TypeAlias = Source | Iterable[EvalInstance] | Any


def evaluate(
    data: Data,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    fields: Mapping[str, str | list[str]] | None = None,
    systems: Mapping[str, str] | None = None,
    like: str | None = None,
    output: str | None = None,
    summary_output: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    include_references: bool = False,
    resampling: Resampling | None = None,
    clusters: ClusterRule | None = None,
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
        data: Files, a data frame, a list of dicts or a dict of columns (see `rubrica.read`), or instances.
        metrics: Metrics, their names (`rouge` is ROUGE-1, 2 and L) or their configurations.
        fields: Columns of a table by field, such as `{"summary": "pred"}`; others are recognised by their names.
        systems: Columns of summaries by system, for tables with a column per system.
        like: `sacrerouge` for its defaults, in metrics given by name or configuration.
        output: File for the rows, as JSON lines or Parquet; `-` is standard output, and `NAME/` a folder with a
            part per input file. Rows in a file are not returned as well.
        summary_output: File for the system scores (JSON).
        resume: Continue the interrupted run that left `output` unfinished.
        overwrite: Discard what an interrupted run left; without it and `resume`, that is an error.
        include_references: Let reference rows count in system scores.
        resampling: Rounds, seed and confidence of the bootstrap.
        clusters: Which inputs are resampled together (see `rubrica.data.clusters`).
        engine: Where to score: `local` (default), `ray`, another registered name, or an engine.
        workers: Number of cores to use (default: all).
        address: Address of a cluster, for engines that have one.
        batch_size: Rows per piece of work.
        store: Score store: scores found there are not computed again, new ones are added.
        parts_format: Format of the parts of a folder.
        keep_rows: Return the rows; False saves their memory.
        reporter: Takes messages and shows progress.

    Returns:
        The system scores, which print as a table, and the rows.

    Example:
        >>> import rubrica as rb
        >>> data = [{"summary": "the cat sat", "reference": "the cat sat down"}]
        >>> evaluation, rows = rb.evaluate(data, ["rouge"])
        >>> rows[0].metrics["rouge-1"]["precision"]
        100.0
        >>> evaluation.to_pandas()["measure"].tolist()[:3]
        ['rouge-1.recall', 'rouge-1.precision', 'rouge-1.f1']
    """
    resolved = resolve_metrics(metrics, like=like)
    data = read(data, required_fields(resolved), fields=fields, systems=systems)
    resampling = resampling or Resampling()
    _check_outputs(data, output, summary_output)
    builder = EvaluationBuilder(resolved, include_references, resampling, clusters)
    rows: list[Metrics] = []
    count = 0

    def finish() -> Evaluation:
        if not count and isinstance(data, Source):
            raise data.empty_error("evaluate")
        # Write files before printing and before the rows count as finished, so that --resume can repair
        # a failure here.
        with at_most(workers):
            evaluation = builder.build()
        evaluation = replace(evaluation, usage=usage_notes(resolved))
        if summary_output is not None and summary_output != "-":
            write_json(summary_output, evaluation.to_dict())
        return evaluation

    with _opened(store) as score_store:
        chosen_engine = engine_for(engine or "local", workers=workers, address=address)
        scoring = _Scoring(
            Plan(resolved, with_ids=clusters is not None),
            data,
            chosen_engine,
            score_store,
            batch_size,
            reporter,
            resume,
            overwrite,
        )
        if output is not None and output.endswith("/"):
            for batch in scoring.parts(output, parts_format):
                count += len(batch)
                builder.add_batch(batch.table, batch.identities)
            return finish(), rows
        with scoring.sink(output, keep_rows) as (sink, pieces):
            for batch in sink.write(pieces):
                count += len(batch)
                builder.add_batch(batch.table, batch.identities)
                rows += batch.rows
            evaluation = finish()
            sink.finish()
    return replace(evaluation, rows=rows, data=readable_again(data)), rows


def score(
    data: Data,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    fields: Mapping[str, str | list[str]] | None = None,
    systems: Mapping[str, str] | None = None,
    like: str | None = None,
    output: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
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

    Args:
        data: As in `evaluate`, like all arguments that are not explained here.
        metrics: Metrics, their names (`rouge` is ROUGE-1, 2 and L) or their configurations.
        fields: Columns of a table by field.
        systems: Columns of summaries by system.
        like: `sacrerouge` for its defaults.
        output: File for the rows.
        resume: Continue an interrupted run.
        overwrite: Discard what an interrupted run left.
        disable_peer_jackknifing: Score peers without jackknifing; references are always jackknifed.
        engine: Where to score.
        workers: Number of cores to use (default: all).
        address: Address of a cluster.
        batch_size: Rows per piece of work.
        store: Score store.
        parts_format: Format of the parts of a folder.
        reporter: Takes messages and shows progress.

    Returns:
        The rows; nothing with `output`, which has them.

    Example:
        >>> import rubrica as rb
        >>> data = [{"summary": "the cat sat", "references": ["the cat sat down", "a cat"]}]
        >>> sorted(rb.score(data, [{"type": "rouge", "max_ngram": 1}])[0].metrics)
        ['rouge-1', 'rouge-1_jk']
    """
    resolved = resolve_metrics(metrics, like=like)
    data = read(data, required_fields(resolved), fields=fields, systems=systems)
    plan = Plan(resolved, "score", not disable_peer_jackknifing)
    rows: list[Metrics] = []
    _check_outputs(data, output)
    with _opened(store) as score_store:
        chosen_engine = engine_for(engine or "local", workers=workers, address=address)
        scoring = _Scoring(
            plan, data, chosen_engine, score_store, batch_size, reporter, resume, overwrite
        )
        if output is not None and output.endswith("/"):
            for _ in scoring.parts(output, parts_format):
                pass
            return rows
        count = 0
        with scoring.sink(output, keep_rows=True) as (sink, pieces):
            for batch in sink.write(pieces):
                count += len(batch)
                rows += batch.rows
            if not count and isinstance(data, Source):
                raise data.empty_error("score")
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
        resume: bool,
        overwrite: bool,
    ) -> None:
        self._plan, self._data, self._engine = plan, data, engine
        self._store, self._batch_size, self._reporter = store, batch_size, reporter
        self._resume, self._overwrite = resume, overwrite

    @contextmanager
    def sink(self, output: str | None, keep_rows: bool) -> Iterator[tuple[Sink, Pieces]]:
        """Yield the sink of the rows and the pieces of the input."""
        if self._resume and output in (None, "-"):
            raise UsageError("resume needs a file for the rows, not standard output")
        data = self._data
        if isinstance(data, Source) and self._plan.needs_whole_input() and data.pipes():
            # A pipe can be read once only.
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
                output,
                description=pieces.description(),
                resume=self._resume,
                overwrite=self._overwrite,
                reporter=self._reporter,
            )
        with sink:
            yield sink, pieces
        if self._store is not None:
            found, added = self._store.found, self._store.added
            self._reporter.say(f"{self._store.path}: {found:,} scores found, {added:,} added")

    def parts(self, folder: str, parts_format: Format) -> Iterator[ScoredBatch]:
        """Score each input file into a part of its own, wherever the engine has workers."""
        data = self._data
        if not isinstance(data, Source) or data.pipes():
            raise UsageError("a folder of parts needs input files, not standard input or a pipe")
        parts = score_files(
            data.files,
            self._plan,
            data.reader,
            folder,
            engine=self._engine,
            resume=self._resume,
            overwrite=self._overwrite,
            store=os.path.abspath(self._store.path) if self._store else None,
            batch_size=self._batch_size,
            format=parts_format,
        )
        rows = new = 0
        replaced: Counter[str] = Counter()
        with self._reporter.counter("files", lambda: len(data.files)) as count:
            try:
                for part in parts:
                    if not part.existing:
                        new, rows = new + 1, rows + part.record.rows
                    replaced.update([part.replaced] if part.replaced else ())
                    yield from part.batches
                    count(1)
            except KeyboardInterrupt as error:
                raise InterruptedRunError(
                    f"interrupted; finished parts are in {folder}: add `resume=True` to continue"
                ) from error
        for reason, number in replaced.items():
            part_count = "1 part" if number == 1 else f"{number:,} parts"
            self._reporter.say(f"{part_count} scored again: {reason}")
        existing = len(data.files) - new
        reused = f", {existing:,} reused from an earlier run" if existing else ""
        self._reporter.say(f"{rows:,} rows scored, {new:,} files{reused}: {folder}")


@contextmanager
def _opened(store: str | ScoreStore | None) -> Iterator[ScoreStore | None]:
    if isinstance(store, (str, os.PathLike)):
        store = ScoreStore(store)
        store.prepare()
    yield store


def _check_outputs(data: Data, rows: str | None, summary: str | None = None) -> None:
    """Check before scoring that the files can be written and none of them is an input."""
    inputs = data.all_files() if isinstance(data, Source) else []
    inputs = [file for file in inputs if os.path.exists(file)]
    if rows is not None and rows.endswith("/"):
        folder = os.path.join(os.path.realpath(rows), "")
        if any(os.path.realpath(file).startswith(folder) for file in inputs):
            raise UsageError(f"a file in {rows} is an input file; scores must go to another folder")
        rows = None
    paths = [writable(output) for output in (rows, summary) if output not in (None, "-")]
    if len(paths) == 2 and os.path.realpath(paths[0]) == os.path.realpath(paths[1]):
        raise UsageError(f"system scores and rows cannot both go to {summary!r}")
    if rows not in (None, "-"):
        paths += working_files(paths[0])
    for path in paths:
        if path.exists() and any(os.path.samefile(file, path) for file in inputs):
            raise UsageError(f"{path} is an input file; scores must go to another one")
    if rows not in (None, "-"):
        _refuse_foreign(rows, holds_scores)
    if summary not in (None, "-"):
        _refuse_foreign(summary, holds_system_scores)


def _refuse_foreign(output: str, is_ours: Callable[[str], bool]) -> None:
    """Refuse to replace a file that no earlier run has written."""
    if os.path.isfile(output) and os.path.getsize(output) and not is_ours(output):
        raise UsageError(
            f"{output} exists and holds no scores; name another file, or delete it first"
        )
