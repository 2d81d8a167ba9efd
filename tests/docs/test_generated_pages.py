"""Pages that a tool writes are those that it would write now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("tool", ["write_reproductions.py"])
def test_the_page_is_up_to_date(tool: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / tool), "--check"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
