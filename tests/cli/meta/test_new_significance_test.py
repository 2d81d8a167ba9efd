"""A significance test is a function and a line of the registry: every command picks it up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.statistics.paired import observed_differences
from rubrica.statistics.significance import PAIRED_TESTS, PairedResult, PairedTestMethod

DOCS = Path(__file__).parents[3] / "docs"


def always_half(sample: Any, pairs: Any, rounds: int, seed: int, tail: str) -> PairedResult:
    return PairedResult(np.full_like(observed_differences(sample, pairs), 0.5))


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    test = PairedTestMethod(always_half, "a fair coin", 0, "always one half", "coin")
    monkeypatch.setitem(PAIRED_TESTS, "coin", test)  # type: ignore[arg-type]


def test_compare_gate_and_reports_know_it(rubrica: Any, news: Path, tmp_path: Path) -> None:
    plain = news / "plain"
    files = [plain / "lead3.txt", plain / "rambler.txt"]
    words = ["compare", "-r", plain / "references.A.txt", *files, "--test", "coin"]
    answer = rubrica(*words, "--html", tmp_path / "page.html")
    assert "p = 0.5000" in answer.out
    assert "p: always one half; a fair coin" in answer.out
    assert "|coin:yes|" in answer.out
    assert "a fair coin" in (tmp_path / "page.html").read_text()
    assert "a fair coin" in rubrica(*words, "-f", "latex").out
    gate = ["gate", files[1], "-r", plain / "references.A.txt", "--baseline", files[0]]
    answer = rubrica(*gate, "--measures", "rouge-1.f1", "--test", "coin", "-f", "json")
    assert json.loads(answer.out)["measures"][0]["p_value"] == 0.5


def test_the_page_on_comparing_lists_every_test() -> None:
    table = (DOCS / "compare.md").read_text()
    for name in PAIRED_TESTS.keys() - {"coin"}:
        assert f"| `{name}`" in table
