"""Score one batch of rows: each metric's values, then whole scored rows."""

from __future__ import annotations

import gc
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import msgspec

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.measures import JACKKNIFE_SUFFIX
from rubrica.data.metrics import MetricsDict
from rubrica.errors import (
    DataError,
    DataWarning,
    MetricFailedError,
    ParameterError,
    RubricaError,
    UnknownNameError,
)
from rubrica.metrics.base.corpus import CorpusMetric
from rubrica.metrics.base.metric import Metric
from rubrica.scoring.plan import Form, Plan

# Index in the batch, values under the metric's names, corpus statistics.
Scored: TypeAlias = tuple[int, MetricsDict, list[float] | None]


class ScoredRow(msgspec.Struct, frozen=True):
    """One instance's scores while it is being scored: by metric, with corpus statistics."""

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    parts: list[MetricsDict]
    digest: str
    statistics: dict[int, list[float]]

    def merged_metrics(self) -> MetricsDict:
        """Return the values of all metrics in one dict."""
        if len(self.parts) == 1:
            return self.parts[0]
        merged = MetricsDict()
        for part in self.parts:
            # No two parts have a key in common, so nothing needs to be merged or copied.
            dict.update(merged, part)
        return merged


def score_batch(plan: Plan, batch: Sequence[EvalInstance]) -> list[ScoredRow]:
    """Return the scores of a batch. An error of a metric names the first instance that causes it."""
    everything = range(len(batch))
    return whole_rows(plan, batch, score_parts(plan, batch, [everything] * len(plan.metrics)))


def score_parts(
    plan: Plan, batch: Sequence[EvalInstance], metrics_of_rows: Sequence[Sequence[int]]
) -> list[list[Scored]]:
    """Return for each metric the scores of the given rows; equal contexts are scored together."""
    try:
        return [
            list(_score_metric(plan, metric, batch, places)) if places else []
            for metric, places in zip(plan.metrics, metrics_of_rows, strict=True)
        ]
    except RubricaError:
        raise
    except (Exception, SystemExit, GeneratorExit) as error:
        if len(batch) > 1:
            for at, instance in enumerate(batch):
                score_parts(
                    plan, [instance], [[0] if at in places else [] for places in metrics_of_rows]
                )
        metrics = ", ".join(repr(metric.label) for metric in plan.metrics)
        raise MetricFailedError(
            f"metric {metrics} failed on {batch[0].describe()}: {type(error).__name__}: {error} "
            "(--debug shows where)"
        ) from error


def whole_rows(
    plan: Plan, batch: Sequence[EvalInstance], parts: Sequence[Sequence[Scored]]
) -> list[ScoredRow]:
    """Return the scores of all metrics as rows."""
    nothing = [None] * len(plan.metrics)
    scores: list[list[Any]] = [nothing.copy() for _ in batch]
    statistics: list[dict[int, list[float]]] = [{} for _ in batch]
    for number, (metric, scored) in enumerate(zip(plan.metrics, parts, strict=True)):
        for at, values, totals in scored:
            scores[at][number] = (
                MetricsDict({metric.output_key: values}) if metric.output_key else values
            )
            if totals is not None:
                statistics[at][number] = totals
    for row in scores:
        for number, part in enumerate(row):
            if part is None:
                # No context is left to score the row against.
                row[number] = MetricsDict()
    if len(plan.metrics) > 1:
        for row in scores:
            _check_names_differ(row)
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


def describe_batch(batch: Sequence[EvalInstance]) -> str:
    """Return a batch for messages: its number of rows, the first and the last."""
    if not batch:
        return "no rows"
    ends = dict.fromkeys((batch[0].describe(), batch[-1].describe()))
    return f"{len(batch):,} rows, " + " to ".join(ends)


def scored_fields(plan: Plan, metric: Metric, instance: EvalInstance) -> tuple[Fields | None, bool]:
    """Return the fields of a row for the metric; None if no context is left to score it against.

    The second value says whether a reference row held itself in its context, which was taken out.
    """
    fields = _fields(metric, instance)
    if plan.form(metric, instance) != "left-out":
        return fields, False
    assert metric.jackknifer is not None
    other_fields = metric.jackknifer.without_self(fields)
    if other_fields is fields:
        return fields, False
    return (
        other_fields if metric.jackknifer.parts(other_fields[metric.jackknifer.field]) else None
    ), True


def _score_metric(
    plan: Plan, metric: Metric, batch: Sequence[EvalInstance], places: Sequence[int]
) -> Iterator[Scored]:
    """Yield the scores of one metric: index in the batch, values under the output's names, statistics."""
    rows: dict[Form, list[tuple[int, Fields]]] = {}
    if plan.task != "score" or metric.jackknifer is None:
        rows["plain"] = [(at, _fields(metric, batch[at])) for at in places]
        places = ()
    for at in places:
        fields, held_itself = scored_fields(plan, metric, batch[at])
        if held_itself and metric.jackknifer is not None:
            warnings.warn(
                f"{batch[at].describe()}: the {metric.jackknifer.field} hold the summary itself; "
                "left out",
                DataWarning,
                stacklevel=2,
            )
        if fields is not None:
            rows.setdefault(plan.form(metric, batch[at]), []).append((at, fields))
    for form, chosen in rows.items():
        yield from _score_form(_Groups(metric, chosen), form)


class _Groups:
    """Rows by equal context: their indices, and the columns for `score_multi_all`."""

    def __init__(self, metric: Metric, rows: Sequence[tuple[int, Fields]]) -> None:
        names = metric.required_context_fields
        groups: dict[Any, list[tuple[int, Fields]]] = {}
        for at, fields in rows:
            groups.setdefault(_context(fields, names), []).append((at, fields))
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
        """Yield the index of each row with its result."""
        for places, group in zip(self.places, results, strict=True):
            yield from zip(places, group, strict=True)


def _context(fields: Fields, names: Sequence[str]) -> Any:
    """Return a key that is equal for equal contexts; cheap for lists of strings."""
    if len(names) == 1:
        value = fields[names[0]]
        if type(value) is list and {*map(type, value)} == {str}:
            return (*value,)
    return fields.encoded(names)


def _score_form(groups: _Groups, form: Form) -> Iterator[Scored]:
    metric = groups.metric
    if form == "left-out":
        for at, values in groups.scatter(metric.score_multi_all(*groups.columns)):
            yield at, _jackknifed(values), None
    elif form == "jackknifed":
        for at, (plain, left_out) in groups.scatter(metric.score_with_jackknife(*groups.columns)):
            if left_out is not None:
                # In place: the row is not shared.
                renamed = _jackknifed(left_out)
                if clashes := plain.keys() & renamed.keys():
                    raise MetricFailedError(
                        f"metric {metric.label!r}: the measure {min(clashes)!r} has the name of a "
                        "jackknifed value; rename it, so that it does not end in _jk"
                    )
                dict.update(plain, renamed)
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
    names = metric.field_names
    try:
        fields = instance.fields
        if list(fields) != names:
            fields = fields.select_fields(names)
    except UnknownNameError as missing:
        raise DataError(
            f"{instance.describe()}: no field {missing.name!r} (found: "
            f"{', '.join(instance.fields)}); metric {metric.label!r} needs it. Text files: "
            f'`{missing.name}=...`; tables: `fields={{"{missing.name}": "COLUMN"}}`'
        ) from missing
    for name in ("references", "documents"):
        if name in fields and not fields[name]:
            raise DataError(
                f"{instance.describe()}: no {name}; metric {metric.label!r} needs at least one"
            )
    return fields


def _jackknifed(values: MetricsDict) -> MetricsDict:
    renamed = MetricsDict()
    dict.update(renamed, {key + JACKKNIFE_SUFFIX: value for key, value in values.items()})
    return renamed


def _check_names_differ(parts: Sequence[MetricsDict]) -> None:
    counts = Counter(key for part in parts for key in part)
    clash = sorted(key for key, count in counts.items() if count > 1)
    if clash:
        raise ParameterError(
            f"two metrics give {', '.join(clash)}; put one under a name of its own with "
            '"as": "name" in its configuration'
        )


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector: rows have no cycles, and searching for them takes a quarter of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
