"""The pages on ROUGE hold what their generator and the code say now."""

from __future__ import annotations

import sys

import pytest

from rubrica.metrics import PythonRouge, Rouge
from rubrica.parameters import parameters_of
from support.blocks import ROOT, run_page

DOCS = ROOT / "docs"


@pytest.fixture(autouse=True)
def generators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])


def test_the_examples_of_differences_are_computed_by_this_version() -> None:
    from rouge_divergences import divergences

    assert (DOCS / "rouge-exactness.md").read_text("utf-8").endswith(divergences())


def test_the_page_of_exactness_has_the_texts_of_its_script() -> None:
    from make_rouge_exactness import AGAIN, HEAD

    page = (DOCS / "rouge-exactness.md").read_text("utf-8")
    assert page.startswith(HEAD)
    assert AGAIN in page


def test_the_table_of_profiles_is_that_of_the_code() -> None:
    from make_rouge_exactness import with_profiles

    page = (DOCS / "metrics" / "rouge.md").read_text("utf-8")
    assert with_profiles(page) == page


@pytest.mark.parametrize(("name", "metric"), [("rouge", Rouge), ("python-rouge", PythonRouge)])
def test_every_parameter_is_on_the_page(name: str, metric: type) -> None:
    page = (DOCS / "metrics" / f"{name}.md").read_text("utf-8")
    missing = [p.name for p in parameters_of(metric) if f"\n| `{p.name}` |" not in page]
    assert missing == []


def test_the_examples_run() -> None:
    run_page(DOCS / "metrics" / "rouge.md", ROOT)
