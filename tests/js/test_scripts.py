"""Unit tests of the pages' scripts (`*.test.mjs`), run by node; the driver of Playwright brings one along."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
TESTS = sorted(path.name for path in FOLDER.glob("*.test.mjs"))


def test_the_scripts_of_pages_pass_their_own_tests() -> None:
    driver = pytest.importorskip("playwright._impl._driver", reason="Playwright is not installed")
    node = driver.compute_driver_executable()[0]
    answer = subprocess.run(
        [str(node), "--test", "--test-reporter=spec", *TESTS],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "fail 0" in answer.stdout
