"""What MkDocs needs to know about our pages: lists of pages, and links that leave docs/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"
# Sections that list every page of their folder after the index.
FOLDERS = {"Metrics": "metrics", "Data sets": "datasets"}
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?:\.\./)*[^)\s#]*)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Add the pages of the folders to the navigation, and pages that nobody listed to the guides."""
    for section in config["nav"]:
        for title, folder in FOLDERS.items():
            if title in section:
                pages = sorted((DOCS / folder).glob("*.md"), key=lambda page: page.name.lower())
                section[title] += [
                    {page.stem: f"{folder}/{page.name}"}
                    for page in pages
                    if page.name != "README.md"
                ]
    listed = set(re.findall(r"[\w./+-]+\.md", str(config["nav"])))
    for page in sorted(DOCS.glob("*.md")):
        if page.name not in listed:
            guides = next(section["Guides"] for section in config["nav"] if "Guides" in section)
            guides.append(page.name)
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Show links that leave docs/ as text: the files are in the repository, not on the site."""
    folder = (DOCS / page.file.src_path).parent

    def replace(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = (folder / target).resolve()
        return match[0] if path.is_relative_to(DOCS) and path.suffix != ".py" else text

    return _LINK.sub(replace, markdown)
