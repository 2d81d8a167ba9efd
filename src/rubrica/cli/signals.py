"""Signals that ask a command to stop: it ends as with Ctrl-C, and keeps what was finished."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# A cluster asks with SIGTERM; a terminal that is closed sends SIGHUP (which Windows does not know).
STOPPING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def stoppable() -> Iterator[None]:
    """In the block, SIGTERM and SIGHUP stop a run like Ctrl-C; a SIGHUP that is ignored (nohup) stays ignored."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    before: dict[Any, Any] = {}
    try:
        for number in STOPPING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, stop)
    except ValueError:
        # Not in the main thread: signals are somebody else's.
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
