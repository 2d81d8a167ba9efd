"""Type checkers know the public names: they accept what is right, and find what is wrong, at exactly its lines."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def need(checker: str) -> None:
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed; make check installs it and runs this test")


def mypy_errors(file: str) -> set[int]:
    """Return the numbers of the lines with which mypy finds fault."""
    need("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", file]
    answer = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert not answer.stderr, answer.stderr
    return {int(number) for number in re.findall(rf"{file}:(\d+): error:", answer.stdout)}


def pyright_errors(file: str) -> set[int]:
    """Return the numbers of the lines with which pyright finds fault."""
    need("basedpyright")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--level", "error"]
    command += ["--pythonpath", sys.executable, file]
    answer = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    findings = json.loads(answer.stdout)["generalDiagnostics"]
    return {finding["range"]["start"]["line"] + 1 for finding in findings}


CHECKERS = [mypy_errors, pyright_errors]


@pytest.mark.slow
@pytest.mark.parametrize("errors", CHECKERS)
def test_right_code_is_accepted(errors: object) -> None:
    assert callable(errors)
    assert errors("right.py") == set()


@pytest.mark.slow
@pytest.mark.parametrize("errors", CHECKERS)
def test_every_mistake_is_found(errors: object) -> None:
    assert callable(errors)
    lines = (HERE / "wrong.py").read_text("utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert errors("wrong.py") == wrong


@pytest.mark.slow
def test_the_stubs_are_up_to_date() -> None:
    command = [sys.executable, str(HERE.parents[1] / "tools" / "write_stubs.py"), "--check"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
