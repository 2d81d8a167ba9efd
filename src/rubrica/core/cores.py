"""How many cores there are to use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_limit: ContextVar[int | None] = ContextVar("cores", default=None)


def available_cores() -> int:
    """The cores this process may run on: a cluster's share, where one is set, and no more than `at_most` says."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    limit = _limit.get()
    return cores if limit is None else min(cores, limit)


@contextmanager
def at_most(cores: int | None) -> Iterator[None]:
    """In the block no more cores are used, by those who ask; None sets no limit."""
    token = _limit.set(cores)
    try:
        yield
    finally:
        _limit.reset(token)
