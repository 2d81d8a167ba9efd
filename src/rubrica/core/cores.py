"""How many cores there are to use."""

from __future__ import annotations

import os


def available_cores() -> int:
    """The cores this process may run on: a cluster's share, where one is set."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
