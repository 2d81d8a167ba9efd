"""The scoring loop: items go through workers, and their results come back in order.

Everything that scores more than a batch goes through `run`. What is done to an item is a `Step`: a worker scores it, a
store is asked for it first, or a whole file becomes a part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, Protocol

from rubrica.data.instance import EvalInstance
from rubrica.errors import ParameterError
from rubrica.scoring.batch import ScoredRow, score_batch
from rubrica.scoring.engines.base import Engine, WorkKind, engine_for
from rubrica.scoring.plan import Plan, fit_to_input
from rubrica.scoring.worker import DirectStep, Worker

BATCH_SIZE = 2048


class Step(Protocol):
    """What the loop does with an item."""

    @property
    def kind(self) -> WorkKind:
        """The kind of work."""
        ...

    def prepare(self, item: Any) -> tuple[Any, Any]:
        """In the driver: return the data for `finish`, and the payload for a worker."""
        ...

    @property
    def work(self) -> Callable[[Any], Any]:
        """The function that a worker applies to its payload; it can be pickled."""
        ...

    def finish(self, context: Any, answer: Any) -> Any:
        """In the driver, in the order of the items: return the result."""
        ...

    def describe(self, payload: Any) -> str:
        """Return a description of the payload for errors."""
        ...

    def close(self) -> None:
        """Clean up after the last item, or when the run ends early."""
        ...


def run(
    step: Step, items: Iterable[Any], *, engine: Engine
) -> Generator[tuple[Any, Any], None, None]:
    """Yield each item with its result, in order; only a few are under way at a time."""
    under_way: deque[tuple[Any, Any]] = deque()

    def payloads() -> Iterator[Any]:
        for item in items:
            context, payload = step.prepare(item)
            under_way.append((item, context))
            yield payload

    answers = engine.map(step.work, payloads(), kind=step.kind, describe=step.describe)
    try:
        for answer in answers:
            item, context = under_way.popleft()
            yield item, step.finish(context, answer)
    finally:
        # Close now, not at garbage collection: workers end, and the store writes its pending scores.
        getattr(answers, "close", lambda: None)()
        step.close()


def score_rows(
    instances: Iterable[EvalInstance],
    plan: Plan,
    *,
    engine: Engine | None = None,
    workers: int | None = None,
    batch_size: int | None = None,
) -> Generator[ScoredRow, None, None]:
    """Yield the scores of instances, in order. The engine is this machine with `workers` cores (default: all)."""
    if not plan.metrics:
        raise ParameterError("no metric to score with")
    engine = engine or engine_for("local", workers=workers)
    plan, instances = fit_to_input(plan, instances)
    pieces = batches(instances, ramped_sizes(rows_per_batch(engine, batch_size)))
    results = run(_RowsStep(plan), pieces, engine=engine)
    try:
        for _, rows in results:
            yield from rows
    finally:
        results.close()


class _RowsStep(DirectStep):
    """Scores batches of instances and returns the scored rows."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(Worker(plan, None, ()))

    @property
    def work(self) -> Callable[[Any], Any]:
        """Return the function that scores a batch."""
        return partial(score_batch, self.worker.plan)


def rows_per_batch(engine: Engine, requested: int | None) -> int:
    """Return the number of rows in a piece of work: as requested, or as suits the engine."""
    size = requested if requested is not None else engine.batch_size or BATCH_SIZE
    if size < 1:
        raise ParameterError(f"batch size must be at least 1, not {size}")
    return size


def batches(
    instances: Iterable[EvalInstance], sizes: Iterator[int]
) -> Iterator[list[EvalInstance]]:
    """Yield instances in lists of the given sizes."""
    stream = iter(instances)
    for size in sizes:
        batch = list(islice(stream, size))
        if not batch:
            return
        yield batch


def ramped_sizes(size: int) -> Iterator[int]:
    """Yield batch sizes, the first ones small, so that slow metrics soon have results and share work."""
    now = min(size, 16)
    while True:
        yield now
        now = min(size, 2 * now)
