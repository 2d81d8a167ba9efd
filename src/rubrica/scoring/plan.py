"""What a run does with every row: which metrics, with or without jackknifing, for which input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.measures import MeasureGroup
from rubrica.errors import ParameterError
from rubrica.metrics.base.measures import measure_groups
from rubrica.metrics.base.metric import Metric
from rubrica.scoring.digest import DataDigest, row_identity
from rubrica.scoring.engines.base import WorkKind

Form: TypeAlias = Literal["plain", "jackknifed", "left-out"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The metrics of a run and its task: `evaluate` scores rows plainly, `score` jackknifes too."""

    metrics: Sequence[Metric]
    task: Literal["evaluate", "score"] = "evaluate"
    peer_jackknifing: bool = True
    # For each metric whose scores depend on the whole input, a digest of it.
    inputs: Sequence[str] = ()
    # Whether system scores need the instance ids: clusters of inputs are resampled.
    with_ids: bool = False

    def field_names(self) -> list[str]:
        """Return all fields that some metric needs, each once."""
        names = (name for metric in self.metrics for name in metric.field_names)
        return list(dict.fromkeys(names))

    def signatures(self, facts: Sequence[Mapping[str, str]] = ()) -> tuple[str, ...]:
        """Return a signature per metric, with what the metrics report about a particular row."""
        row_facts = facts or [{}] * len(self.metrics)
        return tuple(
            str(metric.signature().applied("", **facts))
            for metric, facts in zip(self.metrics, row_facts, strict=True)
        )

    def measures(self, paths: Sequence[Iterable[Sequence[str]]]) -> tuple[MeasureGroup, ...]:
        """Return the measures of a row; `paths` has those of each metric."""
        return tuple(
            group
            for metric, metric_paths in zip(self.metrics, paths, strict=True)
            for group in measure_groups(metric, metric_paths)
        )

    def form(self, metric: Metric, instance: EvalInstance) -> Form:
        """Return how the metric scores a row of this type."""
        if self.task != "score" or metric.jackknifer is None:
            return "plain"
        if instance.summarizer_type == "reference":
            return "left-out"
        return "jackknifed" if self.peer_jackknifing else "plain"

    def work_kind(self) -> WorkKind:
        """Return the kind of work that suits the most demanding of the metrics."""
        kinds = {metric.parallel for metric in self.metrics}
        order: tuple[WorkKind, ...] = ("device", "processes", "threads")
        return next(kind for kind in order if kind in kinds)

    def needs_whole_input(self) -> bool:
        """Return whether some metric must see all rows before it scores one."""
        return any(metric.needs_whole_input for metric in self.metrics)

    def has_corpus_statistics(self) -> bool:
        """Return whether some system score is computed from sums that the rows do not show."""
        return any(metric.corpus_statistics for metric in self.metrics)


def fit_to_input(
    plan: Plan, instances: Iterable[EvalInstance]
) -> tuple[Plan, Iterable[EvalInstance]]:
    """Return the plan with metrics that have seen the whole input, where they need to.

    What can be iterated over again, such as files, is read twice; only an iterator is held in memory.
    """
    if not plan.metrics:
        raise ParameterError("no metric to score with")
    if not plan.needs_whole_input():
        return plan, instances
    if isinstance(instances, Iterator):
        instances = list(instances)
    metrics, digests = [], []
    for metric in plan.metrics:
        names = metric.field_names
        digested = _Digested(instances, names)
        metrics.append(metric.for_input(digested) if metric.needs_whole_input else metric)
        digests.append(digested.digest)
    return replace(plan, metrics=metrics, inputs=digests), instances


def check_types(instances: Iterable[EvalInstance]) -> Iterator[EvalInstance]:
    """Yield the instances; anything else among them is an error."""
    for instance in instances:
        if not isinstance(instance, EvalInstance):
            raise ParameterError(
                f"expected EvalInstance objects, found {type(instance).__name__}; readers make them: "
                "DatasetReader.from_config('jsonl').read(FILE)"
            )
        yield instance


class _Digested:
    """Instances and, once they were read, a digest of the fields that a metric reads."""

    def __init__(self, instances: Iterable[EvalInstance], names: Sequence[str]) -> None:
        self._instances, self._names, self.digest = instances, names, ""

    def __iter__(self) -> Iterator[EvalInstance]:
        digest = DataDigest()
        for instance in check_types(self._instances):
            row = Fields((name, instance.fields.get(name)) for name in self._names)
            ids = instance.instance_id, instance.summarizer_id, instance.summarizer_type
            digest.add(row_identity(*ids, row.digest(self._names)))
            yield instance
        self.digest = str(digest)
