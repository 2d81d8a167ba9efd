"""One run, from input to output: its input, worker and engine, and the rows seen so far."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rubrica.data.instance import EvalInstance
from rubrica.data.store import ScoreStore
from rubrica.datasets.source import Source
from rubrica.errors import ParameterError
from rubrica.scoring.cached import CachedStep
from rubrica.scoring.duplicates import Seen, duplicate_error
from rubrica.scoring.engines.base import Engine
from rubrica.scoring.loop import Step, batches, ramped_sizes, rows_per_batch, run
from rubrica.scoring.plan import Plan, fit_to_input
from rubrica.scoring.reporter import Reporter
from rubrica.scoring.worker import DirectStep, RowsAs, ScoredBatch, Worker


@dataclass(slots=True)
class Pieces:
    """The input of a run in pieces, and how they are scored."""

    plan: Plan
    worker: Worker
    source: Source | Iterable[EvalInstance]
    sizes: Iterator[int]
    engine: Engine
    store: ScoreStore | None
    reporter: Reporter
    seen: Seen = field(default_factory=Seen)

    @classmethod
    def of(
        cls,
        plan: Plan,
        source: Source | Iterable[EvalInstance],
        *,
        rows_as: RowsAs,
        engine: Engine,
        store: ScoreStore | None,
        batch_size: int | None,
        reporter: Reporter,
    ) -> Pieces:
        """Prepare a run; metrics that need the whole input read it now."""
        if not plan.metrics:
            raise ParameterError("no metric to score with")
        if isinstance(source, Source):
            plan, _ = fit_to_input(plan, source)
            reader = source.reader
        else:
            plan, source = fit_to_input(plan, _checked(source))
            reader = None
        worker = Worker(plan, reader, plan.signatures(), rows_as)
        sizes = ramped_sizes(rows_per_batch(engine, batch_size))
        return cls(plan, worker, source, sizes, engine, store, reporter)

    def all(self) -> Iterator[Any]:
        """Yield all pieces of the input."""
        if isinstance(self.source, Source):
            return self.source.pieces(self.sizes)
        return batches(self.source, self.sizes)

    def score(self, pieces: Iterable[Any]) -> Generator[ScoredBatch, None, None]:
        """Yield scored pieces, in order; a duplicate row is an error.

        Raw pieces are read by the workers. With a store they are read here, where the store is.
        """
        step: Step = DirectStep(self.worker)
        if self.store is not None:
            step = CachedStep(self.plan, self.store, self.worker.read, self.worker.to_result)
        results = run(step, pieces, engine=self.engine)
        with closing(results), self.reporter.counter("rows", self._total) as count:
            for piece, batch in results:
                duplicate = self.seen.add(batch.keys)
                if duplicate is not None:
                    raise duplicate_error(self.worker.read(piece)[duplicate[0]], duplicate[1])
                yield batch
                count(len(batch))

    def _total(self) -> int | None:
        """Return the number of rows, if it is known before they are read."""
        if isinstance(self.source, Source):
            return self.source.line_count()
        return len(self.source) if isinstance(self.source, Sized) else None

    def description(self) -> str:
        """Return what must be equal for a run to be resumed."""
        return describe_run(self.plan, self.source)


def describe_run(plan: Plan, source: Source | Iterable[EvalInstance]) -> str:
    """Return task, metrics and input of a run as JSON."""
    files: Sequence[str] = source.files if isinstance(source, Source) else ()
    description = {
        "task": plan.task,
        "metrics": plan.signatures(),
        "peer_jackknifing": plan.peer_jackknifing,
        "reader": source.reader.name if isinstance(source, Source) else "",
        "files": list(files),
    }
    return msgspec.json.encode(description).decode()


def _checked(instances: Iterable[EvalInstance]) -> Iterable[EvalInstance]:
    """Return instances that can be iterated over as before; anything else among them is an error."""
    if isinstance(instances, Iterator):
        return _check_types(instances)
    return _CheckedInstances(instances)


@dataclass(frozen=True, slots=True)
class _CheckedInstances:
    instances: Iterable[EvalInstance]

    def __iter__(self) -> Iterator[EvalInstance]:
        return _check_types(self.instances)


def _check_types(instances: Iterable[EvalInstance]) -> Iterator[EvalInstance]:
    for instance in instances:
        if not isinstance(instance, EvalInstance):
            raise ParameterError(
                f"expected EvalInstance objects, found {type(instance).__name__}; readers make them: "
                "DatasetReader.from_config('jsonl').read(FILE)"
            )
        yield instance
