"""Scoring: `evaluate` a system's summaries, `score` peers and references alike. The loop, nothing else."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from rubrica.batch import Plan, ScoredRow, described, score_batch, uncollected
from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.metrics import Metrics
from rubrica.data.store import ScoreStore
from rubrica.data.value_table import Noted
from rubrica.duplicates import Seen, refuse_duplicates, refused
from rubrica.engines.base import Engine, WorkKind, engine_for
from rubrica.errors import ParameterError
from rubrica.evaluation import Evaluation
from rubrica.evaluation_builder import DataDigest, EvaluationBuilder
from rubrica.metrics.base import Metric
from rubrica.metrics.intervals import Resampling
from rubrica.metrics.metric_like import MetricLike, made_metrics
from rubrica.pieces import ScoredPiece, Work, identities, identity, noted, table_of
from rubrica.stored import stored_batches

BATCH_SIZE = 2048


def score_rows(
    instances: Iterable[EvalInstance],
    plan: Plan,
    *,
    engine: Engine | None = None,
    workers: int | None = None,
    batch_size: int | None = None,
    store: ScoreStore | None = None,
) -> Generator[ScoredRow, None, None]:
    """Scores in the order of the instances, batch by batch.

    The engine is this machine with `workers` cores (all by default). With a store, what it has is not
    scored again, and what is scored goes into it.
    """
    if not plan.metrics:
        raise ParameterError("no metric to score with")
    engine = engine or engine_for("local", workers=workers)
    plan, instances = for_input(plan, instances)
    batches = _batches(instances, rows_per_batch(engine, batch_size))
    if store is None:
        work = partial(score_batch, plan)
        for scored in engine.map(work, batches, kind=work_kind(plan), describe=described):
            yield from scored
    else:
        for _, scored in stored_batches(plan, batches, store, engine, work_kind(plan)):
            yield from scored


def score_pieces(
    pieces: Iterable[Any],
    work: Work,
    *,
    engine: Engine,
    seen: Seen,
    store: ScoreStore | None = None,
) -> Generator[ScoredPiece, None, None]:
    """The scores of pieces of the input, in order; a row that is there twice is an error.

    Pieces that are still raw are read by the workers. With a store they are read here, where it is.
    """
    sent: deque[Any] = deque()

    def drawn() -> Iterator[Any]:
        for piece in pieces:
            sent.append(piece)
            yield piece

    kind = work_kind(work.plan)
    if store is not None:
        read, finished = uncollected()(work.read), uncollected()(work.finished)
        batches = (read(piece) for piece in drawn())
        stored = stored_batches(work.plan, batches, store, engine, kind)
        made: Iterator[ScoredPiece] = (finished(*one) for one in stored)
    else:
        if kind == "threads" and work.reads_raw_pieces:
            # Reading and writing hold the interpreter lock.
            kind = "processes"
        made = engine.map(
            work.for_workers(),
            drawn(),
            kind=kind,
            describe=lambda piece: described(work.read(piece)),
        )
    try:
        for one in made:
            piece = sent.popleft()
            again = seen.add(one.keys)
            if again is not None:
                raise refused(work.read(piece)[again[0]], again[1])
            yield one
    finally:
        close = getattr(made, "close", None)
        if close is not None:
            close()


def rows_per_batch(engine: Engine, wanted: int | None) -> int:
    """How many rows a piece of work has: as wanted, or as suits the engine."""
    size = wanted if wanted is not None else engine.batch_size or BATCH_SIZE
    if size < 1:
        raise ParameterError(f"batch size must be at least 1, not {size}")
    return size


def work_kind(plan: Plan) -> WorkKind:
    """The kind of work of all metrics together: the one that suits the most demanding of them."""
    kinds = {metric.parallel for metric in plan.metrics}
    order: tuple[WorkKind, ...] = ("device", "processes", "threads")
    return next(kind for kind in order if kind in kinds)


def for_input(plan: Plan, instances: Iterable[EvalInstance]) -> tuple[Plan, Iterable[EvalInstance]]:
    """The plan for this input, told to the metrics that need to know all of it first.

    What can be iterated over again, such as files, is read twice; only an iterator is held.
    """
    if not any(metric.needs_whole_input for metric in plan.metrics):
        return plan, instances
    if isinstance(instances, Iterator):
        instances = list(instances)
    told, digests = [], []
    for metric in plan.metrics:
        names = [*metric.required_summary_fields, *metric.required_context_fields]
        given = _Digested(instances, names)
        told.append(metric.for_input(given) if metric.needs_whole_input else metric)
        digests.append(given.digest)
    return replace(plan, metrics=told, inputs=digests), instances


class _Digested:
    """Instances, and once they were read a digest of what a metric sees of them."""

    def __init__(self, instances: Iterable[EvalInstance], names: Sequence[str]) -> None:
        self._instances, self._names, self.digest = instances, names, ""

    def __iter__(self) -> Iterator[EvalInstance]:
        made = DataDigest()
        for one in self._instances:
            row = Fields((name, one.fields.get(name)) for name in self._names)
            made.add(
                identity(
                    one.instance_id, one.summarizer_id, one.summarizer_type, row.digest(self._names)
                )
            )
            yield one
        self.digest = str(made)


def evaluate(
    instances: Iterable[EvalInstance],
    metrics: Sequence[MetricLike],
    *,
    include_references: bool = False,
    resampling: Resampling | None = None,
    engine: Engine | None = None,
    workers: int | None = None,
    batch_size: int | None = None,
    store: ScoreStore | None = None,
) -> tuple[Evaluation, list[Metrics]]:
    """System scores with intervals, and the scores of each summary in input order.

    Reference rows are scored but count in no system's score, unless `include_references`.
    Instances come from a reader; metrics may be given by name or configuration.
    """
    metrics = made_metrics(metrics)
    builder = EvaluationBuilder(metrics, include_references, resampling or Resampling())
    told: deque[Noted] = deque()
    scored = score_rows(
        _noting(refuse_duplicates(_checked(instances)), metrics, told),
        Plan(metrics),
        engine=engine,
        workers=workers,
        batch_size=batch_size,
        store=store,
    )
    rows = []
    while some := list(islice(scored, BATCH_SIZE)):
        builder.add(table_of(some, [told.popleft() for _ in some]))
        builder.digest.add(identities(some))
        rows += [row.to_metrics() for row in some]
    return builder.build(), rows


def score(
    instances: Iterable[EvalInstance],
    metrics: Sequence[MetricLike],
    *,
    disable_peer_jackknifing: bool = False,
    engine: Engine | None = None,
    workers: int | None = None,
    batch_size: int | None = None,
    store: ScoreStore | None = None,
) -> list[Metrics]:
    """Scores of peers and references in input order, jackknifed where the metric allows it.

    A peer has its plain value and, with two references or more, the mean over all leave-one-out sets
    under the name with `_jk`; a reference has only the `_jk` value, against the other references.
    """
    plan = Plan(made_metrics(metrics), "score", not disable_peer_jackknifing)
    checked = refuse_duplicates(_checked(instances))
    rows = score_rows(
        checked, plan, engine=engine, workers=workers, batch_size=batch_size, store=store
    )
    return [row.to_metrics() for row in rows]


def _checked(instances: Iterable[EvalInstance]) -> Iterator[EvalInstance]:
    """Pass instances on; anything else is refused before it fails somewhere deep inside."""
    for one in instances:
        if not isinstance(one, EvalInstance):
            raise ParameterError(
                f"an EvalInstance is scored, not {type(one).__name__}; readers make them: "
                "DatasetReader.from_config('jsonl').read(FILE)"
            )
        yield one


def _noting(
    instances: Iterable[EvalInstance], metrics: Sequence[Metric], told: deque[Noted]
) -> Iterator[EvalInstance]:
    """Pass instances on, and note of each what `table_of` takes."""
    for instance in instances:
        told.append(noted(metrics, instance))
        yield instance


def _batches(instances: Iterable[EvalInstance], size: int) -> Iterator[list[EvalInstance]]:
    stream = iter(instances)
    for now in growing(size):
        batch = list(islice(stream, now))
        if not batch:
            return
        yield batch


def growing(size: int) -> Iterator[int]:
    """Sizes of batches. The first are small: a slow metric then has finished rows to keep, and work to share."""
    now = min(size, 16)
    while True:
        yield now
        now = min(size, 2 * now)
