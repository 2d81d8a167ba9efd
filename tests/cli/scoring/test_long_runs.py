"""Long runs: an interrupt keeps finished rows, --resume goes on and gives the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.waiting import wait_until

# Starts processes.
pytestmark = pytest.mark.slow

NEWS = Path(__file__).resolve().parents[3] / "examples" / "news" / "summaries.jsonl"

SLOW = '''
"""A metric that stops in the middle of a run until it is told to go on."""
import os
import time
from rubrica.metrics import Metric, ReferenceBasedMetric


@Metric.register("slow")
class Slow(ReferenceBasedMetric):
    """Length of the summary; in a run with WAIT set, the row of one system waits for an interrupt."""

    def score_one(self, summary, references):
        if os.environ.get("WAIT") and str(summary) == os.environ["WAIT"]:
            open("waiting", "w").close()
            time.sleep(3600)
        return {"slow": len(summary) + len(references) / 7}
'''


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "slowpoke.py").write_text(SLOW)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text_of_row(number: int) -> str:
    row = json.loads(NEWS.read_text("utf-8").splitlines()[number])
    text = row["summary"]["text"]
    return text if isinstance(text, str) else str(text)


def command(*words: object) -> list[str]:
    code = "import sys; from rubrica.cli.app import main; sys.exit(main(sys.argv[1:]))"
    return [sys.executable, "-c", code, *map(str, words)]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("task", ["evaluate", "score"])
def test_an_interrupted_run_resumes_to_the_same_bytes(
    rubrica: Any, slow: Path, task: str, workers: int
) -> None:
    def words(name: str) -> list[object]:
        outputs: list[object] = [f"{name}.jsonl"]
        if task == "evaluate":
            outputs = [f"{name}.json", f"{name}.jsonl"]
        return [
            "slow", task, *outputs, "--input-files", NEWS, "--include-packages", "slowpoke",
            "--batch-size", 4, "--workers", workers,
            *(["--disable-peer-jackknifing"] if task == "score" else []),
        ]  # fmt: skip

    assert rubrica(*words("whole")).code == 0
    partial = slow / "broken.jsonl.partial"
    process = subprocess.Popen(
        command(*words("broken")),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "WAIT": text_of_row(40)},
    )
    # Python may lose an interrupt in the middle of an import: it is sent when the metric waits for it.
    wait_until(lambda: Path("waiting").exists() and partial.stat().st_size > 0, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert "--resume" in err
    assert not (slow / "broken.jsonl").exists()
    kept = partial.read_bytes()
    assert (slow / "whole.jsonl").read_bytes().startswith(kept)
    assert 0 < kept.count(b"\n") < 108
    again = rubrica(*words("broken"), "--resume")
    assert again.code == 0
    assert "resuming after" in again.err
    assert (slow / "broken.jsonl").read_bytes() == (slow / "whole.jsonl").read_bytes()
    assert not partial.exists()
    if task == "evaluate":
        assert (slow / "broken.json").read_bytes() == (slow / "whole.json").read_bytes()


def test_resuming_with_other_parameters_or_input_is_refused(
    rubrica: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_bytes(NEWS.read_bytes())
    words = ["rouge", "score", "out.jsonl", "--input-files", "in.jsonl", "--batch-size", 4]
    rubrica(*words)
    whole = Path("out.jsonl").read_bytes()

    def leave(rows: bytes) -> None:
        """End a run early: a row after the others cannot be read."""
        Path("in.jsonl").write_bytes(rows + b"{}\n")
        assert rubrica(*words, "--workers", 1).code == 1
        Path("in.jsonl").write_bytes(NEWS.read_bytes())

    lines = NEWS.read_bytes().splitlines(keepends=True)
    leave(b"".join(lines[:40]))
    assert "other metrics" in rubrica(*words, "--resume", "--max_ngram", "1").err
    assert rubrica(*words, "--resume").code == 0
    assert Path("out.jsonl").read_bytes() == whole
    leave(b"".join(lines[1:40]))
    answer = rubrica(*words, "--resume")
    assert answer.code == 1
    assert "different input" in answer.err
