"""A polite kill stops a command as Ctrl-C does."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def stoppable() -> Iterator[None]:
    """A polite kill (SIGTERM), as clusters send it, stops a run like Ctrl-C."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:
        # Not in the main thread: signals are somebody else's.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
