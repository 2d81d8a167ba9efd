"""Read the documentation of a metric, a data set or a command; it is part of the installation.

Without a name, list all pages. On a terminal a page is laid out and shown a screen at a time; elsewhere it is printed
as Markdown.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import rubrica
from rubrica.aliases import DATASETS, METRICS, find_spelling
from rubrica.cli.parser import Parser
from rubrica.cli.verbs import VERBS
from rubrica.errors import DataError, UsageError, near_names

FOLDERS = {"": "guides", "metrics": "metrics", "datasets": "data sets"}
# Pages that the site completes: tabs, signatures.
SITE_ONLY = {"index", "api", "api-meta"}
_COMMENT = re.compile(r"^<!--.*?-->\n+", re.MULTILINE | re.DOTALL)


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica docs`."""
    parser.completions["page"] = lambda: [*find_pages(), *VERBS]
    parser.add_argument("page", nargs="?", metavar="NAME", help="such as rouge, compare, realsumm")
    parser.add_argument("--path", action="store_true", help="print the path of the page's file")
    parser.example = "rubrica docs rouge"


def run(arguments: argparse.Namespace) -> int:
    """Print a page, its path, or the list of pages."""
    pages = find_pages()
    if arguments.page is None:
        print(list_pages(pages))
        return 0
    command = arguments.page if arguments.page in VERBS else ""
    if command and command not in pages:
        page, text = pages["cli"], _section(pages["cli"], command)
    else:
        page = pages[_page_name(arguments.page, pages)]
        text = page.read_text(encoding="utf-8")
    if arguments.path:
        print(page)
    else:
        _show(_COMMENT.sub("", text))
    return 0


def docs_folder() -> Path:
    """Return the folder of the documentation: inside the package if installed, beside it in a checkout."""
    package = Path(rubrica.__file__).parent
    folders = [package / "docs", package.parents[1] / "docs"]
    for folder in folders:
        if (folder / "metrics").is_dir():
            return folder
    raise DataError(f"this installation of rubrica has no documentation: no folder {folders[0]}")


def find_pages() -> dict[str, Path]:
    """Return the files of all pages by name; the index of a folder has the folder's name."""
    pages = {}
    for folder in FOLDERS:
        for path in sorted((docs_folder() / folder).glob("*.md")):
            pages[folder if path.stem == "README" else path.stem] = path
    return {name: path for name, path in pages.items() if name not in SITE_ONLY}


def list_pages(pages: Mapping[str, Path]) -> str:
    """Return the names of all pages by kind, with the title of each."""
    width = max(map(len, pages))
    lines: list[str] = []
    for folder, heading in FOLDERS.items():
        lines += ["", heading] if lines else [heading]
        lines += [
            f"  {name:{width}}  {_title(path)}"
            for name, path in pages.items()
            if path.parent.name == (folder or "docs") and name != folder
        ]
    return "\n".join([*lines, "", "rubrica docs NAME shows a page."])


def _section(page: Path, command: str) -> str:
    """Return what the page of the command line says about a command; the whole page if it has no section of its own."""
    text = page.read_text(encoding="utf-8")
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        if f"`{command}`" in section.partition("\n")[0]:
            return section
    return text


def _page_name(name: str, pages: Mapping[str, Path]) -> str:
    key = {**METRICS, **DATASETS}.get(name.lower(), name).removesuffix(".md")
    key = key.removeprefix("docs/").removeprefix("metrics/").removeprefix("datasets/")
    page = key if key in pages else find_spelling(key, pages)
    if page is None:
        near = near_names(name, pages)
        hint = f"did you mean {' or '.join(near)}?" if near else "rubrica docs lists all pages"
        raise UsageError(f"no page about {name!r}; {hint}")
    return page


def _title(path: Path) -> str:
    """Return a page's heading; where that is the page's name, its first sentence."""
    heading, _, text = path.read_text(encoding="utf-8").removeprefix("# ").partition("\n")
    title = heading.strip().replace("`", "")
    if title != path.stem:
        return title
    return " ".join(text.strip().partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")


def _show(markdown: str) -> None:
    if not sys.stdout.isatty():
        print(markdown, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.pager(styles=True):
        console.print(Markdown(markdown))
