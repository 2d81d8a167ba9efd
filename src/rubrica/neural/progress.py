"""Progress of long computations, reported to listeners such as a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# (unit, finished, total)
Listener = Callable[[str, int, int], None]
_listeners: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call the listener on every `report` within the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def report(what: str, done: int, total: int) -> None:
    """Report that `done` of `total` units of `what` are finished."""
    for listener in _listeners:
        listener(what, done, total)
