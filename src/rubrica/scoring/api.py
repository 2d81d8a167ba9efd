"""`evaluate` a system's summaries, `score` peers and references alike: what commands and Python code call."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from rubrica.core.cores import at_most
from rubrica.data.clusters import ClusterRule
from rubrica.data.files import check_ending, writable
from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import write_json
from rubrica.data.metrics import Metrics
from rubrica.data.scores.rows import holds_own_rows, holds_system_scores
from rubrica.data.scores.writer import working_files
from rubrica.data.store import ScoreStore
from rubrica.datasets.open import read
from rubrica.datasets.source import Source
from rubrica.errors import UsageError
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
from rubrica.scoring.per_file import Format, PartsSink
from rubrica.scoring.plan import Plan, fit_to_input
from rubrica.scoring.reporter import SILENT, Reporter
from rubrica.scoring.run import Pieces
from rubrica.scoring.sinks import FileSink, Sink, StreamSink
from rubrica.scoring.worker import RowsAs, ScoredBatch, Worker
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
    where = engine_for(engine or "local", workers=workers, address=address)
    run = _Run(data, output, where, store, batch_size, resume, overwrite, parts_format, reporter)
    plan = Plan(resolved, with_ids=clusters is not None)
    rows: list[Metrics] = []
    with run.opened(plan, keep_rows) as (sink, batches):
        for batch in batches:
            builder.add_batch(batch.table, batch.identities)
            rows += batch.rows
        # Write files before printing and before the rows count as finished, so that --resume can repair
        # a failure here.
        with at_most(workers):
            evaluation = builder.build()
        evaluation = replace(evaluation, usage=usage_notes(resolved))
        if summary_output is not None and summary_output != "-":
            write_json(summary_output, evaluation.to_dict())
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
    _check_outputs(data, output)
    where = engine_for(engine or "local", workers=workers, address=address)
    run = _Run(data, output, where, store, batch_size, resume, overwrite, parts_format, reporter)
    count = 0
    rows: list[Metrics] = []
    with run.opened(plan, keep_rows=True) as (sink, batches):
        for batch in batches:
            count += len(batch)
            rows += batch.rows
        sink.finish()
    if output not in (None, "-") and not run.to_folder:
        reporter.say(f"{count:,} rows scored: {output}")
    return rows


@dataclass(frozen=True, slots=True)
class _Run:
    """What is scored, where and how: shared by `evaluate` and `score`."""

    data: Data
    output: str | None
    engine: Engine
    store: str | ScoreStore | None
    batch_size: int | None
    resume: bool
    overwrite: bool
    parts_format: Format
    reporter: Reporter

    @property
    def to_folder(self) -> bool:
        """Whether each input file is scored into a part of its own."""
        return self.output is not None and self.output.endswith("/")

    @contextmanager
    def opened(self, plan: Plan, keep_rows: bool) -> Iterator[tuple[Sink, Iterator[ScoredBatch]]]:
        """Yield the sink of the rows, and the batches that it takes, as they are scored."""
        data, output, store = self.data, self.output, self.store
        source = data if isinstance(data, Source) else None
        if self.to_folder and (source is None or source.pipes()):
            raise UsageError("a folder of parts needs input files, not standard input or a pipe")
        if self.resume and output in (None, "-"):
            raise UsageError("resume needs a file for the rows, not standard output")
        if isinstance(store, (str, os.PathLike)):
            store = ScoreStore(store)
            store.prepare()
        if source is not None and plan.needs_whole_input() and source.pipes():
            # A pipe can be read once only.
            data = source = source.held()
        plan, data = fit_to_input(plan, data)
        rows_as: RowsAs = "objects" if keep_rows else "nothing"
        worker = Worker(
            plan,
            source.reader if source is not None else None,
            plan.signatures(),
            rows_as if output is None else "lines",
        )
        pieces = Pieces(worker, data, self.engine, store, self.batch_size, self.reporter)
        with self._sink(pieces) as sink, closing(sink.write(pieces)) as batches:
            yield sink, self._checked(batches, pieces)
        if store is not None and not self.to_folder:
            self.reporter.say(f"{store.path}: {store.found:,} scores found, {store.added:,} added")

    def _sink(self, pieces: Pieces) -> Sink:
        if self.output is None:
            return Sink()
        if self.output == "-":
            return StreamSink(sys.stdout.buffer)
        if self.to_folder:
            return PartsSink(
                self.output, self.parts_format, resume=self.resume, overwrite=self.overwrite
            )
        return FileSink(self.output, pieces, resume=self.resume, overwrite=self.overwrite)

    def _checked(self, batches: Iterator[ScoredBatch], pieces: Pieces) -> Iterator[ScoredBatch]:
        """Yield the batches; files without rows are an error."""
        yield from batches
        if isinstance(pieces.source, Source) and not (pieces.seen or self.to_folder):
            raise pieces.source.empty_error(pieces.worker.plan.task)


_OTHER_FILES = "; rubrica compare -o writes tables, and evaluate --rows-output a row per summary"


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
    if rows is not None and rows != "-":
        check_ending(rows, "rows", [".jsonl", ".parquet"])
        _refuse_foreign(rows, holds_own_rows)
    if summary is not None and summary != "-":
        check_ending(summary, "system scores", [".json"], _OTHER_FILES)
        _refuse_foreign(summary, holds_system_scores)


def _refuse_foreign(output: str, is_ours: Callable[[str], bool]) -> None:
    """Refuse to replace a file that no earlier run has written."""
    if os.path.isfile(output) and os.path.getsize(output) and not is_ours(output):
        raise UsageError(
            f"{output} exists and holds no scores; name another file, or delete it first"
        )
