"""Prose in Markdown has lines that fit an editor."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_lines_of_prose_have_at_most_120_characters() -> None:
    command = [sys.executable, str(ROOT / "tools" / "wrap_markdown.py"), "--check"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
