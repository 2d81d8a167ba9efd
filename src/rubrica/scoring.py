"""Scoring: `evaluate` a system's summaries, `score` peers and references alike. The loop, nothing else."""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Literal

from rubrica.core.cores import available_cores
from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.engines.local import map_ordered
from rubrica.errors import (
    DataError,
    DataWarning,
    MetricFailedError,
    MismatchError,
    ParameterError,
    RubricaError,
    UnknownNameError,
)
from rubrica.evaluation import Evaluation, EvaluationBuilder
from rubrica.metrics.base import Metric
from rubrica.metrics.corpus import CorpusMetric
from rubrica.metrics.intervals import Resampling

BATCH_SIZE = 2048
JACKKNIFE_SUFFIX = "_jk"


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One instance's scores, by metric, with a digest of what was scored and corpus statistics."""

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    parts: list[MetricsDict]
    digest: str
    statistics: dict[int, list[float]]

    def to_metrics(self) -> Metrics:
        """The row as it is written: the values of all metrics together."""
        together = self.parts[0]
        if len(self.parts) > 1:
            together = MetricsDict()
            for part in self.parts:
                # No two parts have a key in common, so nothing needs to be merged or copied.
                dict.update(together, part)
        return Metrics(self.instance_id, self.summarizer_id, self.summarizer_type, together)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done to every row: `evaluate` scores it plainly, `score` jackknifes too."""

    metrics: Sequence[Metric]
    task: Literal["evaluate", "score"] = "evaluate"
    peer_jackknifing: bool = True

    def field_names(self) -> list[str]:
        """All fields some metric needs, each once."""
        names = (
            name
            for metric in self.metrics
            for name in (*metric.required_summary_fields, *metric.required_context_fields)
        )
        return list(dict.fromkeys(names))

    def signatures(self) -> list[str]:
        """How the numbers of a row are made, one line per metric."""
        return [str(metric.signature()) for metric in self.metrics]


def score_rows(
    instances: Iterable[EvalInstance],
    plan: Plan,
    *,
    workers: int | None = None,
    batch_size: int = BATCH_SIZE,
) -> Iterator[ScoredRow]:
    """Scores in the order of the instances, batch by batch, on `workers` cores (all by default)."""
    if not plan.metrics:
        raise ParameterError("no metric to score with")
    if workers is not None and workers < 1:
        raise ParameterError(f"the number of workers must be at least 1, not {workers}")
    if batch_size < 1:
        raise ParameterError(f"batch size must be at least 1, not {batch_size}")
    plan, instances = for_input(plan, instances)
    threads = all(metric.parallel == "threads" for metric in plan.metrics)
    device = any(metric.parallel == "device" for metric in plan.metrics)
    batches = _batches(instances, batch_size)
    for scored in map_ordered(
        partial(score_batch, plan),
        batches,
        workers=1 if device else workers or available_cores(),
        kind="threads" if threads else "processes",
    ):
        yield from scored


def for_input(plan: Plan, instances: Iterable[EvalInstance]) -> tuple[Plan, Iterable[EvalInstance]]:
    """The plan for this input. Where a metric needs the whole input, all of it is read and held."""
    if not any(metric.needs_whole_input for metric in plan.metrics):
        return plan, instances
    held = list(instances)
    return replace(plan, metrics=[metric.for_input(held) for metric in plan.metrics]), held


def score_batch(plan: Plan, batch: Sequence[EvalInstance]) -> list[ScoredRow]:
    """The scores of a batch. What a metric raises is told with the first instance that causes it."""
    try:
        return _score_batch(plan, batch)
    except RubricaError:
        raise
    except Exception as error:
        if len(batch) > 1:
            for instance in batch:
                score_batch(plan, [instance])
        metrics = ", ".join(repr(metric.label) for metric in plan.metrics)
        raise MetricFailedError(
            f"metric {metrics} failed on {batch[0].describe()}: {type(error).__name__}: {error} "
            "(--debug shows where)"
        ) from error


def _score_batch(plan: Plan, batch: Sequence[EvalInstance]) -> list[ScoredRow]:
    """The scores of a batch; instances with equal contexts are scored together."""
    scores = [[MetricsDict() for _ in plan.metrics] for _ in batch]
    statistics: list[dict[int, list[float]]] = [{} for _ in batch]
    for number, metric in enumerate(plan.metrics):
        for at, values, totals in _score_metric(plan, metric, batch):
            scores[at][number] = (
                MetricsDict({metric.output_key: values}) if metric.output_key else values
            )
            if totals is not None:
                statistics[at][number] = totals
    if len(plan.metrics) > 1:
        for parts in scores:
            _refuse_equal_names(parts)
    names = plan.field_names()
    return [
        ScoredRow(
            instance.instance_id,
            instance.summarizer_id,
            instance.summarizer_type,
            scores[at],
            instance.fields.digest(names),
            statistics[at],
        )
        for at, instance in enumerate(batch)
    ]


def evaluate(
    instances: Iterable[EvalInstance],
    metrics: Sequence[Metric],
    *,
    include_references: bool = False,
    resampling: Resampling | None = None,
    workers: int | None = None,
    batch_size: int = BATCH_SIZE,
) -> tuple[Evaluation, list[Metrics]]:
    """System scores with intervals, and the scores of each summary in input order.

    Reference rows are scored but count in no system's score, unless `include_references`.
    """
    plan = Plan(metrics)
    builder = EvaluationBuilder(metrics, include_references, resampling or Resampling())
    rows = []
    for row in score_rows(watch(instances, builder), plan, workers=workers, batch_size=batch_size):
        builder.add(row.summarizer_id, row.summarizer_type, row.parts, row.statistics)
        builder.digest.add(row.instance_id, row.summarizer_id, row.summarizer_type, row.digest)
        rows.append(row.to_metrics())
    return builder.build(), rows


def score(
    instances: Iterable[EvalInstance],
    metrics: Sequence[Metric],
    *,
    disable_peer_jackknifing: bool = False,
    workers: int | None = None,
    batch_size: int = BATCH_SIZE,
) -> list[Metrics]:
    """Scores of peers and references in input order, jackknifed where the metric allows it.

    A peer has its plain value and, with two references or more, the mean over all leave-one-out sets
    under the name with `_jk`; a reference has only the `_jk` value, against the other references.
    """
    plan = Plan(metrics, "score", not disable_peer_jackknifing)
    checked = refuse_duplicates(instances)
    rows = score_rows(checked, plan, workers=workers, batch_size=batch_size)
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


_Scored = Iterator[tuple[int, MetricsDict, list[float] | None]]


def _score_metric(plan: Plan, metric: Metric, batch: Sequence[EvalInstance]) -> _Scored:
    """One metric on a batch: place in the batch, values as the output names them, statistics."""
    jackknifing = plan.task == "score" and metric.jackknifer is not None
    plain: list[tuple[int, Fields]] = []
    left_out: list[tuple[int, Fields]] = []
    for at, instance in enumerate(batch):
        if jackknifing and instance.summarizer_type == "reference":
            fields = _leave_self_out(metric, instance)
            if fields is not None:
                left_out.append((at, fields))
        else:
            plain.append((at, _fields(metric, instance)))
    if plain:
        yield from _score_plain(_Groups(metric, plain), jackknifing and plan.peer_jackknifing)
    if left_out:
        others = _Groups(metric, left_out)
        for at, values in others.scatter(metric.score_multi_all(*others.columns)):
            yield at, _jackknifed(values), None


class _Groups:
    """Rows by equal context: their places, and the columns that `score_multi_all` takes."""

    def __init__(self, metric: Metric, rows: Sequence[tuple[int, Fields]]) -> None:
        names = metric.required_context_fields
        groups: dict[bytes, list[tuple[int, Fields]]] = {}
        for at, fields in rows:
            groups.setdefault(fields.encoded(names), []).append((at, fields))
        self.metric = metric
        self.places = [[at for at, _ in group] for group in groups.values()]
        self.columns = [
            *(
                [[fields[name] for _, fields in group] for group in groups.values()]
                for name in metric.required_summary_fields
            ),
            *(
                [group[0][1][name] for group in groups.values()]
                for name in metric.required_context_fields
            ),
        ]

    def scatter(self, results: Sequence[Sequence[Any]]) -> Iterator[tuple[int, Any]]:
        """Each row's place with its result."""
        for places, group in zip(self.places, results, strict=True):
            yield from zip(places, group, strict=True)


def _score_plain(groups: _Groups, jackknifing: bool) -> _Scored:
    metric = groups.metric
    if jackknifing:
        for at, (plain, left_out) in groups.scatter(metric.score_with_jackknife(*groups.columns)):
            if left_out is not None:
                # In place: the metric made the row for us.
                dict.update(plain, _jackknifed(left_out))
            yield at, plain, None
    elif isinstance(metric, CorpusMetric) and metric.corpus_statistics:
        for at, (values, statistics) in groups.scatter(
            metric.scores_and_statistics(*groups.columns)
        ):
            yield at, values, statistics
    else:
        for at, values in groups.scatter(metric.score_multi_all(*groups.columns)):
            yield at, values, None


def _fields(metric: Metric, instance: EvalInstance) -> Fields:
    try:
        fields = instance.fields.select_fields(
            [*metric.required_summary_fields, *metric.required_context_fields]
        )
    except UnknownNameError as missing:
        raise DataError(
            f"{instance.describe()}: no field {missing.name!r} (found: "
            f"{', '.join(instance.fields)}); metric {metric.label!r} needs it. Text files: "
            f"--{missing.name} FILE...; tables: --fields {missing.name}=COLUMN"
        ) from missing
    if "references" in fields and not fields["references"]:
        raise DataError(
            f"{instance.describe()}: no references; metric {metric.label!r} needs at least one"
        )
    return fields


def _leave_self_out(metric: Metric, instance: EvalInstance) -> Fields | None:
    """The fields of a reference row without itself in its context; None where nothing is left."""
    assert metric.jackknifer is not None
    fields = _fields(metric, instance)
    others = metric.jackknifer.without_self(fields)
    if others is not fields:
        warnings.warn(
            f"{instance.describe()}: the {metric.jackknifer.field} hold the summary itself; left out",
            DataWarning,
            stacklevel=2,
        )
        if not metric.jackknifer.parts(others[metric.jackknifer.field]):
            return None
    return others


def _jackknifed(values: MetricsDict) -> MetricsDict:
    renamed = MetricsDict()
    dict.update(renamed, {key + JACKKNIFE_SUFFIX: value for key, value in values.items()})
    return renamed


def _refuse_equal_names(parts: Sequence[MetricsDict]) -> None:
    given = Counter(key for part in parts for key in part)
    clash = sorted(key for key, count in given.items() if count > 1)
    if clash:
        raise ParameterError(
            f"two metrics give {', '.join(clash)}; put one under a name of its own with "
            '"as": "name" in its configuration'
        )
