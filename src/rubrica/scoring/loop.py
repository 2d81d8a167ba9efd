"""The scoring loop: items go through workers, and their results come back in order.

Everything that scores more than a batch goes through `run`. What is done to an item is a `Step`: a worker scores it, a
store is asked for it first, or a whole file becomes a part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from rubrica.data.instance import EvalInstance
from rubrica.errors import ParameterError
from rubrica.scoring.batch import ScoredRow, describe_batch, score_batch
from rubrica.scoring.engines.base import Engine, Work, engine_for
from rubrica.scoring.plan import Plan, check_types, fit_to_input

BATCH_SIZE = 2048


class Step:
    """What the loop does with an item. This one sends the item itself to a worker."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def prepare(self, item: Any) -> tuple[Any, Any]:
        """In the driver: return the data for `finish`, and the payload for a worker."""
        return None, item

    def finish(self, context: Any, answer: Any) -> Any:
        """In the driver, in the order of the items: return the result."""
        return answer

    def close(self) -> None:
        """Clean up after the last item, or when the run ends early."""


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

    answers = engine.map(step.work, payloads())
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
    engine = engine or engine_for("local", workers=workers)
    plan, instances = fit_to_input(plan, instances)
    pieces = batches(instances, ramped_sizes(rows_per_batch(engine, batch_size)))
    work = Work(partial(score_batch, plan), plan.work_kind(), describe_batch)
    results = run(Step(work), pieces, engine=engine)
    try:
        for _, rows in results:
            yield from rows
    finally:
        results.close()


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
    stream = check_types(instances)
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
