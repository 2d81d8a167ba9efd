"""On a terminal: a progress bar on standard error, and nothing of it in the result."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

NEWS = Path(__file__).resolve().parents[2] / "examples" / "news" / "summaries.jsonl"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a Unix thing")
def test_progress_is_shown_on_a_terminal_only() -> None:
    import pty

    code = "import sys; from rubrica.cli.app import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "chrf", "score", "-", "--input-files", str(NEWS)]
    leader, follower = pty.openpty()
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=follower, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(follower)
        assert process.stdout is not None
        out = process.stdout.read()
        shown = b""
        while True:
            try:
                block = os.read(leader, 4096)
            except OSError:
                # Linux reports the closed side of a pseudo-terminal as an input error.
                break
            if not block:
                break
            shown += block
        os.close(leader)
    assert process.returncode == 0
    assert b"rows" in shown
    assert out.count(b"\n") == 108
    assert b"\x1b" not in out
    quiet = subprocess.run(words, capture_output=True, check=True)
    assert quiet.stdout == out
    assert quiet.stderr == b""
