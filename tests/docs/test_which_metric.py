"""The page that helps to choose a metric is the one that its tool writes from measured results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "write_which_metric.py"), "--check"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
