"""Whole runs of ROUGE-1.5.5.pl (files, options, output) through `rubrica rouge155`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.app import main
from support.rouge155_check import golden_rows

RUNS = {row["name"]: row for row in golden_rows("rouge155_system")}


def settled(output: str) -> list[str]:
    """Lines, with what -v dumps in random order sorted: n-grams, and the matches between files."""
    lines: list[str] = []
    matches: list[str] = []
    for line in output.splitlines():
        if line.startswith("* Match:"):
            matches.append(line)
            continue
        lines += sorted(matches)
        matches = []
        found = re.search(r"\b_cn_([|#])", line)
        if found:
            parts = line.split(found[1])
            line = str(sorted(zip(parts[::2], parts[1::2], strict=True)))
        lines.append(line)
    return lines


@pytest.mark.parametrize("name", RUNS)
def test_the_output_is_the_official_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    run = RUNS[name]
    for path, content in run["files"].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content.encode())
    monkeypatch.chdir(tmp_path)
    status = main(["rouge155", *run["argv"]])
    output, messages = capsys.readouterr()
    assert (status == 0) == (run["rc"] == 0), messages
    if "-v" in run["argv"]:
        assert settled(output) == settled(run["stdout"])
    else:
        assert output == run["stdout"]
    for message in run["stderr_nonwarning"]:
        if message not in run["files"]:  # with -v the names of files are told
            assert message in messages
