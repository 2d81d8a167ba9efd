#!/usr/bin/env python3
"""Run the unit tests of a SacreROUGE checkout against `rubrica.compat.sacrerouge`, and write a page of the results.

    python tools/run_sacrerouge_tests.py CHECKOUT [--page docs/sacrerouge-tests.md]

Nothing of the checkout is imported but its tests. They need `pytest` and `jsons`; the tests of METEOR need its
paraphrase table (`pip install pycocoevalcap`). Exit code 1 if a test fails for a reason that is not listed here.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

SHIM = Path(__file__).resolve().parent.parent / "packages" / "rubrica-sacrerouge" / "src"
# Tests of these metrics run only where a variable names the original's environment; none is needed here.
ENVIRONMENTS = (
    "APES_ENV",
    "BLEURT_ENV",
    "PYREVAL_ENV",
    "S3_ENV",
    "SUPERT_ENV",
    "SUMQE_PYTHON_BINARY",
)
# Tests of Docker images run only where `repro` finds the image; none is needed here.
IMAGES = ("deutsch2021", "lin2004", "sellam2020", "yuan2021", "zhang2020", "zhang2021", "zhao2019")

# Why a test does not pass: a pattern of its message -> the group and the reason on the page.
REASONS = (
    (r"data does not exist|dataset does not exist|file does not exist|not exist'?$", "data", ""),
    (
        r"no (model|checkpoint|folder)|cannot be found|not (in|found)|convert-checkpoint|word vectors"
        r"|setup-metric|paraphrase table|no file|needs spaCy",
        "weights",
        "",
    ),
    (r"unconditional skip", "original", "the original's authors skip it"),
)
# Failures that are known, by the test's name.
KNOWN = {
    "stats_test.TestStats::test_fisher_ci": (
        "original",
        "compares tuples for exact equality, which the last digit of numpy decides",
    ),
}

GROUPS = {
    "data": "needs data that cannot be published (DUC, TAC, MultiLing), or that its fixtures lack",
    "weights": "needs weights, vectors or a program of others",
    "original": "does not pass with the original either",
    "unexplained": "fails for a reason not yet known",
}


@dataclass(frozen=True, slots=True)
class Result:
    """A test: its name, whether it passed, and why not."""

    name: str
    passed: bool
    group: str = ""
    reason: str = ""


def main() -> int:
    """Run the tests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path, help="folder of SacreROUGE's repository")
    parser.add_argument("--page", type=Path, help="Markdown file to write")
    parser.add_argument("-k", dest="expression", default="", help="run only tests that match")
    arguments = parser.parse_args()
    if not (arguments.checkout / "sacrerouge" / "tests").is_dir():
        parser.error(f"{arguments.checkout}: no folder sacrerouge/tests; is it a checkout?")
    with tempfile.TemporaryDirectory() as folder:
        results = sorted(
            run(arguments.checkout.resolve(), Path(folder), arguments.expression),
            key=lambda one: one.name,
        )
    page = "\n".join(page_of(results))
    if arguments.page:
        arguments.page.write_text(f"{page}\n", encoding="utf-8")
    print(page)
    return int(any(one.group == "unexplained" for one in results))


def run(checkout: Path, folder: Path, expression: str) -> Iterator[Result]:
    """Run the tests in a folder that has the tests of the checkout, and no other file of it."""
    shutil.copytree(checkout / "sacrerouge" / "tests", folder / "sacrerouge" / "tests")
    if (checkout / "datasets").is_dir():
        (folder / "datasets").symlink_to(checkout / "datasets")
    stubs = folder / "stubs"
    write_stubs(stubs)
    paths = [str(SHIM), str(stubs), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        **{name: "none" for name in ENVIRONMENTS if name not in os.environ},
        "PYTHONPATH": os.pathsep.join(paths),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    }
    report = folder / "report.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-c",
        os.devnull,
        "--rootdir",
        str(folder),
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-o",
        "python_files=*_test.py",
        f"--junitxml={report}",
        "sacrerouge/tests",
    ]
    command += ["-k", expression] if expression else []
    subprocess.run(command, cwd=folder, env=environment, check=False, stdout=sys.stderr)
    for case in ElementTree.parse(report).getroot().iter("testcase"):  # noqa: S314 (pytest's own)
        yield result_of(case)


def write_stubs(folder: Path) -> None:
    """Write a package `repro` whose images all exist: our metrics run without Docker."""
    (folder / "repro" / "common").mkdir(parents=True)
    (folder / "repro" / "models").mkdir()
    (folder / "repro" / "common" / "docker.py").write_text(
        "def image_exists(image):\n    return True\n"
    )
    for name in IMAGES:
        (folder / "repro" / "models" / f"{name}.py").write_text(f"DEFAULT_IMAGE = {name!r}\n")


def result_of(case: ElementTree.Element) -> Result:
    """Return the result of a test case of pytest's report."""
    name = f"{case.get('classname', '').removeprefix('sacrerouge.').removeprefix('tests.')}::{case.get('name')}"
    for kind in ("skipped", "failure", "error"):
        node = case.find(kind)
        if node is not None:
            message = " ".join((node.get("message") or "").split())
            return Result(name, False, *explained(name, message))
    return Result(name, True)


def explained(name: str, message: str) -> tuple[str, str]:
    """Return the group and the reason of a test that did not pass."""
    for known, (group, reason) in KNOWN.items():
        if known in name:
            return group, reason
    for pattern, group, reason in REASONS:
        if re.search(pattern, message):
            return group, reason or shortened(message)
    return "unexplained", shortened(message)


def shortened(message: str, width: int = 150) -> str:
    """Return a message for a cell of a table."""
    text = re.sub(r"^[\w.]*Error: |^Skipped: ", "", message)
    text = re.sub(r"/\S*/(?=[\w.-]+)", ".../", text).replace("|", "/")
    return text if len(text) <= width else text[: width - 3].rpartition(" ")[0] + " ..."


def page_of(results: list[Result]) -> Iterator[str]:
    """Yield the lines of the page."""
    passed = sum(one.passed for one in results)
    counts = Counter(one.group for one in results if not one.passed)
    possible = len(results) - counts["data"] - counts["weights"] - counts["original"]
    yield "# SacreROUGE's own tests on Rubrica"
    yield ""
    yield "Generated by `tools/run_sacrerouge_tests.py CHECKOUT --page docs/sacrerouge-tests.md`. It runs the unit"
    yield "tests of SacreROUGE 0.2.5 unchanged, with `sacrerouge` taken from `rubrica.compat.sacrerouge`; see"
    yield "[Moving from SacreROUGE](sacrerouge.md). Tests that wait for a Docker image or for the environment of"
    yield "another program run as well: Rubrica needs neither."
    yield ""
    yield f"**{passed} of {len(results)} tests pass; {passed} of the {possible} that can run here.**"
    yield ""
    yield "| result | tests |"
    yield "|---|---:|"
    yield f"| passes | {passed} |"
    for group, meaning in GROUPS.items():
        if counts[group]:
            yield f"| {meaning} | {counts[group]} |"
    yield from packages(results)
    for group, meaning in GROUPS.items():
        missing = [one for one in results if one.group == group]
        if missing:
            yield from exceptions(meaning, missing)


def packages(results: list[Result]) -> Iterator[str]:
    """Yield a table of the tests' packages."""
    yield ""
    yield "| tests of | pass | all |"
    yield "|---|---:|---:|"
    groups: dict[str, list[Result]] = {}
    for one in results:
        groups.setdefault(one.name.partition(".")[0], []).append(one)
    for name, members in groups.items():
        yield f"| {name.removesuffix('_test')} | {sum(one.passed for one in members)} | {len(members)} |"


def exceptions(meaning: str, results: list[Result]) -> Iterator[str]:
    """Yield a section of tests that did not pass, those with one reason together."""
    yield ""
    yield f"## {meaning[0].upper()}{meaning[1:]}"
    yield ""
    yield "| tests | reason |"
    yield "|---|---|"
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in results:
        module, _, test = one.name.partition("::")
        module = module.rpartition(".")[0]
        reasons.setdefault((module, one.reason), []).append(test)
    for (module, reason), tests in reasons.items():
        names = f"`{tests[0]}`" if len(tests) == 1 else f"{len(tests)} tests"
        yield f"| `{module}`: {names} | {reason} |"


if __name__ == "__main__":
    sys.exit(main())
