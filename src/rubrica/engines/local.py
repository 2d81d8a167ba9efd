"""Batches on all cores of this machine, in order, with only a few in memory at a time."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from typing import Any, ClassVar, Literal

from rubrica.core.cores import available_cores
from rubrica.engines.base import Item, Result, Told, WorkKind, recorded, tell
from rubrica.errors import RubricaError

BEFORE_PROCESSES = 1.0
"""Seconds of work in the calling process before others are started."""


class LocalEngine:
    """This machine: threads for native kernels, processes for Python, one place for a device."""

    name: ClassVar[str] = "local"
    batch_size: int | None = None

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers

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
        return map_ordered(function, items, workers=self.workers or available_cores(), kind=kind)


def map_ordered(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    workers: int,
    kind: Literal["threads", "processes"],
) -> Iterator[Result]:
    """`map`, by `workers` at once; results come in the order of the items.

    At most two items per worker are under way, so a long input is never held. With one worker, or a
    single item, everything happens in the calling thread.
    """
    stream = iter(items)
    head = list(islice(stream, 2))
    if workers < 2 or len(head) < 2:
        yield from map(function, chain(head, stream))
        return
    if kind == "threads":
        with ThreadPoolExecutor(workers) as threads:
            yield from _windowed(threads, function, chain(head, stream), 2 * workers)
        return
    # Processes take a while to start: not for work that is done before they would be.
    stream, started = chain(head, stream), time.monotonic()
    for item in stream:
        yield function(item)
        if time.monotonic() - started > BEFORE_PROCESSES:
            break
    head = list(islice(stream, 2))
    if len(head) < 2:
        yield from map(function, head)
        return
    pool = ProcessPoolExecutor(
        workers,
        # Forking a process that has threads (numpy's, ours) can deadlock.
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(function,),
    )
    try:
        for result, told in _windowed(pool, _work, chain(head, stream), 2 * workers):
            tell(told)
            yield result
    except BrokenProcessPool as error:
        raise RubricaError(
            "a worker process died, perhaps for lack of memory: try fewer workers or smaller batches. "
            "In a script of your own, work in several processes must start under "
            "if __name__ == '__main__':, or be done with workers=1"
        ) from error
    finally:
        # After an interrupt nobody waits for batches that are still being computed.
        running = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.terminate()


def _windowed(
    pool: Executor, function: Callable[[Any], Any], items: Iterator[Any], window: int
) -> Iterator[Any]:
    pending: deque[Future[Any]] = deque()
    try:
        for item in items:
            pending.append(pool.submit(function, item))
            if len(pending) >= window:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()


_function: Callable[[Any], Any]


def _start_worker(function: Callable[[Any], Any]) -> None:
    """In a new worker process: keep the work to do; leave Ctrl-C to the parent."""
    global _function  # noqa: PLW0603 (one worker process, one piece of work)
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(item: Any) -> tuple[Any, Told]:
    return recorded(_function, item)
