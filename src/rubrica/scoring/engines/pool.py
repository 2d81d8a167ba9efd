"""Worker processes that never outlive their driver, and a driver that never waits for a lost one.

Each worker has a pipe of its own. A thread in the worker reads it, so that the driver can always send; when the
pipe closes, the worker exits at once, whatever it is doing. The driver keeps at most two items per worker under way.

A new process imports the script that runs. A script without `if __name__ == "__main__":` would begin anew in each
worker, so workers do not import it.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from rubrica.errors import RubricaError
from rubrica.scoring.engines.base import Answer, answer_of

ITEMS_PER_WORKER = 2
SHUTDOWN_SECONDS = 2.0


def can_import_script() -> bool:
    """Return whether workers can import the script that runs, without beginning its work again."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    if path is None:
        # A notebook, or Python's prompt.
        return False
    try:
        return b"__name__" in Path(path).read_bytes()
    except OSError:
        return getattr(main, "__spec__", None) is not None


def defined_in_script(*values: Any) -> bool:
    """Return whether values hold objects of the script that runs, which workers must import to know them."""
    return b"__main__" in pickle.dumps(values, pickle.HIGHEST_PROTOCOL)


@contextmanager
def _script_for_workers() -> Iterator[None]:
    """Hide a script that workers cannot import from the processes that start here."""
    main = sys.modules["__main__"]
    if can_import_script():
        yield
        return
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class WorkerPool:
    """Processes that apply one function to items. Use as a context manager: leaving it ends them."""

    def __init__(self, function: Callable[[Any], Any], workers: int) -> None:
        # Forking a process that has threads (numpy's, ours) can deadlock.
        context = multiprocessing.get_context("spawn")
        self._payload = pickle.dumps(function, pickle.HIGHEST_PROTOCOL)
        self._workers: list[_Worker] = []
        try:
            with _script_for_workers():
                for _ in range(workers):
                    self._workers.append(_Worker(context, self._payload))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Return how many items are under way."""
        return sum(len(worker.items) for worker in self._workers)

    def limit(self) -> int:
        """Return the largest number of items under way."""
        return ITEMS_PER_WORKER * len(self._workers)

    def submit(self, number: int, item: Any) -> None:
        """Send an item to the worker that has least to do."""
        worker = min(self._workers, key=lambda each: len(each.items))
        worker.items[number] = item
        worker.send(number, item)

    def answers(self, describe: Callable[[Any], str]) -> Iterator[tuple[int, Answer]]:
        """Wait until a worker has answered or died; yield the answers that are there."""
        ready = wait([worker.connection for worker in self._workers if worker.items])
        for worker in self._workers:
            if worker.connection not in ready:
                continue
            message = worker.receive()
            if message is None:
                raise _died(worker, describe)
            number, answer = message
            del worker.items[number]
            yield number, answer

    def close(self) -> None:
        """End all workers, in bounded time."""
        for worker in self._workers:
            worker.stop()
        deadline = time.monotonic() + SHUTDOWN_SECONDS
        for worker in self._workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.process.close()
        self._workers.clear()


def _died(worker: _Worker, describe: Callable[[Any], str]) -> RubricaError:
    worker.process.join(1)
    code = worker.process.exitcode
    cause = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    lost = list(worker.items.values())
    rows = f" on {describe(lost[0])}" if lost else ""
    return RubricaError(
        f"a worker process died ({cause}){rows}, perhaps for lack of memory: try fewer workers or smaller batches. "
        "If your script's own classes or functions are at work, start it under "
        "if __name__ == '__main__':, or use workers=1"
    )


class _Worker:
    """The driver's side of one worker process."""

    def __init__(self, context: Any, payload: bytes) -> None:
        self.connection, theirs = context.Pipe()
        self.items: dict[int, Any] = {}
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        try:
            self.process.start()
        finally:
            theirs.close()
        self._send(payload)

    def send(self, number: int, item: Any) -> None:
        self._send(pickle.dumps((number, item), pickle.HIGHEST_PROTOCOL))

    def _send(self, message: bytes) -> None:
        try:
            self.connection.send_bytes(message)
        except OSError:
            # It has died; waiting for its answer reports that.
            return

    def receive(self) -> tuple[int, Answer] | None:
        """Return the next answer; None if the worker has died."""
        try:
            message: tuple[int, Answer] = pickle.loads(self.connection.recv_bytes())  # noqa: S301
        except (EOFError, OSError):
            return None
        return message

    def stop(self) -> None:
        self.connection.close()
        self.process.terminate()


def _serve(connection: Connection) -> None:
    """In a worker process: answer items until the pipe closes."""
    # The driver decides when to stop: Ctrl-C and a closed terminal reach the whole group of processes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(connection, inbox), daemon=True).start()
    function = pickle.loads(inbox.get())  # noqa: S301 (from our own driver)
    while True:
        number, item = pickle.loads(inbox.get())  # noqa: S301
        answer = answer_of(function, item)
        try:
            connection.send_bytes(pickle.dumps((number, answer), pickle.HIGHEST_PROTOCOL))
        except OSError:
            os._exit(0)


def _read(connection: Connection, inbox: queue.SimpleQueue[bytes]) -> None:
    try:
        while True:
            inbox.put(connection.recv_bytes())
    except (EOFError, OSError):
        # The driver is gone: stop, even in the middle of an item.
        os._exit(0)
