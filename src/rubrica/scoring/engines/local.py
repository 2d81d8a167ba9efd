"""Batches on all cores of this machine, in order, with only a few in memory at a time."""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Any, ClassVar, Literal, TypeVar

from rubrica.core.cores import available_cores
from rubrica.errors import ParameterError, RubricaWarning
from rubrica.scoring.engines.base import Engine, Work, in_order
from rubrica.scoring.engines.pool import WorkerPool, can_import_script, defined_in_script

Item = TypeVar("Item")
Result = TypeVar("Result")

BEFORE_PROCESSES = 1.0
"""Seconds of work in the calling process before others are started."""


class LocalEngine(Engine):
    """This machine: threads for native kernels, processes for Python, one place for a device."""

    name: ClassVar[str] = "local"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        super().__init__(workers)
        if address is not None:
            raise ParameterError("an address is that of a Ray cluster: it needs the engine 'ray'")

    def map(self, work: Work, items: Iterable[Any]) -> Iterator[Any]:
        """As of `Engine`. Work for a device stays in this thread: the model is loaded once."""
        if work.kind == "device":
            return map(work.function, items)
        workers = self.workers or available_cores()
        return map_ordered(
            work.function, items, workers=workers, kind=work.kind, describe=work.describe
        )


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
    if not can_import_script() and defined_in_script(function, head):
        warnings.warn(
            "scored in one process: others cannot import what your script or notebook defines; put it into a "
            "module, or start the work of a script under if __name__ == '__main__':",
            RubricaWarning,
            stacklevel=2,
        )
        yield from map(function, chain(head, stream))
        return
    with WorkerPool(function, workers) as pool:
        yield from in_order(pool, chain(head, stream), describe)


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
