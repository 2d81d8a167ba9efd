"""Start-up: help is fast and imports neither numpy nor any metric."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from rubrica.cli.app import main
from rubrica.core import kernels

HELP = """
import sys, time
from rubrica.cli.app import main
main(["--help"])
heavy = [m for m in ("numpy", "scipy", "rich", "msgspec", "rubrica.metrics.base.metric") if m in sys.modules]
print("HEAVY", heavy)
print("MODULES", len(sys.modules))
print("CPU", time.process_time())
"""
# About what `rubrica --help` costs: 70 ms on the machine on which 120 ms were allowed for it.
PLAIN = """
import argparse, importlib.metadata, json, time
print("CPU", time.process_time())
"""


def output_of(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_help_is_within_its_budget() -> None:
    help_seconds, plain_seconds = [], []
    for _ in range(4):
        answer = output_of(HELP)
        assert "score summaries:" in answer
        assert "HEAVY []" in answer
        assert int(answer.split("MODULES ")[1].split()[0]) < 150
        help_seconds.append(float(answer.split("CPU ")[1]))
        plain_seconds.append(float(output_of(PLAIN).split("CPU ")[1]))
    # CPU time, compared with that of other imports: machines differ and are noisy, the work does not and is not.
    assert min(help_seconds) < 2 * min(plain_seconds)


@pytest.mark.skipif(kernels.IMPLEMENTATION == "python", reason="no native kernels")
def test_at_most_fifteen_calls_lead_from_the_command_to_the_kernel(tmp_path: Path) -> None:
    rows = [
        {
            "instance_id": str(number),
            "summarizer_id": "s",
            "summarizer_type": "peer",
            "summary": "the cat sat",
            "references": ["a cat sat down"],
        }
        for number in range(50)
    ]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    stacks: list[list[str]] = []

    def note(frame: FrameType, event: str, arg: Any) -> None:
        if event != "call" or frame.f_code is not kernels.rouge_counts.__code__:
            return
        names, outer = [frame.f_code.co_qualname], frame
        while outer.f_code is not main.__code__:
            assert outer.f_back is not None
            outer = outer.f_back
            names.append(outer.f_code.co_qualname)
        stacks.append(names)

    words = ["rouge", "score", str(tmp_path / "out.jsonl"), "--input-files", str(source)]
    sys.setprofile(note)
    try:
        assert main([*words, "--workers", "1", "--silent"]) == 0
    finally:
        sys.setprofile(None)
    assert stacks
    assert max(map(len, stacks)) <= 15, stacks
