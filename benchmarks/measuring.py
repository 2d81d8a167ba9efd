"""What benchmarks of several programs share: processor time, ratios as text, and what was measured on what."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any


def cpu_clock() -> float:
    """CPU seconds of this process and of those it waited for."""
    return time.process_time() + sum(os.times()[2:4])


def show(ratios: Sequence[float]) -> str:
    """Return median, least and greatest as `5.0 [4.8-5.3]`."""
    return "{:.1f} [{:.1f}-{:.1f}]".format(*ratios)


def machine() -> dict[str, Any]:
    """Return the processor and its cores."""
    return {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()}


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the installed versions of packages."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
