"""Every block of the README does what the README says."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from support.blocks import ROOT, run_page

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="commands are bash's")


def test_every_block_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rubrica: Any
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / "README.md", tmp_path, rubrica)
