"""The GitHub action runs the gate: its own steps, with the files that GitHub gives them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
PLAIN = ROOT / "examples" / "news" / "plain"


def run_action(tmp_path: Path, arguments: str) -> tuple[int, str, str]:
    """Run the step of the gate; return its exit code, the job summary and its outputs."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    step = next(step for step in action["runs"]["steps"] if step.get("id") == "gate")
    inputs = {"arguments": arguments, "working-directory": str(PLAIN)}
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], text)
        for name, text in step["env"].items()
    }
    files = {name: tmp_path / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    environment |= {name: str(path) for name, path in files.items()}
    environment |= {"RUNNER_TEMP": str(tmp_path)}
    environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        cwd=PLAIN,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )
    summary, outputs = (path.read_text("utf-8") for path in files.values())
    return done.returncode, summary, outputs


@pytest.mark.parametrize(
    ("install", "installed"), [("this", "/of action[all]"), ("rubrica==0.1.0", "rubrica==0.1.0")]
)
def test_the_action_installs_its_own_version_unless_told_another(
    install: str, installed: str, tmp_path: Path
) -> None:
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert action["inputs"]["install"]["default"] == "this"
    step = action["runs"]["steps"][0]
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    python.chmod(0o755)
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        env={
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "INSTALL": install,
            "GITHUB_ACTION_PATH": "/of action",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"-m|pip|install|--quiet|{installed}|"


@pytest.mark.slow
def test_the_gate_passes_and_fails_and_writes_a_summary(tmp_path: Path) -> None:
    options = "-r references.A.txt --measures rouge-2.f1"
    code, summary, outputs = run_action(tmp_path, f"lead3.txt --baseline lead3.txt {options}")
    assert (code, outputs) == (0, "exit-code=0\n")
    assert "the gate passed" in summary
    (tmp_path / "GITHUB_STEP_SUMMARY").unlink()
    code, summary, outputs = run_action(tmp_path, f"headliner.txt --baseline lead3.txt {options}")
    assert code == 4
    assert "the gate failed" in summary
    assert "rouge-2.f1" in summary


@pytest.mark.slow
def test_arguments_are_words_and_never_code(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code, summary, _ = run_action(tmp_path, f"'$(touch {mark})' ; touch {mark} `touch {mark}`")
    assert code not in (0, 4)
    assert "could not run" in summary
    assert not mark.exists()
