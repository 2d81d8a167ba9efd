"""The number of usable cores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_limit: ContextVar[int | None] = ContextVar("cores", default=None)


def available_cores() -> int:
    """Return the number of cores that this process may use, within a cluster's share and `at_most`."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    limit = _limit.get()
    return cores if limit is None else min(cores, limit)


@contextmanager
def at_most(cores: int | None) -> Iterator[None]:
    """Limit `available_cores` in the block; None sets no limit."""
    token = _limit.set(cores)
    try:
        yield
    finally:
        _limit.reset(token)
