"""The notebooks run on the bundled data, in this process and in a Jupyter kernel, and show what they compute."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from rubrica.formatting.result import Result
from rubrica.metrics.judge.providers.base import PROVIDERS
from support.blocks import ROOT

pytestmark = pytest.mark.docs
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the notebooks, with the examples where notebooks expect them."""
    folder = tmp_path / "docs" / "notebooks"
    folder.mkdir(parents=True)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(folder)
    return folder


def _cells(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def _stored(cell: dict[str, Any], kind: str) -> str:
    return "".join("".join(output.get("data", {}).get(kind, "")) for output in cell["outputs"])


def _portable(text: str) -> str:
    """Return the text without the kernels that signatures name."""
    return re.sub(r"core:\w+", "core:any", text)


def _value(code: str, names: dict[str, Any]) -> Any:
    """Run a cell and return the value of its last line, as a kernel does."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 (our own)


def test_there_are_four_tutorials() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        *("human-study", "llm-judge", "which-metric", "which-model")
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_computes(
    path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    altair = pytest.importorskip("altair")
    monkeypatch.setattr(PROVIDERS, "_known", dict(PROVIDERS._known))
    monkeypatch.setattr(altair.renderers, "enable", lambda name: None)
    names: dict[str, Any] = {"__name__": "notebook"}
    shown = 0
    for cell in _cells(path):
        value = _value("".join(cell["source"]), names)
        if isinstance(value, Result):
            shown += 1
            assert _portable(repr(value)) == _portable(_stored(cell, "text/plain"))
            assert _portable(value._repr_html_()) == _portable(_stored(cell, "text/html"))
        elif isinstance(value, (int, float, tuple)):
            assert repr(value) == _stored(cell, "text/plain")
    assert shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_stored_notebook_is_small_and_without_errors(path: Path) -> None:
    assert path.stat().st_size < 100_000
    for cell in _cells(path):
        assert all(output["output_type"] != "error" for output in cell["outputs"])
    assert any(_stored(cell, "image/svg+xml") for cell in _cells(path))


@pytest.mark.slow
def test_a_notebook_runs_in_a_kernel(folder: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    source = next(path for path in NOTEBOOKS if path.stem == "which-model")
    notebook = nbformat.read(source, as_version=4)
    # What scores, shows a table and draws a chart is enough.
    notebook.cells = notebook.cells[:6]
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(
        notebook, timeout=600, startup_timeout=600, resources=resources
    ).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "<table" in _stored(code[-2], "text/html")
    assert "<svg" in _stored(code[-1], "image/svg+xml")
