"""Scoring: `evaluate` a system's summaries, `score` peers and references alike. The loop, nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from rubrica.batch import Plan, ScoredRow, described, score_batch
from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.metrics import Metrics
from rubrica.data.store import ScoreStore
from rubrica.engines.base import Engine, WorkKind, engine_for
from rubrica.errors import MismatchError, ParameterError
from rubrica.evaluation import DataDigest, Evaluation, EvaluationBuilder
from rubrica.metrics.base import Metric
from rubrica.metrics.intervals import Resampling
from rubrica.stored import stored_rows

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
    size = batch_size if batch_size is not None else engine.batch_size or BATCH_SIZE
    if size < 1:
        raise ParameterError(f"batch size must be at least 1, not {size}")
    plan, instances = for_input(plan, instances)
    batches = _batches(instances, size)
    if store is None:
        work = partial(score_batch, plan)
        for scored in engine.map(work, batches, kind=work_kind(plan), describe=described):
            yield from scored
    else:
        yield from stored_rows(plan, batches, store, engine, work_kind(plan))


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
                one.instance_id, one.summarizer_id, one.summarizer_type, row.digest(self._names)
            )
            yield one
        self.digest = str(made)


def evaluate(
    instances: Iterable[EvalInstance],
    metrics: Sequence[Metric],
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
    """
    plan = Plan(metrics)
    builder = EvaluationBuilder(metrics, include_references, resampling or Resampling())
    rows = []
    for row in score_rows(
        watch(instances, builder),
        plan,
        engine=engine,
        workers=workers,
        batch_size=batch_size,
        store=store,
    ):
        builder.add(row.summarizer_id, row.summarizer_type, row.parts, row.statistics)
        builder.digest.add(row.instance_id, row.summarizer_id, row.summarizer_type, row.digest)
        rows.append(row.to_metrics())
    return builder.build(), rows


def score(
    instances: Iterable[EvalInstance],
    metrics: Sequence[Metric],
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
    plan = Plan(metrics, "score", not disable_peer_jackknifing)
    checked = refuse_duplicates(instances)
    rows = score_rows(
        checked, plan, engine=engine, workers=workers, batch_size=batch_size, store=store
    )
    return [row.to_metrics() for row in rows]


def watch(instances: Iterable[EvalInstance], builder: EvaluationBuilder) -> Iterator[EvalInstance]:
    """Pass instances on: duplicates refused, numbers of references noted."""
    for instance in refuse_duplicates(instances):
        builder.note(instance)
        yield instance


def refuse_duplicates(instances: Iterable[EvalInstance]) -> Iterator[EvalInstance]:
    """Pass instances on; the second of one input and system is an error that names both places."""
    # Per row a hash of its ids and its place, never its text: a million rows take about 100 MB.
    seen: dict[int, int] = {}
    files: dict[str, int] = {}
    for number, instance in enumerate(instances, 1):
        ids = f"{len(instance.instance_id)}:{instance.instance_id}{instance.summarizer_id}"
        key = int.from_bytes(hashlib.blake2b(ids.encode(), digest_size=8).digest())
        file, _, line = instance.origin.rpartition(":")
        at = int(line) if line.isdigit() else number
        place = files.setdefault(file, len(files)) << 48 | at
        if key in seen:
            first = f"{list(files)[seen[key] >> 48]}:{seen[key] & (1 << 48) - 1}".lstrip(":")
            raise MismatchError(
                f"{instance.describe()}: the same instance and summarizer stand at {first} already; "
                "remove one, or give them different ids"
            )
        seen[key] = place
        yield instance


def _batches(instances: Iterable[EvalInstance], size: int) -> Iterator[list[EvalInstance]]:
    # The first ones are small: a slow metric then has finished rows to keep, and work to share.
    stream, now = iter(instances), min(size, 16)
    while batch := list(islice(stream, now)):
        yield batch
        now = min(size, 2 * now)
