"""Run the jobs of .github/workflows/checks.yml on this machine, each in a clean copy and environment.

    python tools/check_jobs.py [JOB ...] [--python 3.12 ...]

A job of the Linux matrix runs once for every Python that is installed here; those that are not are listed at the end.
`uses` steps are replaced: a copy of the tree stands for checkout, a virtual environment for setup-python. `sudo` is
dropped, and expressions of GitHub that name a variable of the repository are empty. Needs PyYAML.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW = ROOT / ".github" / "workflows" / "checks.yml"
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def interpreter(version: str) -> str | None:
    """Return the path of a Python of that version, from PATH or from pyenv."""
    if path := shutil.which(f"python{version}"):
        works = subprocess.run([path, "-c", "import venv"], capture_output=True, check=False)
        if works.returncode == 0:
            return path
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = sorted(home.glob(f"{version}.*/bin/python{version}"))
    return str(found[-1]) if found else None


def variants(job: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Yield the values of the matrix for which the job runs on Linux."""
    matrix = job.get("strategy", {}).get("matrix", {})
    for version in matrix.get("python", [""]):
        yield {"matrix.python": version, "matrix.os": "ubuntu-latest", "runner.os": "Linux"}


def fill(text: str, values: dict[str, str]) -> str:
    """Replace GitHub's expressions by their values here."""
    return EXPRESSION.sub(lambda found: values.get(found[1], ""), text)


def wanted(step: dict[str, Any]) -> bool:
    """Return whether a step runs on Linux."""
    condition = step.get("if", "")
    return not condition or condition == "runner.os == 'Linux'"


def python_version(job: dict[str, Any], values: dict[str, str]) -> str:
    """Return the Python version that the job sets up."""
    for step in job["steps"]:
        if step.get("uses", "").startswith("actions/setup-python@"):
            return fill(str(step["with"]["python-version"]), values)
    raise SystemExit("a job sets up no Python")


def copy_tree(folder: Path) -> None:
    """Copy what is committed or would be."""
    subprocess.run(["bash", str(ROOT / "tools" / "copy_tree.sh"), str(folder)], check=True)
    # A checkout is a repository, which some scripts ask for its files.
    subprocess.run(["git", "init", "--quiet", "."], cwd=folder, check=True)
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True, capture_output=True)


def run_job(job: dict[str, Any], values: dict[str, str], python: str, log: Path) -> bool:
    """Run all steps of a job; return whether they passed."""
    with tempfile.TemporaryDirectory(prefix="rubrica-job-") as work:
        tree, venv = Path(work) / "tree", Path(work) / "venv"
        copy_tree(tree)
        subprocess.run([python, "-m", "venv", str(venv)], check=True)
        environment = {
            **{key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"},
            "PATH": f"{venv / 'bin'}:{os.environ['PATH']}",
            "CI": "true",
            "PYTHONUNBUFFERED": "1",
            "PYTHON": str(venv / "bin" / "python"),
        }
        with open(log, "w", encoding="utf-8") as stream:
            for step in job["steps"]:
                if "run" not in step or not wanted(step):
                    continue
                command = re.sub(r"^sudo ", "", fill(step["run"], values), flags=re.MULTILINE)
                stream.write(f"$ {command}\n")
                stream.flush()
                done = subprocess.run(
                    ["bash", "-eo", "pipefail", "-c", command],
                    cwd=tree,
                    env={**environment, **step.get("env", {})},
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    check=False,
                )
                if done.returncode:
                    return False
    return True


def main() -> int:
    """Run the jobs that were asked for; return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("jobs", nargs="*", metavar="JOB", help="jobs to run (default: all)")
    parser.add_argument("--python", nargs="+", metavar="VERSION", help="only these versions")
    parser.add_argument(
        "--logs", type=Path, default=ROOT / "out" / "jobs", help="folder of the logs"
    )
    options = parser.parse_args()
    jobs: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]
    if unknown := set(options.jobs) - jobs.keys():
        parser.error(f"no such job: {', '.join(sorted(unknown))} (there are: {', '.join(jobs)})")
    options.logs.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in options.jobs or jobs:
        for values in variants(jobs[name]):
            version = python_version(jobs[name], values)
            if options.python and version not in options.python:
                continue
            python = interpreter(version)
            if python is None:
                print(
                    f"{name} ({version}): skipped, no Python {version} on this machine", flush=True
                )
                continue
            log, start = options.logs / f"{name}-{version}.log", time.monotonic()
            passed = run_job(jobs[name], values, python, log)
            last = log.read_text("utf-8", "replace").strip().splitlines()[-1]
            verdict = "passed" if passed else "FAILED"
            print(
                f"{name} ({version}): {verdict}, {time.monotonic() - start:.0f} s; {last}",
                flush=True,
            )
            if not passed:
                lines = log.read_text("utf-8", "replace").splitlines()
                print(*(line for line in lines if line.startswith(("FAILED ", "ERROR "))), sep="\n")
            failed |= not passed
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
