"""Wait for what another process or thread does, however long a busy machine takes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[Any] | None = None) -> None:
    """Return when a condition holds; fail when the process that should bring it about has ended.

    There is no limit but that of the test: a shorter one says more about the machine than about the code.
    """
    while not condition():
        if process is not None and process.poll() is not None and not condition():
            raise AssertionError(f"exit code {process.returncode}: {process.communicate()}")
        time.sleep(0.01)
