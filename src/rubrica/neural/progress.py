"""Telling how far a long computation is, to whoever listens: a bar on a terminal, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# (what is done, how much of it, how much in all)
Listener = Callable[[str, int, int], None]
_listeners: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within the block, `report` reaches the listener."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def report(what: str, done: int, total: int) -> None:
    """`done` of `total` units of `what` are finished."""
    for listener in _listeners:
        listener(what, done, total)
