"""Batches on all cores of this machine, in order, with only a few in memory at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, count, islice
from typing import Any, ClassVar, Literal

from rubrica.core.cores import available_cores
from rubrica.errors import ParameterError, RubricaError
from rubrica.scoring.engines.base import Engine, Item, Result, WorkKind, repeat_warnings
from rubrica.scoring.engines.pool import Answer, WorkerDiedError, WorkerPool

BEFORE_PROCESSES = 1.0
"""Seconds of work in the calling process before others are started."""


class LocalEngine(Engine):
    """This machine: threads for native kernels, processes for Python, one place for a device."""

    name: ClassVar[str] = "local"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        super().__init__(workers)
        if address is not None:
            raise ParameterError("an address is that of a Ray cluster: it needs the engine 'ray'")

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        kind: WorkKind,
        describe: Callable[[Item], str] = repr,
    ) -> Iterator[Result]:
        """As of `Engine`. Work for a device stays in this thread: the model is loaded once."""
        if kind == "device":
            return map(function, items)
        workers = self.workers or available_cores()
        return map_ordered(function, items, workers=workers, kind=kind, describe=describe)


def map_ordered(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    workers: int,
    kind: Literal["threads", "processes"],
    describe: Callable[[Item], str] = repr,
) -> Iterator[Result]:
    """Apply a function to items with several workers at once; results come in the order of the items.

    At most two items per worker are under way, so a long input is never held. With one worker, or a
    single item, everything happens in the calling thread.
    """
    stream = iter(items)
    head = list(islice(stream, 2))
    if workers < 2 or len(head) < 2:
        yield from map(function, chain(head, stream))
        return
    stream = chain(head, stream)
    if kind == "threads":
        yield from _in_threads(function, stream, workers)
        return
    # Processes take a while to start: short work finishes sooner without them.
    started = time.monotonic()
    for item in stream:
        yield function(item)
        if time.monotonic() - started > BEFORE_PROCESSES:
            break
    head = list(islice(stream, 2))
    if len(head) < 2:
        yield from map(function, head)
        return
    yield from _in_processes(function, chain(head, stream), workers, describe)


def _in_threads(
    function: Callable[[Any], Any], items: Iterator[Any], workers: int
) -> Iterator[Any]:
    pending: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(workers) as threads:
        try:
            for item in items:
                pending.append(threads.submit(function, item))
                if len(pending) >= 2 * workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def _in_processes(
    function: Callable[[Any], Any],
    items: Iterator[Any],
    workers: int,
    describe: Callable[[Any], str],
) -> Iterator[Any]:
    """Yield results in the order of the items; only a few early results wait."""
    answers: dict[int, Answer] = {}
    numbers, exhausted = count(), False
    with WorkerPool(function, workers) as pool:
        for number in count():
            while number not in answers:
                while not exhausted and pool.has_room() and len(answers) < 2 * workers:
                    for item in islice(items, 1):
                        pool.submit(next(numbers), item)
                        break
                    else:
                        exhausted = True
                if not len(pool):
                    return
                try:
                    answers |= dict(pool.answers())
                except WorkerDiedError as error:
                    raise _lost(error, describe) from error
            result, captured, failure = answers.pop(number)
            repeat_warnings(captured)
            if failure is not None:
                raise failure
            yield result


def _lost(error: WorkerDiedError, describe: Callable[[Any], str]) -> RubricaError:
    rows = f" on {describe(error.items[0])}" if error.items else ""
    return RubricaError(
        f"{error}{rows}, perhaps for lack of memory: try fewer workers or smaller batches. "
        "In a script of your own, work in several processes must start under "
        "if __name__ == '__main__':, or be done with workers=1"
    )
