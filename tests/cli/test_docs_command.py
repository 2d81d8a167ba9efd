"""`rubrica docs`: the documentation that comes with an installation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.docs import SITE_ONLY, docs_folder, find_pages
from rubrica.cli.verbs import VERBS
from rubrica.metrics import ADDRESSES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_page_has_a_name_of_its_own() -> None:
    files = [*DOCS.glob("*.md"), *DOCS.glob("metrics/*.md"), *DOCS.glob("datasets/*.md")]
    pages = [path for path in files if path.stem not in SITE_ONLY]
    found = {path.relative_to(docs_folder()) for path in find_pages().values()}
    assert found == {path.relative_to(DOCS) for path in pages}
    assert len(find_pages()) == len(pages)


def test_no_page_needs_the_site_to_be_complete() -> None:
    texts = {name: path.read_text("utf-8") for name, path in find_pages().items()}
    assert [name for name, text in texts.items() if re.search(r"^(:::|===) ", text, re.M)] == []


def test_every_metric_has_a_page() -> None:
    assert set(ADDRESSES) <= set(find_pages())


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("rouge", "metrics/rouge.md"),
        ("BERTScore", "metrics/bertscore.md"),
        ("realsumm", "datasets/bhandari2020.md"),
        ("metrics", "metrics/README.md"),
        ("docs/formats.md", "formats.md"),
    ],
)
def test_a_page_is_found_by_the_names_people_type(rubrica: Any, name: str, page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert rubrica("docs", name).out == re.sub(r"(?ms)^<!--.*?-->\n+", "", text)
    assert rubrica("docs", name, "--path").out == f"{docs_folder() / page}\n"


def test_without_a_name_all_pages_are_listed(rubrica: Any) -> None:
    lines = rubrica("docs").out.splitlines()
    names = {line.split()[0] for line in lines if line.startswith("  ")}
    assert names == set(find_pages()) - {"metrics", "datasets"}


def test_an_unknown_page_gets_a_suggestion(rubrica: Any) -> None:
    assert "no page about 'rogue'; did you mean rouge" in rubrica("docs", "rogue").err


def test_a_command_without_a_page_shows_its_section(rubrica: Any) -> None:
    assert rubrica("docs", "correlate").out.startswith("## ")
    assert "`correlate`" in rubrica("docs", "correlate").out.splitlines()[0]


def test_every_command_has_something_to_read(rubrica: Any) -> None:
    assert all(rubrica("docs", verb).code == 0 for verb in VERBS)
