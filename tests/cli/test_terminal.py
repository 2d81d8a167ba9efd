"""On a terminal, on a stream that is closed, on one that cannot write every letter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Starts processes.
pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_letters_that_the_output_cannot_write_are_escaped(tmp_path: Path, encoding: str) -> None:
    for name in ("système", "ฝน"):
        (tmp_path / f"{name}.txt").write_text("rain fell\nsnow\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "rubrica", "compare", "système.txt", "ฝน.txt", "-r", "ฝน.txt"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    told = done.stdout.decode(encoding)
    assert "\\u0e1d\\u0e19" in told
    assert ("±" if encoding != "ascii" else "+-") in told


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_is_nobody_who_reads(tmp_path: Path, closed: int) -> None:
    (tmp_path / "a.txt").write_text("rain fell\n")
    command = (
        f"{sys.executable} -m rubrica rouge evaluate {{}} --input-files a.txt --references a.txt"
    )
    for extra, code in (("m.json", 0), ("--no-such-option", 2)):
        done = subprocess.run(
            f"{command.format(extra)} {closed}>&-", shell=True, cwd=tmp_path, check=False
        )
        assert done.returncode == code
    assert (tmp_path / "m.json").exists()
