"""Scoring with a store: batches are looked up first, only what is missing is scored, and then kept."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from rubrica.batch import (
    Plan,
    Scored,
    ScoredRow,
    described,
    score_parts,
    scored_fields,
    uncollected,
    whole_rows,
)
from rubrica.data.files import blake2b_of
from rubrica.data.instance import EvalInstance
from rubrica.data.store import Kind, ScoreStore, StoredScore
from rubrica.data.store.store import text_key
from rubrica.engines.base import Engine, WorkKind
from rubrica.errors import OutputError, ParameterError
from rubrica.metrics.base import Metric

# The instances to score, and per metric the places among them that are missing.
_Work: TypeAlias = tuple[list[EvalInstance], list[list[int]]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A batch whose missing scores are under way."""

    batch: Sequence[EvalInstance]
    known: list[list[Scored]]
    # Where the instances that were sent stand in the batch.
    sent: list[int]
    # Per metric, under which kind and key the score of a place is kept.
    places: list[dict[int, tuple[Kind, bytes]]]


def stored_batches(
    plan: Plan,
    batches: Iterable[Sequence[EvalInstance]],
    store: ScoreStore,
    engine: Engine,
    kind: WorkKind,
) -> Iterator[tuple[Sequence[EvalInstance], list[ScoredRow]]]:
    """Batches with their scores. The store is read and written here alone, whatever the engine."""
    kinds = _Kinds(plan)
    asked: deque[_Asked] = deque()

    def work() -> Iterator[_Work]:
        for batch in batches:
            with uncollected():
                one, missing = _ask(plan, kinds, store, batch)
            asked.append(one)
            yield missing

    try:
        parts = engine.map(
            partial(_score, plan), work(), kind=kind, describe=lambda one: described(one[0])
        )
        for made in parts:
            one = asked.popleft()
            with uncollected():
                rows = _finish(plan, store, one, made)
            yield one.batch, rows
            store.flush(all_kinds=False)
    except BaseException:
        # Also when the caller gives up. What went wrong first is what should be told.
        with suppress(OutputError):
            store.flush()
        raise
    store.flush()


def _score(plan: Plan, work: _Work) -> list[list[Scored]]:
    batch, wanted = work
    return score_parts(plan, batch, wanted) if batch else [[] for _ in plan.metrics]


def _ask(
    plan: Plan, kinds: _Kinds, store: ScoreStore, batch: Sequence[EvalInstance]
) -> tuple[_Asked, _Work]:
    """What the store has of a batch, and what must be scored."""
    known: list[list[Scored]] = []
    places: list[dict[int, tuple[Kind, bytes]]] = []
    for metric in plan.metrics:
        keys = _keys(plan, kinds, metric, batch)
        found: list[Scored] = []
        for kind in dict.fromkeys(kind for kind, _ in keys.values()):
            own = [at for at, (one, _) in keys.items() if one == kind]
            for at, score in zip(own, store.lookup(kind, [keys[at][1] for at in own]), strict=True):
                if score is not None:
                    found.append((at, score.values, score.statistics))
                    del keys[at]
        known.append(found)
        places.append(keys)
    sent = sorted({at for keys in places for at in keys})
    among = {at: number for number, at in enumerate(sent)}
    wanted = [[among[at] for at in keys] for keys in places]
    return _Asked(batch, known, sent, places), ([batch[at] for at in sent], wanted)


def _keys(
    plan: Plan, kinds: _Kinds, metric: Metric, batch: Sequence[EvalInstance]
) -> dict[int, tuple[Kind, bytes]]:
    """The kind and key of every place the metric has something to score at."""
    names = [*metric.required_summary_fields, *metric.required_context_fields]
    keys = {}
    for at, instance in enumerate(batch):
        fields, _ = scored_fields(plan, metric, instance)
        if fields is not None:
            kind = kinds.of(metric, plan.form(metric, instance))
            keys[at] = kind, text_key(fields.encoded(names))
    return keys


def _finish(
    plan: Plan, store: ScoreStore, one: _Asked, made: Sequence[Sequence[Scored]]
) -> list[ScoredRow]:
    parts = []
    for known, keys, scored in zip(one.known, one.places, made, strict=True):
        fresh = [(one.sent[at], values, statistics) for at, values, statistics in scored]
        for at, values, statistics in fresh:
            store.put(*keys[at], StoredScore(values, statistics))
        parts.append([*known, *fresh])
    return whole_rows(plan, one.batch, parts)


class _Kinds:
    """The kinds of a plan's metrics, each made once: signatures may read files."""

    def __init__(self, plan: Plan) -> None:
        inputs = plan.inputs or [""] * len(plan.metrics)
        self._made = {
            id(metric): (str(metric.signature()), _source(metric), digest)
            for metric, digest in zip(plan.metrics, inputs, strict=True)
        }
        self._kinds: dict[tuple[int, str], Kind] = {}

    def of(self, metric: Metric, form: str) -> Kind:
        """The kind of one metric's scores of one form."""
        if (id(metric), form) not in self._kinds:
            signature, code, digest = self._made[id(metric)]
            self._kinds[id(metric), form] = Kind(signature, form, code, digest)
        return self._kinds[id(metric), form]


def _source(metric: Metric) -> str:
    """A digest of the file a foreign metric stands in: its author may change it without a version."""
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
