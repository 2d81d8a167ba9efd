"""Every block of the README does what the README says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.blocks import ROOT, run_page

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="commands are bash's")


def test_the_speed_is_that_of_the_last_benchmark() -> None:
    result = json.loads((ROOT / "benchmarks" / "results" / "commands.json").read_text("utf-8"))
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    slow = result["commands"]["against rouge-score"]["ratio"]
    fast = result["commands"]["rouge score"]["ratio"]
    assert (
        f"{result['rows']:,} pairs {slow:.0f} times as fast as a script around rouge-score" in text
    )
    assert f"and {fast} times as fast as one around rouge-score-rs" in text


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 150


def test_every_block_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rubrica: Any
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / "README.md", tmp_path, rubrica)
