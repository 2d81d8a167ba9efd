"""Workflows run code that a reviewer has seen, and publish the site that `make site` builds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_hash(workflow: Path) -> None:
    actions = re.findall(r"uses: (.+)", workflow.read_text("utf-8"))
    assert actions
    for action in actions:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


def test_pages_publishes_the_folder_that_make_site_builds() -> None:
    pages = (ROOT / ".github" / "workflows" / "pages.yml").read_text("utf-8")
    folder = re.search(r"^site_dir: (\S+)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert folder is not None
    assert "run: make site\n" in pages
    assert f"path: {folder[1]}\n" in pages
