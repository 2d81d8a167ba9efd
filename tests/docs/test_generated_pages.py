"""Pages that a tool writes are those that it would write now."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.mark.parametrize(
    "tool",
    [
        "wrap_markdown",  # lines of prose have at most 120 characters
        "write_badges",
        "write_benchmarks",
        "write_options",
        "write_reproductions",
        "write_tree",
        "write_which_metric",
    ],
)
def test_the_pages_are_up_to_date(
    tool: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # In this process: the tools spend most of their time on imports.
    monkeypatch.setattr(sys, "argv", [tool, "--check"])
    with pytest.raises(SystemExit) as answer:
        runpy.run_path(str(TOOLS / f"{tool}.py"), run_name="__main__")
    assert answer.value.code == 0, capsys.readouterr().err
