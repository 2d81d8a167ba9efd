"""The step of the loop with a score store: look up a batch, score and store only missing scores."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from rubrica.data.files import blake2b_of
from rubrica.data.instance import EvalInstance
from rubrica.data.store import Kind, ScoreStore, StoredScore
from rubrica.data.store.store import text_key
from rubrica.errors import OutputError, ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.scoring.batch import (
    Scored,
    ScoredRow,
    describe_batch,
    gc_paused,
    score_parts,
    scored_fields,
    whole_rows,
)
from rubrica.scoring.engines.base import Work
from rubrica.scoring.loop import Step
from rubrica.scoring.plan import Plan
from rubrica.scoring.worker import Worker

# The instances to score, and for each metric the indices of those that are missing.
_Missing: TypeAlias = tuple[list[EvalInstance], list[list[int]]]


@dataclass(frozen=True, slots=True)
class PendingBatch:
    """A batch whose missing scores are being computed."""

    batch: Sequence[EvalInstance]
    known: list[list[Scored]]
    # Indices in the batch of the instances that were sent.
    sent: list[int]
    # For each metric, the kind and key of each index.
    places: list[dict[int, tuple[Kind, bytes]]]


class CachedStep(Step):
    """Looks up and stores scores in the driver, for any engine; workers compute missing scores."""

    def __init__(self, worker: Worker, store: ScoreStore) -> None:
        self._worker, self._plan, self._store = worker, worker.plan, store
        self._kinds = _Kinds(self._plan)
        work = partial(_score_missing, self._plan)
        kind = self._plan.work_kind()
        super().__init__(Work(work, kind, lambda missing: describe_batch(missing[0])))

    def prepare(self, item: Any) -> tuple[PendingBatch, _Missing]:
        """Read a piece and look up its scores."""
        with gc_paused():
            return _look_up(self._plan, self._kinds, self._store, self._worker.read(item))

    def finish(self, pending: PendingBatch, answer: Sequence[Sequence[Scored]]) -> Any:
        """Store the new scores and return the complete rows."""
        with gc_paused():
            rows = _merge(self._plan, self._store, pending, answer)
            result = self._worker.to_result(pending.batch, rows)
        self._store.flush(all_kinds=False)
        return result

    def close(self) -> None:
        """Write pending scores; an error does not hide an earlier one."""
        if sys.exc_info()[0] is None:
            self._store.flush()
            return
        with suppress(OutputError):
            self._store.flush()


def _score_missing(plan: Plan, missing: _Missing) -> list[list[Scored]]:
    batch, metrics_of_rows = missing
    return score_parts(plan, batch, metrics_of_rows) if batch else [[] for _ in plan.metrics]


def _look_up(
    plan: Plan, kinds: _Kinds, store: ScoreStore, batch: Sequence[EvalInstance]
) -> tuple[PendingBatch, _Missing]:
    """Return the stored scores of a batch, and what must be scored."""
    known: list[list[Scored]] = []
    places: list[dict[int, tuple[Kind, bytes]]] = []
    for metric in plan.metrics:
        keys = _keys(plan, kinds, metric, batch)
        scores: list[Scored] = []
        for kind in dict.fromkeys(kind for kind, _ in keys.values()):
            indices = [at for at, (row_kind, _) in keys.items() if row_kind == kind]
            for at, score in zip(
                indices, store.lookup(kind, [keys[at][1] for at in indices]), strict=True
            ):
                if score is not None:
                    scores.append((at, score.values, score.statistics))
                    del keys[at]
        known.append(scores)
        places.append(keys)
    sent = sorted({at for keys in places for at in keys})
    among = {at: number for number, at in enumerate(sent)}
    missing = [[among[at] for at in keys] for keys in places]
    return PendingBatch(batch, known, sent, places), ([batch[at] for at in sent], missing)


def _keys(
    plan: Plan, kinds: _Kinds, metric: Metric, batch: Sequence[EvalInstance]
) -> dict[int, tuple[Kind, bytes]]:
    """Return the kind and key of every index that the metric can score."""
    names = metric.field_names
    keys = {}
    for at, instance in enumerate(batch):
        fields, _ = scored_fields(plan, metric, instance)
        if fields is not None:
            kind = kinds.of(metric, plan.form(metric, instance))
            keys[at] = kind, text_key(fields.encoded(names))
    return keys


def _merge(
    plan: Plan, store: ScoreStore, pending: PendingBatch, answer: Sequence[Sequence[Scored]]
) -> list[ScoredRow]:
    parts = []
    for known, keys, scored in zip(pending.known, pending.places, answer, strict=True):
        fresh = [(pending.sent[at], values, statistics) for at, values, statistics in scored]
        for at, values, statistics in fresh:
            store.put(*keys[at], StoredScore(values, statistics))
        parts.append([*known, *fresh])
    return whole_rows(plan, pending.batch, parts)


class _Kinds:
    """The kinds of a plan's metrics, each computed once: signatures may read files."""

    def __init__(self, plan: Plan) -> None:
        inputs = plan.inputs or [""] * len(plan.metrics)
        self._parts = {
            id(metric): (str(metric.signature()), _source(metric), digest)
            for metric, digest in zip(plan.metrics, inputs, strict=True)
        }
        self._kinds: dict[tuple[int, str], Kind] = {}

    def of(self, metric: Metric, form: str) -> Kind:
        """Return the kind of one metric's scores in one form."""
        if (id(metric), form) not in self._kinds:
            signature, code, digest = self._parts[id(metric)]
            self._kinds[id(metric), form] = Kind(signature, form, code, digest)
        return self._kinds[id(metric), form]


def _source(metric: Metric) -> str:
    """Return a digest of a custom metric's file: authors may change it without a new version."""
    module = type(metric).__module__
    if module.partition(".")[0] == "rubrica":
        return ""
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None:
        raise ParameterError(
            f"metric {metric.label!r} was defined in no file, so a store cannot tell whether it has "
            "changed; put it into a module"
        )
    return blake2b_of(path, 8)
