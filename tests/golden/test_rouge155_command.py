"""Whole runs of ROUGE-1.5.5.pl (files, options, output) through `rubrica rouge155`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from rouge155_check import golden_rows

from rubrica.cli.rouge155 import main

RUNS = {row["name"]: row for row in golden_rows("rouge155_system")}
_RESULT = re.compile(r"-{45}$|\.{45}$|\S+ ROUGE-\S+ (Average_[RPF]:|Eval |M_count:)")


def results(output: str) -> list[str]:
    """The lines of results, without the trace of -v."""
    return [line for line in output.splitlines() if _RESULT.match(line)]


@pytest.mark.parametrize("name", RUNS)
def test_the_output_is_the_official_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    run = RUNS[name]
    for path, content in run["files"].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content.encode())
    monkeypatch.chdir(tmp_path)
    status = main(run["argv"])
    output, messages = capsys.readouterr()
    assert (status == 0) == (run["rc"] == 0), messages
    if "-v" in run["argv"]:
        assert results(output) == results(run["stdout"])
    else:
        assert output == run["stdout"]
    for message in run["stderr_nonwarning"]:
        if message not in run["files"]:  # with -v the names of files are told
            assert message in messages
