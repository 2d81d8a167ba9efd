"""Metrics and readers of other packages: by entry point, from the working directory, by address."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Starts processes.
pytestmark = pytest.mark.slow

PACKAGE = Path(__file__).resolve().parents[1] / "plugin_package"
MAIN = "from rubrica.cli.app import main; raise SystemExit(main())"
PAIRS = "Rain fell all day.\tRain fell.\nSnow fell.\tIt snowed.\n"

Run = Callable[..., subprocess.CompletedProcess[str]]


def install(folder: Path, entry_points: dict[str, dict[str, str]]) -> None:
    """What pip would leave behind: the package, and metadata with its entry points."""
    shutil.copytree(PACKAGE / "rubrica_sample", folder / "rubrica_sample")
    told = folder / "rubrica_sample-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: rubrica-sample\nVersion: 1.0\n")
    lines = [
        line
        for group, points in entry_points.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (told / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def entry_points() -> dict[str, dict[str, str]]:
    with open(PACKAGE / "pyproject.toml", "rb") as stream:
        return dict(tomllib.load(stream)["project"]["entry-points"])


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `rubrica WORDS...` in a process of its own, in a folder with the file pairs.tsv."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "pairs.tsv").write_text(PAIRS)

    def run(*words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(path or "")}
        return subprocess.run(
            [sys.executable, "-c", MAIN, *words],
            cwd=tmp_path / "work",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def site(tmp_path: Path, entry_points: dict[str, dict[str, str]]) -> Path:
    """A folder of installed packages with the plug-in."""
    folder = tmp_path / "site"
    folder.mkdir()
    install(folder, entry_points)
    return folder


def test_an_installed_plug_in_is_listed(run: Run, site: Path, rubrica: Any) -> None:
    metrics = json.loads(run("list", "metrics", "--json", path=site).stdout)
    novelty = next(one for one in metrics if one["name"] == "novelty")
    assert novelty["needs"] == ["summary", "documents"]
    assert [p["name"] for p in novelty["parameters"]] == ["lowercase"]
    assert novelty["better"] == "none"
    assert "rubrica_sample.dataset:SampleNews" in run("list", "datasets", path=site).stdout
    # The word may stand in another metric's description.
    without = rubrica("list", "metrics").out.splitlines()
    assert not any(line.startswith("novelty") for line in without)


def test_an_installed_plug_in_has_commands_made_from_its_constructors(run: Run, site: Path) -> None:
    told = run("novelty", "evaluate", "--help", path=site)
    assert "--lowercase [true|false]" in told.stdout
    assert "compare without case (default: true)" in told.stdout
    done = run(
        "novelty", "score", "-", "--dataset-reader", "tab-pairs", "--input-files", "pairs.tsv",
        "--lowercase", "false", "--system", "mine", path=site,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["summarizer_id"] for row in rows] == ["mine", "mine"]
    # "fell." is not the "fell" of the document.
    assert [row["metrics"]["novelty"] for row in rows] == [0.5, 1.0]
    assert rows[0]["signatures"][0].startswith("novelty|lowercase:no|")


def test_an_error_in_a_plug_ins_input_names_file_and_line(run: Run, site: Path) -> None:
    (site.parent / "work" / "bad.tsv").write_text("a\tb\nno tab\n")
    done = run(
        "novelty",
        "evaluate",
        "--dataset-reader",
        "tab-pairs",
        "--input-files",
        "bad.tsv",
        path=site,
    )
    assert done.returncode == 1
    assert done.stderr == "rubrica: bad.tsv:2: no tab; reader 'tab-pairs' needs it\n"
    assert done.stdout == ""


def test_one_broken_plug_in_does_not_hide_the_others(
    run: Run, tmp_path: Path, entry_points: dict[str, dict[str, str]]
) -> None:
    entry_points["rubrica.metrics"]["absent"] = "no_such_module:Metric"
    entry_points["rubrica.metrics"]["awry"] = "awry:Metric"
    entry_points["rubrica.metrics"]["rude"] = "rude:Metric"
    entry_points["rubrica.readers"]["absent"] = "no_such_module:Reader"
    site = tmp_path / "site"
    site.mkdir()
    install(site, entry_points)
    (site / "awry.py").write_text("1 / 0\n")
    (site / "rude.py").write_text("import sys; sys.exit('bye')\n")
    done = run("list", "metrics", path=site)
    assert done.returncode == 0, done.stderr
    for said in ("novelty", "chrf", "no_such_module", "ZeroDivisionError", "SystemExit: bye"):
        assert said in done.stdout
    readers = run("list", "readers", path=site).stdout
    assert "tab-pairs" in readers
    assert "no_such_module" in readers
    used = run("absent", "evaluate", "--input-files", "pairs.tsv", path=site)
    assert used.returncode == 3
    assert "no_such_module" in used.stderr
    used = run("rude", "evaluate", "--input-files", "pairs.tsv", path=site)
    assert (used.returncode, "cannot be imported" in used.stderr) == (3, True)
    included = run("list", "metrics", "--include-packages", "rude", path=site)
    assert (included.returncode, "SystemExit: bye" in included.stderr) == (3, True)


def test_a_package_in_the_working_directory_is_included(
    run: Run, tmp_path: Path, rubrica: Any
) -> None:
    package = tmp_path / "work" / "mine"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "inner" / "__init__.py").write_text("")
    (package / "inner" / "length.py").write_text(
        "from rubrica.metrics import Metric, SummaryOnlyMetric\n\n"
        "@Metric.register('length')\n"
        "class Length(SummaryOnlyMetric):\n"
        '    """Characters of the summary."""\n'
        "    def score_one(self, summary):\n"
        "        return {'length': len(summary)}\n"
    )
    (tmp_path / "work" / "a.txt").write_text("ab\nabcd\n")
    done = run("length", "score", "-", "--input-files", "a.txt", "--include-packages", "mine")
    assert done.returncode == 0, done.stderr
    values = [json.loads(line)["metrics"]["length"] for line in done.stdout.splitlines()]
    assert values == [2, 4]
    assert "length" in run("list", "metrics", "--include-packages", "mine").stdout
    without = rubrica("length", "score", "-", "--input-files", "a.txt")
    assert without.code == 2
    assert "no command or metric 'length'" in without.err


def test_a_class_of_the_working_directory_is_used_by_its_address(
    run: Run, tmp_path: Path, rubrica: Any
) -> None:
    (tmp_path / "work" / "mine.py").write_text(
        "from rubrica.metrics import SummaryOnlyMetric\n\n"
        "class Length(SummaryOnlyMetric):\n"
        '    """Characters of the summary."""\n'
        "    def score_one(self, summary):\n"
        "        return {'length': len(summary)}\n"
    )
    (tmp_path / "work" / "a.txt").write_text("ab\nabcd\n")
    done = run("mine:Length", "score", "-", "--input-files", "a.txt")
    assert done.returncode == 0, done.stderr
    values = [json.loads(line)["metrics"]["length"] for line in done.stdout.splitlines()]
    assert values == [2, 4]
    # It has no page in our documentation, and its help does not say so.
    assert "docs/metrics" not in run("mine:Length", "score", "--help").stdout
    assert "rubrica docs bleu" in rubrica("bleu", "score", "--help").out


def test_a_package_that_cannot_be_included_is_told(run: Run) -> None:
    done = run("list", "metrics", "--include-packages", "nowhere")
    assert done.returncode == 3
    assert "--include-packages nowhere: cannot be imported" in done.stderr


def test_an_address_stands_for_a_name(run: Run, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE / "rubrica_sample", tmp_path / "work" / "rubrica_sample")
    config = {
        "include_packages": ["rubrica_sample"],
        "dataset_reader": {"type": "rubrica_sample.reader:TabPairsReader", "system": "mine"},
        "input_files": "pairs.tsv",
        "metrics": [{"type": "rubrica_sample.metric:Novelty", "lowercase": False}],
    }
    (tmp_path / "work" / "run.json").write_text(json.dumps(config))
    configured = run("evaluate", "--config", "run.json", "--trust-config", "--format", "json")
    assert configured.returncode == 0, configured.stderr
    assert json.loads(configured.stdout)["metrics"] == {"novelty": 0.75}
    named = run(
        "rubrica_sample.metric:Novelty", "evaluate",
        "--dataset-reader", "rubrica_sample.reader:TabPairsReader", "--input-files", "pairs.tsv",
        "--lowercase", "false", "--format", "json", path=tmp_path / "work",
    )  # fmt: skip
    assert named.returncode == 0, named.stderr
    assert json.loads(named.stdout)["metrics"] == {"novelty": 0.75}
