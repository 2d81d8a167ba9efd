"""Several pages of one run in a folder: each links to the others, and an index says what they show."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from rubrica import __version__
from rubrica.errors import DataError
from rubrica.reports.page import page, with_links, write_page

INDEX = "index.html"
_CURRENT = ' aria-current="page"'


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A page: its file, a name for links, what it shows, the command that writes it alone, and its HTML."""

    file: str
    name: str
    about: str
    command: str
    content: bytes


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A page as the index lists it."""

    href: str
    name: str
    about: str
    command: str


@dataclass(frozen=True, slots=True)
class Index:
    """Everything the index shows."""

    title: str
    pages: Sequence[IndexEntry]
    notes: Sequence[str] = ()
    version: str = field(default=__version__)

    def page(self) -> bytes:
        """Return the index as one HTML file."""
        return page(self.title, self, script="index")


def write_linked(
    folder: str, pages: Sequence[LinkedPage], *, title: str, notes: Sequence[str] = ()
) -> str:
    """Write pages that link to each other, and an index with notes; return the path of the index.

    Raises:
        DataError: The folder cannot be made.
        OutputError: A page cannot be written.
    """
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot be made: {error.strerror or error}", file=folder) from error
    entries = [IndexEntry(quote(page.file), page.name, page.about, page.command) for page in pages]
    contents = {INDEX: Index(title, entries, notes).page()}
    contents |= {page.file: page.content for page in pages}
    names = {INDEX: "Overview"} | {page.file: page.name for page in pages}
    for file, content in contents.items():
        write_page(os.path.join(folder, file), with_links(content, _links(names, file)))
    return os.path.join(folder, INDEX)


def _links(names: dict[str, str], current: str) -> str:
    items = [
        f'<li><a href="{html.escape(quote(file))}"{_CURRENT if file == current else ""}>'
        f"{html.escape(name)}</a></li>"
        for file, name in names.items()
    ]
    return f'<nav class="pages" aria-label="Pages of this run"><ul>{"".join(items)}</ul></nav>'
