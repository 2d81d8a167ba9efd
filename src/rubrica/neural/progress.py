"""Progress of long computations, reported to listeners such as a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
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


def steps(what: str, items: Sequence[T]) -> Iterator[T]:
    """Yield the items, and report how many of them are finished."""
    for done, item in enumerate(items):
        report(what, done, len(items))
        yield item
    report(what, len(items), len(items))
